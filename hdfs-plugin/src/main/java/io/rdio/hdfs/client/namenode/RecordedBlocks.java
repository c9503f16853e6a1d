// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

/**
 * What RDIO's failover proxy providers recorded in this JVM: nothing until the first of them
 * records, so that who does not use one loads no class of theirs. Thread-safe.
 */
public final class RecordedBlocks {
  private static volatile KnownBlocks blocks = KnownBlocks.NONE;

  private RecordedBlocks() {}

  /** From now on these. */
  public static void are(KnownBlocks recorded) {
    blocks = recorded;
  }

  /** Those of now. */
  public static KnownBlocks now() {
    return blocks;
  }
}
