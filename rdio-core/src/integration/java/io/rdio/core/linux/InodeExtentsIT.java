// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.DeviceViews;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are opened by their inodes, on ext4 and xfs. */
@Tag("loop")
final class InodeExtentsIT {
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void fileThatSomebodyHasALeaseOnIsMissingForThatTime(String fsType) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      Path file = Files.write(fs.mountPoint().resolve("file"), new byte[4096]);
      long inode = (Long) Files.getAttribute(file, "unix:ino");
      int generation = generation(file);
      DeviceViews.View device = new DeviceViews().named(fs.device());
      InodeExtents extents =
          new InodeExtents(
              MountedFileSystem.on(device.major(), device.minor()).orElseThrow(),
              device.major(),
              device.minor());
      try (OpenFile opened = OpenFile.forReading(file)) {
        assertThat(opened.isAlone()).isTrue();
        assertThat(extents.window(inode, generation, 0, 4096, true)).isEmpty();
      }
      assertThat(extents.window(inode, generation, 0, 4096, true)).isPresent();
    }
  }

  /** FS_IOC_GETVERSION tells it, on both file systems. */
  private static int generation(Path file) throws IOException {
    return Integer.parseUnsignedInt(Command.run("lsattr", "-v", file.toString()).split(" +", 2)[0]);
  }
}
