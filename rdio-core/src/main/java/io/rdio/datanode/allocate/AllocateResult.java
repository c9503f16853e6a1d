// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;

/** The answer to an {@link AllocateCommand}. */
public sealed interface AllocateResult {
  /** A slot and the lease on it, whose term began when this was made. */
  record Granted(WriteGrantData grant) implements AllocateResult {}

  /**
   * Why there is none. Nothing is left of the request, but perhaps a slot in quarantine.
   *
   * @param reason TOKEN_REFUSED, ENCRYPTION_REQUIRED, DATANODE_NOT_READY, STORAGE_UNSUPPORTED,
   *     FILE_SYSTEM_UNSUPPORTED, DEVICE_UNSUPPORTED, CHECKSUM_UNSUPPORTED, REPLICA_CHANGED,
   *     SLOTS_EXHAUSTED, WRITE_UNFENCED, EXTENTS_UNMAPPABLE, VOLUME_STALLED, DATANODE_BUSY,
   *     PIN_FAILED (an error of the disk or of HDFS) or INTERNAL_ERROR
   */
  record Refused(FallbackReason reason, String detail) implements AllocateResult {
    static Refused of(FallbackException refusal) {
      return new Refused(refusal.reason(), refusal.detail());
    }
  }
}
