// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The first bytes of a meta file: version, checksum type, chunk size; big-endian. */
public final class MetaHeader {
  /** Bytes of the header: a short, a byte and an int. */
  public static final int LENGTH = 7;

  private static final int VERSION = 1;

  private MetaHeader() {}

  /** Writes the header to a buffer of the usual, big-endian, order. */
  public static void write(ChecksumSpec spec, ByteBuffer target) {
    target.putShort((short) VERSION).put((byte) spec.type().id()).putInt(spec.bytesPerChecksum());
  }

  /** Reads the header; refuses what it does not know with CHECKSUM_UNSUPPORTED. */
  public static ChecksumSpec read(Path metaFile) throws FallbackException, IOException {
    ByteBuffer header = ByteBuffer.allocate(LENGTH);
    try (SeekableByteChannel channel = Files.newByteChannel(metaFile)) {
      while (header.hasRemaining()) {
        if (channel.read(header) < 0) {
          throw new EOFException(metaFile + " ends in its header, at " + header.position());
        }
      }
    }
    header.flip();
    int version = header.getShort();
    ChecksumSpec.Type type = ChecksumSpec.Type.of(header.get());
    int bytesPerChecksum = header.getInt();
    if (version != VERSION) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED, "version " + version + " of " + metaFile);
    }
    if (type != ChecksumSpec.Type.NULL && bytesPerChecksum < 1) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED,
          "chunk size " + bytesPerChecksum + " in " + metaFile);
    }
    return new ChecksumSpec(type, bytesPerChecksum, LENGTH);
  }
}
