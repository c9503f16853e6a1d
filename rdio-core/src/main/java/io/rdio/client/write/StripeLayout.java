// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

/**
 * How HDFS lays a group of erasure-coded blocks out: in cells, one behind the other on the data
 * blocks in turn. The data blocks are numbered from 0 on, those of parity behind them. Immutable.
 *
 * @param dataUnits blocks of data, above 0
 * @param parityUnits blocks of parity, above 0; both are {@link GroupWriter#TARGETS_MAX} at most
 * @param cellBytes above 0; a stripe has less than 1 GiB
 */
public record StripeLayout(int dataUnits, int parityUnits, int cellBytes) {
  private static final long STRIPE_BYTES_MAX = 1L << 30;

  /**
   * @throws IllegalArgumentException if a value is out of range
   */
  public StripeLayout {
    boolean isSane =
        dataUnits > 0
            && parityUnits > 0
            && cellBytes > 0
            && dataUnits <= GroupWriter.TARGETS_MAX - parityUnits
            && (long) (dataUnits + parityUnits) * cellBytes < STRIPE_BYTES_MAX;
    if (!isSane) {
      throw new IllegalArgumentException(
          "stripes of " + dataUnits + " + " + parityUnits + " cells of " + cellBytes + " bytes");
    }
  }

  /** All blocks of a group. */
  public int units() {
    return dataUnits + parityUnits;
  }

  /** Bytes of data in a stripe. */
  public int stripeBytes() {
    return dataUnits * cellBytes;
  }

  /** Bits of the data blocks. */
  long dataBits() {
    return (1L << dataUnits) - 1;
  }

  /** Bits of the blocks of parity. */
  long parityBits() {
    return (1L << units()) - 1 - dataBits();
  }

  /**
   * Bytes of one block of a group.
   *
   * @param unit its number
   * @param groupBytes data of the group, not negative
   */
  public long blockBytes(int unit, long groupBytes) {
    long full = groupBytes / stripeBytes() * cellBytes;
    long rest = groupBytes % stripeBytes();
    long before = unit < dataUnits ? (long) unit * cellBytes : 0; // parity is as long as the first
    return full + Math.max(0, Math.min(cellBytes, rest - before));
  }
}
