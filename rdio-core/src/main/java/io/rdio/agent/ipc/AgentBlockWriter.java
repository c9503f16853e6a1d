// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import java.io.Closeable;

/** A stand-in for the lanes' own: one block's replicas, being written by the agent. */
public final class AgentBlockWriter implements Closeable {
  private long length;

  public void write(byte[] source, int at, int count) throws FallbackException {
    length += count;
  }

  public long length() {
    return length;
  }

  public long commit() throws FallbackException {
    return 1;
  }

  @Override
  public void close() {}
}
