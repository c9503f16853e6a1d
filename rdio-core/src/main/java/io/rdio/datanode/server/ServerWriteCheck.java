// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.rdio.core.wire.CommitAsk;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.proto.AbortRequest;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.write.SlotEnd;
import java.util.List;

/** Bounds on what a request to the write plane may contain, before anything is done with it. */
final class ServerWriteCheck {
  /** Bytes of an allocation beside its token. */
  static final int ALLOCATE_BYTES_MAX = 8 << 10;

  /** Bytes of a commit's head, which is kept until the commit is over. */
  static final int HEAD_BYTES_MAX = 4 << 10;

  private ServerWriteCheck() {}

  /** Runs what refuses a message by an {@link IllegalArgumentException}. */
  @FunctionalInterface
  interface Decoding<T> {
    T decode();
  }

  static <T> T decode(Decoding<T> decoding) throws ServerRequestException {
    try {
      return decoding.decode();
    } catch (IllegalArgumentException e) {
      throw ServerRequestException.invalid(String.valueOf(e.getMessage()));
    }
  }

  static SlotAsk ask(AllocateRequest request) throws ServerRequestException {
    ServerRequestCheck.tokenSize(request.getBlock().getTokenIdentifier());
    int rest = request.getSerializedSize() - request.getBlock().getTokenIdentifier().size();
    size("an allocation without its token", rest, ALLOCATE_BYTES_MAX);
    ServerRequestCheck.block(request.getBlock().getBlock());
    return decode(() -> WriteCodec.decode(request));
  }

  static CommitAsk head(CommitHead head) throws ServerRequestException {
    size("a commit's head", head.getSerializedSize(), HEAD_BYTES_MAX);
    ServerRequestCheck.block(head.getBlock());
    return decode(() -> WriteCodec.decode(head));
  }

  private static void size(String what, int bytes, int max) throws ServerRequestException {
    if (bytes > max) {
      throw ServerRequestException.invalid(what + " has " + bytes + " bytes; at most " + max);
    }
  }

  static long[] leaseIds(List<Long> ids) throws ServerRequestException {
    return ServerRequestCheck.leaseIds(ids, WriteCodec.LEASES_MAX);
  }

  static List<SlotEnd> ends(AbortRequest request) throws ServerRequestException {
    return decode(
        () -> {
          WriteCodec.requireAborts(request.getLeaseIdsCount(), request.getEndsCount());
          return request.getEndsList().stream().map(SlotEnd::of).toList();
        });
  }
}
