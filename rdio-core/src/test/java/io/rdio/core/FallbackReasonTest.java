// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a client makes of a reason that a DataNode names. */
final class FallbackReasonTest {
  @ParameterizedTest
  @EnumSource(
      names = {
        "TOKEN_REFUSED",
        "SESSION_UNKNOWN",
        "PROTOCOL_MISMATCH",
        "ENCRYPTION_REQUIRED",
        "DEVICE_UNSUPPORTED",
        "CHECKSUM_UNSUPPORTED",
        "SLOTS_EXHAUSTED",
        "WRITE_UNFENCED",
        "VOLUME_STALLED",
        "VOLUME_UNFENCED",
        "INTERNAL_ERROR"
      })
  void reasonOfADataNodeIsTaken(FallbackReason reason) {
    assertThat(FallbackReason.ofWire(reason.name())).isEqualTo(reason);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "DISABLED",
        "NATIVE_LIBRARY_UNAVAILABLE",
        "ASYNC_IO_UNAVAILABLE",
        "MAP_LOADING",
        "DATANODE_FASTER",
        "METADATA_PLANE_UNREACHABLE",
        "METADATA_PLANE_UNAUTHENTIC",
        "TLS_FAILED",
        "DEVICE_NOT_FOUND",
        "DEVICE_MISMATCH",
        "DEVICE_IO_ERROR",
        "DEVICE_TIMEOUT",
        "METADATA_UNREADABLE",
        "XFS_NEEDS_DATANODE",
        "CHECKSUM_MISMATCH",
        "WRITE_UNSUPPORTED",
        "WRITE_UNPROVEN",
        "WRITE_UNBOUNDED",
        "FILE_SMALL",
        "REPLICA_QUARANTINED",
        "LEASE_EXPIRED",
        "ACCESSOR_CLOSED",
        "INTERRUPTED"
      })
  void whatOnlyAClientFindsNoDataNodeCanTell(FallbackReason reason) {
    assertThat(FallbackReason.ofWire(reason.name())).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
  }

  @Test
  void reasonOfTomorrowMakesNoSense() {
    assertThat(FallbackReason.ofWire("REASON_OF_TOMORROW"))
        .isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
  }
}
