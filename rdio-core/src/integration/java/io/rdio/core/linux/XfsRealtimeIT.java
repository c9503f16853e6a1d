// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.FallbackReason.EXTENTS_UNMAPPABLE;
import static io.rdio.core.FallbackReason.FILE_SYSTEM_UNSUPPORTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Files of xfs's realtime section: FIEMAP tells offsets on another device as if they were on the
 * one that is mounted. Skipped where the kernel is built without it (CONFIG_XFS_RT).
 */
@Tag("loop")
final class XfsRealtimeIT {
  private static final long REALTIME_BYTES = 64L << 20;

  /** How mount(8) says ENOSYS, which is the answer of a kernel that is built without it. */
  private static final String NOT_BUILT = "Function not implemented";

  @Test
  void volumeIsRefusedAndEachFileTooWereItNot() throws Exception {
    Requirements.requireLoop("xfs");
    try (LoopDevice realtime = LoopDevice.create(REALTIME_BYTES);
        LoopFileSystem fs = withRealtime(realtime.node())) {
      Path file = Files.write(fs.mountPoint().resolve("blk_1"), new byte[1 << 20]);

      FallbackException volume =
          catchThrowableOfType(
              FallbackException.class, () -> VolumeDevice.identify(fs.mountPoint()));
      FallbackException extents =
          catchThrowableOfType(FallbackException.class, () -> Fiemap.extents(file, 1 << 20));

      assertThat(volume.reason()).isEqualTo(FILE_SYSTEM_UNSUPPORTED);
      assertThat(volume.detail()).contains("realtime section");
      assertThat(extents.reason()).isEqualTo(EXTENTS_UNMAPPABLE);
      assertThat(extents.detail()).contains("realtime section").contains(file.toString());
    }
  }

  @Test
  void fileOfAnXfsWithoutOneIsMapped() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("xfs")) {
      Path file = Files.write(fs.mountPoint().resolve("blk_1"), new byte[1 << 20]);

      assertThat(FsUuid.mayHaveRealtimeSection(fs.mountPoint())).isFalse();
      assertThat(Fiemap.extents(file, 1 << 20).length()).isEqualTo(1 << 20);
    }
  }

  /** All of its files lie in its realtime section. */
  private static LoopFileSystem withRealtime(Path device) throws IOException {
    try {
      return LoopFileSystem.create(
          "xfs",
          LoopFileSystem.XFS_BYTES,
          List.of("-d", "rtinherit=1", "-r", "rtdev=" + device),
          "rtdev=" + device);
    } catch (IOException e) {
      if (!e.toString().contains(NOT_BUILT)) {
        throw e;
      }
      return Assumptions.abort("this kernel mounts no xfs with a realtime section: " + e);
    }
  }
}
