// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import java.util.OptionalInt;

/**
 * The versions of the metadata plane's protocol that one end speaks: all from {@code min} to {@code
 * max}. Client and DataNode use the highest that both speak, so each may be upgraded before the
 * other.
 *
 * <p>Nobody vouches for what the other end says it speaks: whoever listens on the port can claim to
 * know old versions only. What an old version lacks in security is therefore had by raising {@code
 * min}, never by hoping for {@code max}.
 *
 * @param min at least 1
 * @param max at least {@code min}
 */
public record ProtocolRange(int min, int max) {
  /** What this code speaks. */
  public static final ProtocolRange SUPPORTED =
      new ProtocolRange(ProtocolVersion.OLDEST, ProtocolVersion.CURRENT);

  public ProtocolRange {
    if (min < 1 || max < min) {
      throw new IllegalArgumentException(
          "protocol versions " + min + " to " + max + "; 1 or more needed, in this order");
    }
  }

  /** Whether this end speaks a version. */
  public boolean contains(int version) {
    return version >= min && version <= max;
  }

  /** The highest version that both ends speak; empty where there is none. */
  public OptionalInt highestCommon(ProtocolRange other) {
    int highest = Math.min(max, other.max);
    return highest >= Math.max(min, other.min) ? OptionalInt.of(highest) : OptionalInt.empty();
  }

  /** What a client says it speaks; one of version 1 names that version only. */
  public static ProtocolRange of(HelloRequest request) {
    return lenient(request.getProtocolVersionMin(), request.getProtocolVersion());
  }

  /** What a DataNode says it speaks; one of version 1 names that version only. */
  public static ProtocolRange of(HelloReply reply) {
    return reply.getProtocolVersionMax() == 0
        ? lenient(0, reply.getProtocolVersion())
        : lenient(reply.getProtocolVersionMin(), reply.getProtocolVersionMax());
  }

  private static ProtocolRange lenient(int min, int max) {
    int sane = Math.max(1, max);
    return new ProtocolRange(min < 1 || min > sane ? sane : min, sane);
  }

  @Override
  public String toString() {
    return min == max ? "version " + max : "versions " + min + " to " + max;
  }
}
