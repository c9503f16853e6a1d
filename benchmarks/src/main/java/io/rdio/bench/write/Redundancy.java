// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.client.write.StripeLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.jspecify.annotations.Nullable;

/**
 * How files are kept: in replicas, or in groups of blocks by an erasure code. Immutable.
 *
 * @param dataUnits blocks of a group that have data; 1 of replicas
 * @param parityUnits blocks of a group that can be lost
 * @param policy null of replicas
 */
record Redundancy(int dataUnits, int parityUnits, @Nullable ErasureCodingPolicy policy) {
  /** As far as we have volumes for. */
  private static final int REPLICATION_MAX = 6;

  /**
   * So many replicas.
   *
   * @throws IllegalArgumentException naming option and value
   */
  static Redundancy replicas(int count) {
    if (count < 1 || count > REPLICATION_MAX) {
      throw new IllegalArgumentException(
          "--replication " + count + ": must be 1 to " + REPLICATION_MAX);
    }
    return new Redundancy(1, count - 1, null);
  }

  /**
   * One of HDFS's own policies.
   *
   * @throws IllegalArgumentException naming option and value, and what it may be
   */
  static Redundancy coded(String name) {
    ErasureCodingPolicy policy = SystemErasureCodingPolicies.getByName(name);
    if (policy == null) {
      throw new IllegalArgumentException(
          "--policy "
              + name
              + ": take "
              + SystemErasureCodingPolicies.getPolicies().stream()
                  .map(ErasureCodingPolicy::getName)
                  .collect(Collectors.joining(" or ")));
    }
    return new Redundancy(policy.getNumDataUnits(), policy.getNumParityUnits(), policy);
  }

  /** Whether by an erasure code. */
  boolean isCoded() {
    return policy != null;
  }

  /** DataNodes that each group, or each block with its replicas, is on. */
  int units() {
    return dataUnits + parityUnits;
  }

  /** Bytes that are stored for each byte of a large file. */
  double stored() {
    return (double) units() / dataUnits;
  }

  /** That files are created with; HDFS does not look at it where they are coded. */
  int replication() {
    return isCoded() ? 1 : units();
  }

  /** Blocks of a file that are on one DataNode: as many as it has groups. */
  long groups(long bytes, long blockBytes) {
    return ceiling(bytes, dataUnits * blockBytes);
  }

  /** The smallest blocks, in whole units of so many bytes, by which a file is one group. */
  long fittingBlock(long bytes, long unit) {
    return ceiling(bytes, dataUnits * unit) * unit;
  }

  /** What the DataNode with most of a file has of it, besides checksums. */
  long bytesOfUnit(long bytes, long blockBytes) {
    long groupBytes = dataUnits * blockBytes;
    long rest = bytes % groupBytes;
    long ofRest =
        policy == null
            ? rest
            : new StripeLayout(dataUnits, parityUnits, policy.getCellSize()).blockBytes(0, rest);
    return bytes / groupBytes * blockBytes + ofRest;
  }

  private static long ceiling(long number, long unit) {
    return (number + unit - 1) / unit;
  }

  /** For JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    if (policy == null) {
      fields.put("replication", units());
    } else {
      fields.put("policy", policy.getName());
      fields.put("data_units", dataUnits);
      fields.put("parity_units", parityUnits);
    }
    return fields;
  }

  @Override
  public String toString() {
    return policy == null ? "× " + units() : policy.getName();
  }
}
