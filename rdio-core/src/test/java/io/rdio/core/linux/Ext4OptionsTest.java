// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.device.DeviceIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code /proc/fs/ext4} says of a device. */
final class Ext4OptionsTest {
  private static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 1, "", 0, "/dev/sdz1");

  @TempDir Path ext4;

  private Ext4Options with(String... options) throws IOException {
    Files.write(Files.createDirectories(ext4.resolve("sdz1")).resolve("options"), List.of(options));
    return new Ext4Options(ext4);
  }

  @Test
  void eachLineIsAnOption() throws IOException {
    assertThat(with("rw", "barrier", "data=ordered").of(DEVICE))
        .containsExactly("rw", "barrier", "data=ordered");
  }

  @Test
  void whatHasAJournalSaysWhenItsDataIsWritten() throws IOException {
    assertThat(with("rw", "barrier", "data=ordered").hasJournal(DEVICE)).isTrue();
    assertThat(with("rw", "data=writeback", "barrier").hasJournal(DEVICE)).isTrue();
    assertThat(with("rw", "barrier", "errors=continue").hasJournal(DEVICE)).isFalse();
  }

  @Test
  void deviceThatIsNotMountedIsNotToldOf() {
    assertThatThrownBy(() -> new Ext4Options(ext4).hasJournal(DEVICE))
        .isInstanceOf(NoSuchFileException.class);
  }
}
