// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import java.util.concurrent.TimeUnit;

/** Times and caps of remote writes, checked. Immutable. */
public final class WriteConfig {
  /** Whether a host that was not quiet must be fenced off before its slot is given away. */
  public enum Fencing {
    /** Nothing is lent where the host cannot be fenced off (WRITE_UNFENCED). */
    DEMANDED,
    /** Slots are left alone for their time, no more. */
    NONE
  }

  /** How much of a block Commit reads back. */
  public enum Verify {
    /** First and last unit of each extent, and 16 chunks by chance. */
    SAMPLE,
    /** All of it. */
    ALL
  }

  private final Fencing fencing;
  private final Verify verify;
  private final long leaseMillis;
  private final long ioMillis;
  private final long poolBytes;
  private final long blockBytes;
  private final int slotsPerAddress;
  private final long lentBytesMax;
  private final boolean recycles;

  private WriteConfig(Builder builder) {
    this.fencing = builder.fencing;
    this.verify = builder.verify;
    this.leaseMillis = builder.leaseMillis;
    this.ioMillis = builder.ioMillis;
    this.poolBytes = builder.poolBytes;
    this.blockBytes = builder.blockBytes;
    this.slotsPerAddress = builder.slotsPerAddress;
    this.lentBytesMax = builder.lentBytesMax;
    this.recycles = builder.recycles;
  }

  /** With the defaults of the DataNode's keys. */
  public static Builder builder() {
    return new Builder();
  }

  /** What is demanded of targets and hosts. */
  public Fencing fencing() {
    return fencing;
  }

  /** What Commit reads back. */
  public Verify verify() {
    return verify;
  }

  /** {@code T}, the term of a write lease, at least 1 s. */
  public long leaseMillis() {
    return leaseMillis;
  }

  /**
   * {@code I}, the longest time from an agent's look at its lease to the last moment at which that
   * write can reach the medium.
   */
  public long ioMillis() {
    return ioMillis;
  }

  /** {@code Q = T + I}. */
  public long quarantineMillis() {
    return leaseMillis + ioMillis;
  }

  /** Bytes of free slots that a volume keeps; 0 for none. */
  public long poolBytes() {
    return poolBytes;
  }

  /** The file system's usual block size: the largest slots of a pool have it. */
  public long blockBytes() {
    return blockBytes;
  }

  /** Slots that the clients at one address may hold on one volume, quarantined ones counted. */
  public int slotsPerAddress() {
    return slotsPerAddress;
  }

  /** Bytes of slots that are lent or quarantined on one volume at most, at least 1. */
  public long lentBytesMax() {
    return lentBytesMax;
  }

  /** Whether files of deleted blocks become slots again where new ones cost zeros (W15). */
  public boolean recycles() {
    return recycles;
  }

  /** Bytes that HDFS always finds free on a volume, as far as slots are concerned: two blocks. */
  long spareBytes() {
    return 2 * blockBytes;
  }

  long leaseNanos() {
    return TimeUnit.MILLISECONDS.toNanos(leaseMillis);
  }

  long quarantineNanos() {
    return TimeUnit.MILLISECONDS.toNanos(quarantineMillis());
  }

  long ioNanos() {
    return TimeUnit.MILLISECONDS.toNanos(ioMillis);
  }

  /** Not thread-safe. */
  public static final class Builder {
    private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

    private Fencing fencing = Fencing.NONE;
    private Verify verify = Verify.SAMPLE;
    private long leaseMillis = 30_000;
    private long ioMillis = 60_000;
    private long poolBytes = 1L << 30;
    private long blockBytes = 128L << 20;
    private int slotsPerAddress = 64;
    private long lentBytesMax = 32L << 30;
    private boolean recycles;

    private Builder() {}

    /** Sets {@link WriteConfig#fencing}. */
    public Builder fencing(Fencing value) {
      fencing = value;
      return this;
    }

    /** Sets {@link WriteConfig#verify}. */
    public Builder verify(Verify value) {
      verify = value;
      return this;
    }

    /** Sets {@link WriteConfig#leaseMillis}. */
    public Builder leaseMillis(long millis) {
      check(millis >= 1_000, "write lease duration", millis + " ms", "1s or more");
      check(millis <= DAY_MILLIS, "write lease duration", millis + " ms", "1d or less");
      leaseMillis = millis;
      return this;
    }

    /** Sets {@link WriteConfig#ioMillis}. */
    public Builder ioMillis(long millis) {
      check(millis >= 1_000, "maximum I/O time of a write", millis + " ms", "1s or more");
      check(millis <= DAY_MILLIS, "maximum I/O time of a write", millis + " ms", "1d or less");
      ioMillis = millis;
      return this;
    }

    /** Sets {@link WriteConfig#poolBytes}. */
    public Builder poolBytes(long bytes) {
      check(bytes >= 0, "pool size", Long.toString(bytes), "0 or more");
      poolBytes = bytes;
      return this;
    }

    /** Sets {@link WriteConfig#blockBytes}. */
    public Builder blockBytes(long bytes) {
      check(
          bytes >= 1 << 20 && bytes <= WriteRoom.BLOCK_MAX,
          "block size",
          Long.toString(bytes),
          "1 MiB to 1 GiB");
      blockBytes = bytes;
      return this;
    }

    /** Sets {@link WriteConfig#slotsPerAddress}. */
    public Builder slotsPerAddress(int slots) {
      check(slots >= 1, "slots per address", Integer.toString(slots), "1 or more");
      slotsPerAddress = slots;
      return this;
    }

    /** Sets {@link WriteConfig#lentBytesMax}. */
    public Builder lentBytesMax(long bytes) {
      check(bytes >= 1, "bytes of slots that are lent", Long.toString(bytes), "1 or more");
      lentBytesMax = bytes;
      return this;
    }

    /** Sets {@link WriteConfig#recycles}. */
    public Builder recycles(boolean value) {
      recycles = value;
      return this;
    }

    public WriteConfig build() {
      return new WriteConfig(this);
    }

    private static void check(boolean ok, String what, String value, String allowed) {
      if (!ok) {
        throw new IllegalArgumentException(what + " is " + value + "; set it to " + allowed);
      }
    }
  }
}
