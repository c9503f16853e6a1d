// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.util.concurrent.TimeUnit;

/** Times and caps of granting, checked. Immutable. */
public final class GrantConfig {
  private final long leaseMillis;
  private final long maxIoMillis;
  private final int pinsPerVolume;
  private final long pinnedDeletedBytesPerVolume;
  private final int leasesPerAddress;
  private final long pinnedBytesPerAddress;
  private final int leasesMax;
  private final long heapMax;
  private final int batchMax;

  private GrantConfig(Builder builder) {
    this.leaseMillis = builder.leaseMillis;
    this.maxIoMillis = builder.maxIoMillis;
    this.pinsPerVolume = builder.pinsPerVolume;
    this.pinnedDeletedBytesPerVolume = builder.pinnedDeletedBytesPerVolume;
    this.leasesPerAddress = builder.leasesPerAddress;
    this.pinnedBytesPerAddress = builder.pinnedBytesPerAddress;
    this.leasesMax = builder.leasesMax;
    this.heapMax = builder.heapMax;
    this.batchMax = builder.batchMax;
  }

  /** With the defaults of the DataNode's keys. */
  public static Builder builder() {
    return new Builder();
  }

  /** Term of a lease, at least 1 s. */
  public long leaseMillis() {
    return leaseMillis;
  }

  /**
   * How long a device read of a client may take at most; extents stay pinned this much longer than
   * the leases on them.
   */
  public long maxIoMillis() {
    return maxIoMillis;
  }

  /** Blocks pinned at a time on one volume, at least 1. */
  public int pinsPerVolume() {
    return pinsPerVolume;
  }

  /**
   * Bytes of blocks that HDFS let go and pins still hold, on one volume, at least 1; at this
   * nothing more is granted there to an address that has its share of them.
   */
  public long pinnedDeletedBytesPerVolume() {
    return pinnedDeletedBytesPerVolume;
  }

  /**
   * Leases of the clients at one address, at least 1; requests under way may exceed it by their
   * batch.
   */
  public int leasesPerAddress() {
    return leasesPerAddress;
  }

  /**
   * Bytes of the blocks under those leases, each lease counted, at least 1; requests under way may
   * exceed it by their blocks.
   */
  public long pinnedBytesPerAddress() {
    return pinnedBytesPerAddress;
  }

  /** Leases of all clients, at least 1. */
  public int leasesMax() {
    return leasesMax;
  }

  /** Bytes of the heap for leases and pins, as {@link HeapBytes} counts them, at least 1. */
  public long heapMax() {
    return heapMax;
  }

  /** Blocks in one request, at least 1. */
  public int batchMax() {
    return batchMax;
  }

  /** How long a pin must outlive the moment at which a lease on it was last granted or renewed. */
  public long holdMillis() {
    return leaseMillis + maxIoMillis;
  }

  /** {@link #holdMillis} in nanoseconds. */
  public long holdNanos() {
    return TimeUnit.MILLISECONDS.toNanos(holdMillis());
  }

  /** {@link #leaseMillis} in nanoseconds. */
  long leaseNanos() {
    return TimeUnit.MILLISECONDS.toNanos(leaseMillis);
  }

  /** Not thread-safe. */
  public static final class Builder {
    private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

    private long leaseMillis = 60_000;
    private long maxIoMillis = 60_000;
    private int pinsPerVolume = 100_000;
    private long pinnedDeletedBytesPerVolume = 10L << 30;
    private int leasesPerAddress = 50_000;
    private long pinnedBytesPerAddress = 10L << 40;
    private int leasesMax = 1_000_000;
    private long heapMax = 512L << 20;
    private int batchMax = 1_024;

    private Builder() {}

    /** Sets {@link GrantConfig#leaseMillis}. */
    public Builder leaseMillis(long millis) {
      check(millis >= 1_000, "lease duration", millis + " ms", "1s or more");
      check(millis <= DAY_MILLIS, "lease duration", millis + " ms", "1d or less");
      leaseMillis = millis;
      return this;
    }

    /** Sets {@link GrantConfig#maxIoMillis}. */
    public Builder maxIoMillis(long millis) {
      check(millis >= 0, "maximum I/O time", millis + " ms", "0 or more");
      check(millis <= DAY_MILLIS, "maximum I/O time", millis + " ms", "1d or less");
      maxIoMillis = millis;
      return this;
    }

    /** Sets {@link GrantConfig#pinsPerVolume}. */
    public Builder pinsPerVolume(int pins) {
      pinsPerVolume = (int) atLeastOne(pins, "pins per volume");
      return this;
    }

    /** Sets {@link GrantConfig#pinnedDeletedBytesPerVolume}. */
    public Builder pinnedDeletedBytesPerVolume(long bytes) {
      pinnedDeletedBytesPerVolume = atLeastOne(bytes, "pinned deleted bytes per volume");
      return this;
    }

    /** Sets {@link GrantConfig#leasesPerAddress}. */
    public Builder leasesPerAddress(int leases) {
      leasesPerAddress = (int) atLeastOne(leases, "leases per address");
      return this;
    }

    /** Sets {@link GrantConfig#pinnedBytesPerAddress}. */
    public Builder pinnedBytesPerAddress(long bytes) {
      pinnedBytesPerAddress = atLeastOne(bytes, "pinned bytes per address");
      return this;
    }

    /** Sets {@link GrantConfig#leasesMax}. */
    public Builder leasesMax(int leases) {
      leasesMax = (int) atLeastOne(leases, "leases of all clients");
      return this;
    }

    /** Sets {@link GrantConfig#heapMax}. */
    public Builder heapMax(long bytes) {
      heapMax = atLeastOne(bytes, "heap for leases and pins");
      return this;
    }

    /** Sets {@link GrantConfig#batchMax}. */
    public Builder batchMax(int blocks) {
      batchMax = (int) atLeastOne(blocks, "blocks in one grant request");
      return this;
    }

    public GrantConfig build() {
      return new GrantConfig(this);
    }

    private static long atLeastOne(long value, String what) {
      check(value >= 1, what, Long.toString(value), "1 or more");
      return value;
    }

    private static void check(boolean ok, String what, String value, String allowed) {
      if (!ok) {
        throw new IllegalArgumentException(what + " is " + value + "; set it to " + allowed);
      }
    }
  }
}
