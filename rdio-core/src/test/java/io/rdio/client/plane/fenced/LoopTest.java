// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which loop devices a program left, as the kernel lists them. */
final class LoopTest {
  @TempDir Path directory;

  private void list(String name, String file, int autoclear) throws IOException {
    Path loop = Files.createDirectories(directory.resolve("block").resolve(name).resolve("loop"));
    Files.writeString(loop.resolve("backing_file"), file + "\n", ISO_8859_1);
    Files.writeString(loop.resolve("autoclear"), autoclear + "\n", ISO_8859_1);
  }

  @Test
  void leftAreThoseOverFilesOfTheFolderThatNobodyDetaches() throws Exception {
    Path blocks = Files.createDirectories(directory.resolve("block"));
    Path folder = Files.createDirectories(directory.resolve("copy-1")).toRealPath();
    list("loop0", folder + "/image", 0);
    list("loop1", folder + "/image", 1);
    list("loop2", folder + "2/image", 0);
    list("loop3", "/of somebody else \377", 0);
    Files.createDirectories(blocks.resolve("loop4"));
    list("loop12", folder + "/image (deleted)", 0);
    list("sda", folder + "/image", 0);
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
    assertThat(Loop.left(blocks, link.resolve("copy-1")))
        .containsExactlyInAnyOrder(Path.of("/dev/loop0"), Path.of("/dev/loop12"));
  }
}
