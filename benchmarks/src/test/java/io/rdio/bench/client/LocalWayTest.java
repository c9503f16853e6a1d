// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.nio.file.ExtendedOpenOption;
import io.rdio.bench.client.ReadWay.Stream;
import io.rdio.core.testing.Requirements;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Block files, and files of its own, past the page cache. */
class LocalWayTest {
  private static final int BLOCK = 4096;
  private static final Output OUTPUT = new Output(2 * BLOCK, 2 * BLOCK, 1 << 20, 1);

  @TempDir Path folder;

  @BeforeEach
  void hasDirectIo() {
    boolean direct = true;
    try (FileChannel probe =
        FileChannel.open(
            folder.resolve("probe"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            ExtendedOpenOption.DIRECT)) {
      assertThat(probe.isOpen()).isTrue();
    } catch (IOException | UnsupportedOperationException e) {
      direct = false;
    }
    Requirements.require(direct, "the folder for temporary files has no O_DIRECT");
  }

  private static byte[] random(int bytes) {
    byte[] random = new byte[bytes];
    new SplittableRandom(bytes).nextBytes(random);
    return random;
  }

  /** Block files of a file, and where a client JVM would read that from. */
  private LocalWay way(String file, byte[]... blocks) throws IOException {
    String[] paths = new String[blocks.length];
    for (int i = 0; i < blocks.length; i++) {
      paths[i] = Files.write(folder.resolve("blk_" + i), blocks[i]).toString();
    }
    Path written = Files.createDirectories(folder.resolve("written"));
    Path layout = folder.resolve("layout.json");
    new LocalLayout(written.toString(), Map.of(file, List.of(paths))).write(layout);
    return new LocalWay(LocalLayout.read(layout));
  }

  private static byte[] wholly(LocalWay way, String file, int readBytes) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (Stream stream = way.stream(file, readBytes)) {
      for (ByteBuffer read = stream.next(); read != null; read = stream.next()) {
        byte[] bytes = new byte[read.remaining()];
        read.get(bytes);
        all.write(bytes);
      }
    }
    return all.toByteArray();
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] all = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, all, one.length, other.length);
    return all;
  }

  @Test
  void blockFilesAreOneStream() throws IOException {
    byte[] full = random(4 * BLOCK);
    byte[] last = random(BLOCK + 904);
    try (LocalWay way = way("/f", full, last)) {
      for (int readBytes : new int[] {1, BLOCK, 3 * BLOCK, 64 * BLOCK}) {
        assertThat(wholly(way, "/f", readBytes)).as("%d", readBytes).isEqualTo(joined(full, last));
      }
    }
  }

  @Test
  void whatIsWrittenIsReadUntilItIsDeleted() throws IOException {
    try (LocalWay way = way("/f", random(BLOCK))) {
      for (int size : new int[] {2 * BLOCK, BLOCK}) { // the other time over the first one
        try (OutputStream out = way.create("/f-written-0", OUTPUT)) {
          out.write(random(size));
        }
        assertThat(wholly(way, "/f-written-0", 2 * BLOCK)).isEqualTo(random(size));
      }
      assertThat(wholly(way, "/f", BLOCK)).isEqualTo(random(BLOCK));
      way.delete("/f-written-0");
      assertThat(folder.resolve("written")).isEmptyDirectory();
      assertThatExceptionOfType(NoSuchFileException.class)
          .isThrownBy(() -> way.stream("/f-written-0", BLOCK));
    }
  }

  @Test
  void onlyWholePiecesAreWritten() throws IOException {
    try (LocalWay way = way("/f", random(BLOCK));
        OutputStream out = way.create("/g", OUTPUT)) {
      assertThatExceptionOfType(IOException.class).isThrownBy(() -> out.write(random(100)));
      assertThatExceptionOfType(IOException.class).isThrownBy(() -> out.write(1));
    }
  }
}
