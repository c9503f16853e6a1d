// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.ext4.Ext4Exception;

/** What it means for a reader that a question about a file system has no answer. */
final class Refusals {
  private Refusals() {}

  /** Of a volume: what it has that is not read here rules all of it out. */
  static FallbackException ofVolume(String device, Ext4Exception e) {
    return of(device, e, FallbackReason.FILE_SYSTEM_UNSUPPORTED);
  }

  /** Of a file. */
  static FallbackException ofFile(String device, Ext4Exception e) {
    return of(device, e, FallbackReason.EXTENTS_UNMAPPABLE);
  }

  private static FallbackException of(String device, Ext4Exception e, FallbackReason unsupported) {
    String detail = device + ": " + e.getMessage();
    return switch (e.kind()) {
      case UNSUPPORTED -> new FallbackException(unsupported, detail, e);
      case XFS -> new FallbackException(FallbackReason.XFS_NEEDS_DATANODE, detail, e);
      case NOT_FOUND -> new FallbackException(FallbackReason.REPLICA_NOT_FOUND, detail, e);
      case DAMAGED -> new FallbackException(FallbackReason.METADATA_UNREADABLE, detail, e);
      case IO ->
          e.getCause() instanceof FallbackException cause
              ? cause
              : new FallbackException(FallbackReason.DEVICE_IO_ERROR, detail, e);
    };
  }
}
