// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The binding on a regular file; what the calls do is tested in C. */
final class DirectReaderTest {
  private static final int BLOCK = 4096;

  @TempDir Path directory;
  private int fd;

  @BeforeEach
  void open() throws Exception {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    byte[] content = new byte[3 * BLOCK];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i / BLOCK + i);
    }
    fd = DirectReader.open(Files.write(directory.resolve("image"), content).toString());
    assertThat(fd).isNotNegative();
  }

  @AfterEach
  void close() {
    assertThat(DirectReader.close(fd)).isZero();
  }

  @Test
  void readsIntoTheBufferMemory() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK);

    int read = DirectReader.pread(fd, DirectReader.addressOf(buffer), BLOCK, 2 * BLOCK);

    assertThat(read).isEqualTo(BLOCK);
    assertThat(buffer.get(0)).isEqualTo((byte) 2);
    assertThat(buffer.get(BLOCK - 1)).isEqualTo((byte) 1);
  }

  @Test
  void addressIsThatOfTheSlice() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(100);

    assertThat(DirectReader.addressOf(buffer.slice(7, 10)) - DirectReader.addressOf(buffer))
        .isEqualTo(7);
    assertThat(DirectReader.addressOf(ByteBuffer.allocate(1))).isZero();
  }

  @Test
  void errorsAreNegativeErrno() {
    assertThat(DirectReader.open("/nonexistent")).isEqualTo(-Errno.ENOENT);
    assertThat(DirectReader.diskSequence(fd)).isEqualTo(-Errno.ENOTTY);
    assertThat(Errno.text(DirectReader.pread(fd, 0, BLOCK, 0))).isEqualTo("EFAULT: bad address");
    assertThat(Errno.text(DirectReader.pread(fd, 0, -1, 0))).startsWith("EINVAL");
    assertThat(Errno.text(-4095)).isEqualTo("errno 4095");
  }

  @Test
  void readingAllocatesNothing() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    ByteBuffer buffer = ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(BLOCK);
    long id = Thread.currentThread().getId();
    readThousandTimes(buffer);

    long before = threads.getThreadAllocatedBytes(id);
    readThousandTimes(buffer);

    // Less than a byte for each: the two readings themselves may allocate.
    assertThat(threads.getThreadAllocatedBytes(id) - before).isLessThan(1000);
  }

  private void readThousandTimes(ByteBuffer buffer) {
    for (int i = 0; i < 1000; i++) {
      if (DirectReader.pread(fd, DirectReader.addressOf(buffer), BLOCK, 0) != BLOCK) {
        throw new AssertionError("short read");
      }
    }
  }

  @Test
  void bootTimeIsTheUptime() throws Exception {
    double uptime = Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ", -1)[0]);

    assertThat(DirectReader.bootTimeNanos() / 1e9).isBetween(uptime - 0.01, uptime + 60);
  }
}
