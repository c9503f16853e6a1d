// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is on the device when the power fails: a copy of it, taken while it is mounted. */
@Tag("loop")
final class DurableFilesIT {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"ext4, defaults", "xfs, nouuid"})
  void syncedFilesAndNamesOutliveTheHost(String fsType, String mountOptions) throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create(fsType)) {
      Path side = Files.createDirectory(fs.mountPoint().resolve("side"));
      Command.run("sync", "--file-system", fs.mountPoint().toString());
      Path file = Files.writeString(fs.mountPoint().resolve("blk_1"), "block");
      Files.createLink(side.resolve("pin"), file);
      DurableFiles.syncFile(file);
      DurableFiles.syncDirectory(side);
      Files.writeString(fs.mountPoint().resolve("blk_2"), "never synced");

      try (LoopDevice afterwards = copyOf(fs.device());
          LoopFileSystem recovered = LoopFileSystem.existing(afterwards.node(), mountOptions)) {
        assertThat(recovered.mountPoint().resolve("side/pin")).hasContent("block");
        assertThat(recovered.mountPoint().resolve("blk_1")).hasContent("block");
        // The control: what was not synced is not there, name or content.
        Path lost = recovered.mountPoint().resolve("blk_2");
        assertThat(Files.exists(lost) ? Files.readString(lost) : "").isEmpty();
      }
    }
  }

  /** Read past the page cache, which holds more than the device does. */
  private LoopDevice copyOf(Path device) throws IOException {
    Path image = directory.resolve("image");
    Command.run("dd", "if=" + device, "of=" + image, "bs=1M", "iflag=direct", "conv=sparse");
    return LoopDevice.attach(image);
  }
}
