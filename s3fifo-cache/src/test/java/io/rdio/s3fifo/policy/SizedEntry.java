// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

/** An object of a trace, of some size. */
final class SizedEntry extends S3FifoEntry {
  final long id;
  private final int size;
  private int queuedWeight;

  SizedEntry(long id, int size) {
    this.id = id;
    this.size = size;
  }

  @Override
  public int fingerprint() {
    return Long.hashCode(id);
  }

  @Override
  public int weight() {
    return size;
  }

  @Override
  protected int queuedWeight() {
    return queuedWeight;
  }

  @Override
  protected void queuedWeight(int now) {
    queuedWeight = now;
  }
}
