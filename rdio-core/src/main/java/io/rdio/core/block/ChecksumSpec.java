// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import org.jspecify.annotations.Nullable;

/**
 * How a block's meta file protects its block file: a header, then one big-endian 4-byte CRC for
 * each chunk.
 */
public final class ChecksumSpec {
  /** Bytes of one CRC in the meta file. */
  public static final int CRC_BYTES = 4;

  /** Types by the number that the meta header has for them. */
  public enum Type {
    NULL(0),
    CRC32(1),
    CRC32C(2);

    private final int id;

    Type(int id) {
      this.id = id;
    }

    /** Number in the meta header. */
    public int id() {
      return id;
    }

    /** The type with this number; refuses any other with CHECKSUM_UNSUPPORTED. */
    public static Type of(int id) throws FallbackException {
      for (Type type : values()) {
        if (type.id == id) {
          return type;
        }
      }
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED, "checksum type " + id + " in the meta header");
    }
  }

  private final Type type;
  private final int bytesPerChecksum;
  private final int headerLength;

  /**
   * @param type the checksum algorithm
   * @param bytesPerChecksum chunk size in bytes, at least 1 (any value for {@link Type#NULL})
   * @param headerLength offset of the first CRC in the meta file, in bytes
   */
  public ChecksumSpec(Type type, int bytesPerChecksum, int headerLength) {
    this.type = type;
    this.bytesPerChecksum = bytesPerChecksum;
    this.headerLength = headerLength;
  }

  /** The checksum algorithm. */
  public Type type() {
    return type;
  }

  /** Chunk size in bytes. */
  public int bytesPerChecksum() {
    return bytesPerChecksum;
  }

  /** Offset of the first CRC in the meta file, in bytes. */
  public int headerLength() {
    return headerLength;
  }

  /** Length that the meta file of a block of this length has at least, in bytes. */
  public long metaLength(long blockLength) {
    if (type == Type.NULL) {
      return headerLength;
    }
    long chunks = (blockLength + bytesPerChecksum - 1) / bytesPerChecksum;
    return headerLength + chunks * CRC_BYTES;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof ChecksumSpec)) {
      return false;
    }
    ChecksumSpec spec = (ChecksumSpec) other;
    return type == spec.type
        && bytesPerChecksum == spec.bytesPerChecksum
        && headerLength == spec.headerLength;
  }

  @Override
  public int hashCode() {
    return (type.hashCode() * 31 + bytesPerChecksum) * 31 + headerLength;
  }

  @Override
  public String toString() {
    return type + " of " + bytesPerChecksum + " bytes each, from " + headerLength + " on";
  }
}
