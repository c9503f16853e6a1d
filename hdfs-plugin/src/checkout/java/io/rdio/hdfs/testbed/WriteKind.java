// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import java.util.ArrayList;
import java.util.List;

/**
 * How files are kept.
 *
 * @param name as in the JSON
 * @param units DataNodes that a block with its replicas, or a group, is on
 * @param dataUnits blocks of a group that have data; 1 of replicas
 */
record WriteKind(String name, int units, int dataUnits) {
  /** As HDFS calls the code that is written by, if there are DataNodes for it. */
  static final String POLICY = "RS-3-2-1024k";

  private static final int REPLICATION_MAX = 3;
  private static final WriteKind CODED = new WriteKind("rs_3_2", 5, 3);

  /** All that so many DataNodes are enough for: one replica, up to three, and the code. */
  static List<WriteKind> of(int dataNodes) {
    List<WriteKind> kinds = new ArrayList<>();
    kinds.add(replicas(1));
    if (dataNodes > 1) {
      kinds.add(replicas(Math.min(REPLICATION_MAX, dataNodes)));
    }
    if (dataNodes >= CODED.units) {
      kinds.add(CODED);
    }
    return kinds;
  }

  private static WriteKind replicas(int count) {
    return new WriteKind("replication_" + count, count, 1);
  }

  boolean isCoded() {
    return dataUnits > 1;
  }

  /** That files are created with; HDFS does not look at it where they are coded. */
  int replication() {
    return isCoded() ? 1 : units;
  }

  /** Where such files are. */
  String folder() {
    return "/write-traffic/" + name + "/";
  }

  /** What the links may carry for them. */
  WriteBounds bounds() {
    return new WriteBounds((double) units / dataUnits);
  }
}
