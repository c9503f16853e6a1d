// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.nio.file.ExtendedOpenOption;
import io.rdio.core.testing.Requirements;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files are taken, and what they are then. */
class LocalFlashFileTest {
  private static final int BYTES = 1 << 20;

  @TempDir Path folder;

  @BeforeAll
  static void needsTheLibrary() {
    Requirements.require(NativeLibrary.availability().isAvailable(), "librdio is missing");
  }

  @BeforeEach
  void needsDirectIo() throws IOException {
    Path probe = folder.resolve("probe");
    boolean direct;
    try (FileChannel channel =
        FileChannel.open(
            probe,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            ExtendedOpenOption.DIRECT)) {
      direct = channel.write(memory(4096, 0)) > 0;
    } catch (IOException | UnsupportedOperationException e) {
      direct = false;
    }
    Files.deleteIfExists(probe);
    Assumptions.assumeTrue(direct, "the folder for temporary files has no O_DIRECT");
  }

  private Path path() {
    return folder.resolve("flash");
  }

  private static ByteBuffer memory(int bytes, int seed) {
    ByteBuffer memory = ByteBuffer.allocateDirect(bytes + 4096).alignedSlice(4096).slice(0, bytes);
    for (int i = 0; i < bytes; i++) {
      memory.put(i, (byte) (i * 31 + i / 251 + seed));
    }
    return memory;
  }

  @Test
  void hasWhatIsWrittenAndIsForItsOwnerAlone() throws Exception {
    try (FlashFile file = LocalFlashFile.open(path(), BYTES)) {
      assertThat(file.sizeBytes()).isEqualTo(BYTES);
      assertThat(Files.size(path())).isEqualTo(BYTES);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
          .isEqualTo("rw-------");
      file.write(256 << 10, memory(64 << 10, 5));
      ByteBuffer got = memory(64 << 10, 0);
      file.read(256 << 10, got);
      assertThat(got.flip()).isEqualTo(memory(64 << 10, 5));
      assertThatThrownBy(() -> file.read(BYTES, memory(4096, 0))).isInstanceOf(IOException.class);
    }
    assertThat(Files.size(path())).as("in the end").isZero();
  }

  @Test
  void interruptedReaderHarmsNobody() throws Exception {
    try (FlashFile file = LocalFlashFile.open(path(), BYTES)) {
      Thread.currentThread().interrupt();
      file.read(0, memory(4096, 0));
      assertThat(Thread.interrupted()).isTrue();
      file.write(8192, memory(4096, 1));
      file.read(8192, memory(4096, 0));
    }
  }

  @Test
  void takesItsOwnOfBeforeAndMakesItItsOwnSize() throws Exception {
    byte[] before = new byte[3 * BYTES];
    byte[] magic = "RDIO flash tier\n".getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(magic, 0, before, 0, magic.length);
    Files.write(path(), before);
    Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-r--r--"));
    for (int i = 0; i < 2; i++) {
      LocalFlashFile.open(path(), BYTES).close();
    }
    try (FlashFile file = LocalFlashFile.open(path(), BYTES)) {
      assertThat(Files.size(path())).isEqualTo(file.sizeBytes());
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
          .isEqualTo("rw-------");
    }
  }

  @Test
  void leavesWhatSomebodyMayNeed() throws Exception {
    for (int length : new int[] {1, 100, 8192}) {
      byte[] precious = new byte[length];
      Files.write(path(), precious);
      assertRefused(path(), "not of a flash tier");
      assertThat(Files.readAllBytes(path())).isEqualTo(precious);
    }
  }

  @Test
  void refusesLinksAndWhatIsNoFile() throws Exception {
    Path real = folder.resolve("real");
    Files.createFile(real);
    Files.createSymbolicLink(path(), real);
    assertRefused(path(), "symbolic links");
    assertThat(Files.size(real)).isZero();
    Path hard = folder.resolve("hard");
    Files.createLink(hard, real);
    assertRefused(hard, "hard link");
    assertRefused(folder, "not a regular file");
    assertRefused(Path.of("/dev/null"), "not a regular file");
    Path dangling = folder.resolve("dangling");
    Files.createSymbolicLink(dangling, folder.resolve("nowhere"));
    assertRefused(dangling, "symbolic links");
    assertThat(folder.resolve("nowhere")).doesNotExist();
    assertRefused(folder.resolve("no/folder"), "no/folder");
  }

  @Test
  void refusesAnotherUsersFile() throws Exception {
    Files.createFile(path());
    Requirements.require(
        Integer.valueOf(0).equals(Files.getAttribute(path(), "unix:uid")), "chown needs root");
    Files.setAttribute(path(), "unix:uid", 12345);
    assertRefused(path(), "belongs to user 12345");
  }

  @Test
  void hasItAlone() throws Exception {
    try (FlashFile first = LocalFlashFile.open(path(), BYTES)) {
      assertRefused(path(), "in use");
      assertRefused(folder.resolve(".").resolve("flash"), "in use");
      Path alias = folder.resolve("alias");
      Files.createSymbolicLink(alias, folder);
      assertThatThrownBy(() -> LocalFlashFile.open(alias.resolve("flash"), BYTES))
          .hasMessageContaining("in use");
      first.write(4096, memory(4096, 1));
      assertThat(Files.readAllBytes(path())).hasSize(BYTES); // closes a descriptor of it
      assertThat(LockProbe.isRefused(lock())).as("locked for another process").isTrue();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(lock())))
          .isEqualTo("rw-------");
    }
    assertThat(LockProbe.isRefused(lock())).isFalse();
    LocalFlashFile.open(path(), BYTES).close();
  }

  private Path lock() {
    return folder.resolve("flash.lock");
  }

  @Test
  void secondCloseDoesNotEndTheNextOnesLock() throws Exception {
    FlashFile first = LocalFlashFile.open(path(), BYTES);
    first.close();
    try (FlashFile next = LocalFlashFile.open(path(), BYTES)) {
      first.close();
      assertRefused(path(), "in use");
      assertThat(Files.size(path())).isEqualTo(next.sizeBytes());
    }
  }

  @Test
  void refusesALockThatIsALink() throws Exception {
    Path real = folder.resolve("real");
    Files.createFile(real);
    Files.createSymbolicLink(lock(), real);
    assertRefused(path(), "symbolic links");
    assertThat(path()).doesNotExist();
  }

  @Test
  void tooLittleSpaceLeavesAnEmptyFileThatTheNextStartTakes() throws Exception {
    LocalFlashFile.open(path(), BYTES).close();
    Files.write(path(), "RDIO flash tier\n".getBytes(StandardCharsets.US_ASCII));
    assertRefused(path(), 1L << 60, " bytes more, and its file system has ");
    assertThat(Files.size(path())).isZero();
    LocalFlashFile.open(path(), BYTES).close();
  }

  private static void assertRefused(Path path, String why) {
    assertRefused(path, BYTES, why);
  }

  private static void assertRefused(Path path, long bytes, String why) {
    assertThatThrownBy(() -> LocalFlashFile.open(path, bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(path.normalize().toString())
        .hasMessageContaining(why);
  }
}
