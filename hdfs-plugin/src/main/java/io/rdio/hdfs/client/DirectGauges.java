// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

/** What the clients of this JVM hold that open devices themselves, summed up. For one thread. */
public final class DirectGauges {
  public long contexts;
  public long maps;
  public long mapBytes;
  public long crcBytes;
  public long leases;
  public long lentBytes;
  public long allocatedBytes;
  public long cachedBytes;
  public long cacheAllocatedBytes;
  public long flashBytes;

  /** Times that this machine turned out to have been paused. */
  public long clockJumps;

  /** All are 0. */
  DirectGauges() {}
}
