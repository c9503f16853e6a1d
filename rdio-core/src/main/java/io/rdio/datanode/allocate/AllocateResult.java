// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.write.UnregisteredHostException;
import org.jspecify.annotations.Nullable;

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
   * @param unregistered the device that the host has to be registered with first; null for all
   *     other reasons
   * @param doomedKey by which it is registered with that, and will be shut out; 0 if it is not
   */
  record Refused(
      FallbackReason reason, String detail, @Nullable DeviceIdentity unregistered, long doomedKey)
      implements AllocateResult {
    /** For a reason that no registration mends. */
    public Refused(FallbackReason reason, String detail) {
      this(reason, detail, null, 0);
    }

    static Refused of(FallbackException refusal) {
      return refusal instanceof UnregisteredHostException host
          ? new Refused(refusal.reason(), refusal.detail(), host.device(), host.doomedKey())
          : new Refused(refusal.reason(), refusal.detail());
    }
  }
}
