// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What follows from each reason, in one table: who changes it means to. */
final class FallbackPolicyTest {
  /** Reason, scope, memory, loudness, who may name it on the wire, and what becomes of the map. */
  private static final String TABLE =
      """
      DISABLED                   HOST    NONE       ROUTINE    CLIENT   STANDS
      CONFIGURATION_INVALID      HOST    NONE       NOTEWORTHY CLIENT   STANDS
      NATIVE_LIBRARY_UNAVAILABLE HOST    NONE       NOTEWORTHY CLIENT   STANDS
      ASYNC_IO_UNAVAILABLE       HOST    NONE       NOTEWORTHY CLIENT   STANDS
      HADOOP_UNSUPPORTED         HOST    NONE       NOTEWORTHY CLIENT   STANDS
      FILE_UNDER_CONSTRUCTION    BLOCK   NONE       ROUTINE    CLIENT   STANDS
      LOCATION_UNKNOWN           BLOCK   MOMENT     NOTEWORTHY CLIENT   STANDS
      FIRST_READ                 BLOCK   NONE       ROUTINE    CLIENT   STANDS
      MAP_LOADING                BLOCK   NONE       ROUTINE    CLIENT   STANDS
      DATANODE_FASTER            READ    NONE       ROUTINE    CLIENT   STANDS
      PROCESS_YOUNG              HOST    NONE       ROUTINE    CLIENT   STANDS
      JVM_TOO_OLD                HOST    NONE       NOTEWORTHY CLIENT   STANDS
      AGENT_UNAVAILABLE          HOST    NONE       NOTEWORTHY CLIENT   STANDS
      AGENT_BUSY                 HOST    NONE       NOTEWORTHY CLIENT   STANDS
      METADATA_PLANE_UNREACHABLE PLANE   BACK_OFF   NOTEWORTHY CLIENT   STANDS
      TLS_REQUIRED               PLANE   BACK_OFF   NOTEWORTHY DATANODE STANDS
      TLS_FAILED                 PLANE   BACK_OFF   NOTEWORTHY CLIENT   STANDS
      METADATA_PLANE_BACKOFF     PLANE   NONE       NOTEWORTHY CLIENT   STANDS
      DATANODE_BUSY              BLOCK   BACK_OFF   NOTEWORTHY DATANODE STANDS
      METADATA_PLANE_ERROR       PLANE   BACK_OFF   NOTEWORTHY DATANODE USELESS_HERE
      METADATA_PLANE_UNAUTHENTIC PLANE   BACK_OFF   NOTEWORTHY CLIENT   STANDS
      SESSION_UNKNOWN            PLANE   NONE       NOTEWORTHY DATANODE STANDS
      PROTOCOL_MISMATCH          PLANE   BACK_OFF   NOTEWORTHY DATANODE STANDS
      DATANODE_NOT_READY         PLANE   NONE       NOTEWORTHY DATANODE STANDS
      TOKEN_REFUSED              BLOCK   MOMENT     NOTEWORTHY DATANODE STANDS
      ENCRYPTION_REQUIRED        HOST    MOMENT     NOTEWORTHY DATANODE STANDS
      REPLICA_NOT_FOUND          REPLICA MOMENT     NOTEWORTHY DATANODE STANDS
      REPLICA_NOT_FINALIZED      REPLICA MOMENT     NOTEWORTHY DATANODE STANDS
      REPLICA_CHANGED            REPLICA NONE       NOTEWORTHY DATANODE USELESS_HERE
      STORAGE_UNSUPPORTED        STORAGE MOMENT     NOTEWORTHY DATANODE STANDS
      FILE_SYSTEM_UNSUPPORTED    STORAGE MOMENT     NOTEWORTHY DATANODE STANDS
      DEVICE_UNSUPPORTED         STORAGE MOMENT     NOTEWORTHY DATANODE USELESS_HERE
      EXTENTS_UNMAPPABLE         REPLICA MOMENT     NOTEWORTHY DATANODE STANDS
      RECALL_PENDING             BLOCK   NONE       NOTEWORTHY DATANODE STANDS
      PIN_LIMIT                  STORAGE MOMENT     NOTEWORTHY DATANODE STANDS
      LEASE_LIMIT                HOST    MOMENT     NOTEWORTHY DATANODE STANDS
      PIN_FAILED                 REPLICA MOMENT     NOTEWORTHY DATANODE STANDS
      VOLUME_STALLED             STORAGE NONE       NOTEWORTHY DATANODE STANDS
      DEVICE_NOT_FOUND           STORAGE BACK_OFF   NOTEWORTHY CLIENT   USELESS_HERE
      DEVICE_AMBIGUOUS           STORAGE BACK_OFF   NOTEWORTHY CLIENT   USELESS_HERE
      DEVICE_PERMISSION          STORAGE BACK_OFF   NOTEWORTHY CLIENT   USELESS_HERE
      DEVICE_MISMATCH            STORAGE BACK_OFF   NOTEWORTHY CLIENT   DEVICE_FAILED
      DEVICE_IO_ERROR            REPLICA BACK_OFF   NOTEWORTHY CLIENT   DEVICE_FAILED
      DEVICE_TIMEOUT             REPLICA BACK_OFF   NOTEWORTHY CLIENT   DEVICE_HANGS
      METADATA_UNREADABLE        STORAGE BACK_OFF   NOTEWORTHY CLIENT   USELESS_HERE
      BUFFERS_EXHAUSTED          READ    NONE       NOTEWORTHY CLIENT   STANDS
      LEASE_EXPIRED              READ    NONE       NOTEWORTHY CLIENT   GREW_OLD
      CHECKSUM_MISMATCH          REPLICA QUARANTINE NOTEWORTHY CLIENT   SUSPECT
      CHECKSUM_UNSUPPORTED       BLOCK   MOMENT     NOTEWORTHY DATANODE STANDS
      REPLICA_QUARANTINED        BLOCK   NONE       NOTEWORTHY CLIENT   STANDS
      ACCESSOR_CLOSED            READ    NONE       NOTEWORTHY CLIENT   STANDS
      INTERRUPTED                READ    NONE       ROUTINE    CLIENT   STANDS
      INTERNAL_ERROR             READ    NONE       ALARMING   DATANODE STANDS
      """;

  @Test
  void policiesAreThoseOfTheTable() {
    List<List<String>> rows = new ArrayList<>();
    for (FallbackReason reason : FallbackReason.values()) {
      FallbackPolicy policy = reason.policy();
      rows.add(
          List.of(
              reason.name(),
              policy.scope().name(),
              policy.memory().name(),
              policy.loudness().name(),
              policy.speaker().name(),
              policy.mapVerdict().name()));
    }
    assertThat(rows)
        .containsExactlyElementsOf(TABLE.lines().map(row -> List.of(row.split(" +"))).toList());
  }
}
