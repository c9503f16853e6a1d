// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calls and their errors; what they do to a device is seen in DurableFilesIT. */
final class DurableFilesTest {
  @TempDir Path directory;

  @Test
  void allocationExtendsTheFile() throws Exception {
    Path file = Files.writeString(directory.resolve("f"), "x");

    DurableFiles.allocate(file, 8192, 4096);

    assertThat(Files.size(file)).isEqualTo(12288);
  }

  @Test
  void cutFileEndsWhereItWasCutAndNoneGetsLonger() throws Exception {
    Path file = Files.writeString(directory.resolve("f"), "0123456789");

    DurableFiles.cut(file, 4);
    assertThat(file).hasContent("0123");
    DurableFiles.cut(file, 7);
    assertThat(file).hasContent("0123");
  }

  @Test
  void errorsNameTheCallAndTheFile() {
    Path missing = directory.resolve("missing");

    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> DurableFiles.syncFile(missing));
    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> DurableFiles.allocate(missing, 0, 1))
        .withMessage(missing + ": open: No such file or directory");
    assertThatExceptionOfType(FileSystemException.class)
        .isThrownBy(() -> DurableFiles.allocate(directory, 0, 1))
        .withMessageContaining("open: Is a directory");
  }

  @Test
  void impossibleAllocationIsAnError() throws Exception {
    Path file = Files.writeString(directory.resolve("f"), "x");

    assertThatExceptionOfType(FileSystemException.class)
        .isThrownBy(() -> DurableFiles.allocate(file, 0, -1))
        .withMessage(file + ": fallocate: Invalid argument");
  }
}
