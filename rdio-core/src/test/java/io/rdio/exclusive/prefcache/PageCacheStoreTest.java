// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.linux.Libc;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel is told, in which order; of a file of zeros. */
class PageCacheStoreTest {
  private static final int BLOCK = 4096;
  private static final int PIECE = PageCacheStore.PIECE_BYTES / BLOCK;
  private static final long BYTES = 32L << 20;
  private static final long OFFSET = 1 << 20;

  /** Tells the C library, and remembers which pieces nobody has waited for. */
  private static final class Recorder implements PageCacheCalls {
    final ArrayDeque<Long> underWay = new ArrayDeque<>();
    final List<Long> advised = new ArrayList<>();
    int most;
    boolean failing;

    @Override
    public int posix_fadvise(int fd, long offset, long length, int advice) {
      if (advice == FADV_WILLNEED) {
        advised.add(offset);
        underWay.add(offset + length - 1);
        most = Math.max(most, underWay.size());
      }
      return LIBC.posix_fadvise(fd, offset, length, advice);
    }

    @Override
    public long pread(int fd, ByteBuffer to, long count, long offset) {
      assertThat(offset).as("the oldest piece's last byte").isEqualTo(underWay.remove());
      return failing ? LIBC.pread(-1, to, count, offset) : LIBC.pread(fd, to, count, offset);
    }
  }

  @TempDir private Path temp;
  private final Recorder calls = new Recorder();
  private StorageDevice device;

  @BeforeEach
  void file() throws IOException {
    Path file = temp.resolve("image");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(OFFSET + BYTES);
    }
    device =
        new StorageDevice(0, Path.of("/dev/loop7"), 0, BYTES, file, OFFSET, 128 << 10, "", "", "");
  }

  @Test
  void fewPiecesAreUnderWay() throws IOException {
    try (PageCacheStore store = new PageCacheStore(BLOCK, List.of(device), calls)) {
      store.fetch(0, 0, 7 * PIECE);
      for (int i = 7; i < 20; i++) {
        store.fetch(0, (long) i * PIECE, PIECE);
      }
    }
    assertThat(calls.most).isEqualTo(PageCacheStore.PIECES_MAX);
    assertThat(calls.underWay).as("nobody waits for the last ones").hasSize(4);
    assertThat(calls.advised).hasSize(20);
    for (int i = 0; i < 20; i++) {
      assertThat(calls.advised.get(i)).isEqualTo(OFFSET + (long) i * PageCacheStore.PIECE_BYTES);
    }
  }

  @Test
  void aDiskThatFailsIsTold() throws IOException {
    try (PageCacheStore store = new PageCacheStore(BLOCK, List.of(device), calls)) {
      calls.failing = true;
      assertThatThrownBy(() -> store.fetch(0, 0, 5 * PIECE))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot read " + device.backingFile() + " at ")
          .hasMessageContaining(Libc.LIBC.strerror(9));
      calls.failing = false;
      store.fetch(0, 0, 5 * PIECE);
    }
    assertThat(calls.most).isEqualTo(PageCacheStore.PIECES_MAX);
  }
}
