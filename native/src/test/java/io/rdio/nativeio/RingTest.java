// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The binding on a regular file; what the calls do is tested in C. */
final class RingTest {
  private static final int BLOCK = 4096;

  @TempDir Path directory;

  @Test
  void readsSeveralAtOnce() throws Exception {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    long ring = Ring.create(2);
    Assumptions.assumeTrue(
        ring > 0 || "1".equals(System.getenv("RDIO_REQUIRE_ALL")),
        () -> "no io_uring here: " + Errno.text(ring));
    assertThat(Ring.isUring(ring)).isTrue();
    byte[] content = new byte[2 * BLOCK];
    content[0] = 1;
    content[BLOCK] = 2;
    int fd = DirectReader.open(Files.write(directory.resolve("image"), content).toString());
    ByteBuffer data = ByteBuffer.allocateDirect(3 * BLOCK).alignedSlice(BLOCK);
    ByteBuffer done =
        ByteBuffer.allocateDirect(2 * Ring.COMPLETION_BYTES).order(ByteOrder.nativeOrder());
    long address = DirectReader.addressOf(data);

    assertThat(Ring.prepare(ring, fd, address, BLOCK, BLOCK, 70, Ring.UNPINNED)).isZero();
    assertThat(Ring.pin(ring, 5, address, 2 * BLOCK)).isZero();
    assertThat(Ring.prepare(ring, fd, address + BLOCK, BLOCK, 0, 80, 5)).isZero();
    assertThat(Ring.enter(ring, 2, -1, DirectReader.addressOf(done), 2)).isEqualTo(2);

    assertThat(done.getLong(0) + done.getLong(Ring.COMPLETION_BYTES)).isEqualTo(150);
    assertThat(done.getLong(8)).isEqualTo(BLOCK);
    assertThat(done.getLong(Ring.COMPLETION_BYTES + 8)).isEqualTo(BLOCK);
    assertThat(data.get(0)).isEqualTo((byte) 2);
    assertThat(data.get(BLOCK)).isEqualTo((byte) 1);
    Ring.destroy(ring);
    assertThat(DirectReader.close(fd)).isZero();
  }
}
