// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.device.Witness;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The file of a volume that its {@link Witness} is written to: {@code <volumeRoot>/rdio/witness}.
 * It has its space from the start of the plugin on, so that a full volume does not stop it. Its
 * nonce is a new one each time that the file is made: the count begins anew with it, also where the
 * volume was taken out and put back while the plugin lived on. Thread-safe.
 */
public final class WitnessFile {
  private static final int BYTES = 4096;

  private final Path file;
  private final long offset;
  private final long nonce;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private long count;

  private WitnessFile(Path file, long offset, long nonce) {
    this.file = file;
    this.offset = offset;
    this.nonce = nonce;
  }

  /**
   * Writes and maps the file.
   *
   * @param nonce that no witness on any copy of this volume ever had: a random one
   */
  static WitnessFile create(Path volumeRoot, long nonce, ExtentMapper mapper)
      throws IOException, FallbackException {
    Path file = volumeRoot.resolve("rdio").resolve("witness");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      write(channel, ByteBuffer.allocate(BYTES));
      channel.force(true);
    }
    return new WitnessFile(file, mapper.extents(file, BYTES).physical(0), nonce);
  }

  /** A new witness, on the device when this returns. */
  public Witness advance() throws IOException {
    synchronized (lock) {
      Witness next = new Witness(offset, nonce, count + 1);
      // In place: the file's extents stay where they were mapped.
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DSYNC)) {
        write(channel, next.encode());
      }
      count++;
      return next;
    }
  }

  private static void write(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes, bytes.position());
    }
  }
}
