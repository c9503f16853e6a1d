// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.util.Locale;

/**
 * YCSB's workloads (Cooper et al., SoCC'10, table 2): which share of operations are which. E, of
 * scans, has no meaning for a store of objects.
 */
public enum Mix {
  /** Fills the store. */
  LOAD(0, 0, 1, 0, false),
  /** Update heavy. */
  A(0.5, 0.5, 0, 0, false),
  /** Read mostly. */
  B(0.95, 0.05, 0, 0, false),
  /** Read only. */
  C(1, 0, 0, 0, false),
  /** Read latest. */
  D(0.95, 0, 0.05, 0, true),
  /** Read, modify, write. */
  F(0.5, 0, 0, 0.5, false);

  private final double reads;
  private final double updates;
  private final double inserts;
  private final double modifications;
  private final boolean latest;

  Mix(double reads, double updates, double inserts, double modifications, boolean latest) {
    this.reads = reads;
    this.updates = updates;
    this.inserts = inserts;
    this.modifications = modifications;
    this.latest = latest;
  }

  /** What is done to a record. */
  enum Operation {
    READ,
    /** Written anew. */
    UPDATE,
    INSERT,
    /** Read, then written anew. */
    MODIFY
  }

  /**
   * An operation.
   *
   * @param share drawn from 0 to 1
   */
  Operation operation(double share) {
    if (share < reads) {
      return Operation.READ;
    }
    if (share < reads + updates) {
      return Operation.UPDATE;
    }
    return modifications > 0 ? Operation.MODIFY : Operation.INSERT;
  }

  /** Whether records that came last are the popular ones. */
  boolean latest() {
    return latest;
  }

  /** Whether nothing is written. */
  public boolean readsOnly() {
    return updates + inserts + modifications == 0;
  }

  /** Whether nothing is read. */
  public boolean writesOnly() {
    return reads + modifications == 0;
  }

  /**
   * Of a letter, or {@code load}.
   *
   * @throws IllegalArgumentException naming the value and what it may be
   */
  public static Mix parse(String text) {
    for (Mix mix : values()) {
      if (mix.name().equals(text.strip().toUpperCase(Locale.ROOT))) {
        return mix;
      }
    }
    throw new IllegalArgumentException("--workloads " + text + ": take some of load,A,B,C,D,F");
  }
}
