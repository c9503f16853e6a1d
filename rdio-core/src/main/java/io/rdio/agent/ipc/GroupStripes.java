// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

/**
 * How the bytes of an erasure-coded group lie on its blocks, and when parity is made. Immutable.
 */
public final class GroupStripes {
  /** When the parity of a group is written. */
  public enum Parity {
    /** That of a stripe before the next stripe is taken. */
    IMMEDIATE(Protocol.PARITY_IMMEDIATE),
    /** Behind the data; the commit waits for it. */
    AWAITED(Protocol.PARITY_AWAITED),
    /** Behind the data, and behind the commit. */
    DEFERRED(Protocol.PARITY_DEFERRED);

    private final int number;

    Parity(int number) {
      this.number = number;
    }
  }

  private final int dataUnits;
  private final int parityUnits;
  private final int cellBytes;
  private final String codec;
  private final Parity parity;

  /**
   * @param dataUnits blocks of data; the first targets are theirs
   * @param parityUnits blocks of parity; the last targets are theirs
   * @param cellBytes bytes that lie side by side on one block, above 0
   * @param codec name of the code in HDFS's policies
   */
  public GroupStripes(int dataUnits, int parityUnits, int cellBytes, String codec, Parity parity) {
    this.dataUnits = dataUnits;
    this.parityUnits = parityUnits;
    this.cellBytes = cellBytes;
    this.codec = codec;
    this.parity = parity;
  }

  /** All blocks of a group. */
  public int units() {
    return dataUnits + parityUnits;
  }

  /** Blocks of data. */
  public int dataUnits() {
    return dataUnits;
  }

  /** Bytes of the whole stripes that some bytes of data are in, which a group is asked for by. */
  public long inStripes(long bytes) {
    long stripe = (long) dataUnits * cellBytes;
    return (bytes + stripe - 1) / stripe * stripe;
  }

  int cellBytes() {
    return cellBytes;
  }

  /** Bytes that {@link #putTo} adds at most. */
  int mostBytes() {
    return 4 * Integer.BYTES + BlockToWrite.mostBytes(codec);
  }

  /** Adds what an ALLOCATE_GROUP says of it. */
  Frame putTo(Frame allocate) throws MalformedMessageException {
    return allocate
        .put(dataUnits)
        .put(parityUnits)
        .put(cellBytes)
        .put(parity.number)
        .put(codec, Protocol.CODEC_MAX);
  }

  @Override
  public String toString() {
    return codec + "-" + dataUnits + "-" + parityUnits + " by cells of " + cellBytes + " bytes";
  }
}
