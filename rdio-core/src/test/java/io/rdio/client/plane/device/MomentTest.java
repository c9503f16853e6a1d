// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metadata that is met while it is written. */
final class MomentTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private final ManualClock clock = new ManualClock();
  private final DeviceCounters counters = new DeviceCounters();
  private PlaneImage image;
  private LocatedStorage storage;
  private Runnable onPause = () -> {};

  @BeforeEach
  void open() throws Exception {
    Ext4Image.requireTools();
    image = PlaneImage.fit(directory);
    image.checkpoint();
    image.show();
    LiveVolume live =
        new LiveVolume(
            image.device(),
            image.device(),
            OpenVolume.open(image.device(), counters),
            clock,
            counters) {
          @Override
          void pause(long nanos) {
            onPause.run();
          }
        };
    storage = new LocatedStorage(live, PlaneImage.STORAGE, "/data", PlaneImage.owners());
  }

  @Test
  void aDescriptorThatWasMetHalfWrittenIsReadAgain() throws Exception {
    int checksum = descriptorChecksumAt();
    byte whole = image.bytes()[checksum];
    image.bytes()[checksum] ^= 1;
    onPause = () -> image.bytes()[checksum] = whole;
    assertThat(storage.resolve(PlaneImage.BLOCK).found().blockLength())
        .isEqualTo(PlaneImage.BLOCK_BYTES);
    assertThat(counters.resolvesAgain.sum()).isEqualTo(1);
  }

  @Test
  void aDescriptorThatStaysBrokenRefuses() throws Exception {
    image.bytes()[descriptorChecksumAt()] ^= 1;
    assertThatThrownBy(() -> storage.resolve(PlaneImage.BLOCK))
        .hasMessageContaining("METADATA_UNREADABLE");
  }

  /** By debugfs, so that the log knows nothing of it. */
  @Test
  void aNameThatIsNotThereIsLookedForOnTheDeviceOnce() throws Exception {
    String name = PlaneImage.DIRECTORY + "/blk_1";
    long inode =
        OpenVolume.open(image.device(), new DeviceCounters()).volume().resolve(name).number();
    image.change("unlink " + name);
    image.show();
    assertThatThrownBy(() -> storage.resolve(PlaneImage.BLOCK))
        .hasMessageContaining("REPLICA_NOT_FOUND");
    assertThat(counters.resolvesAgain.sum()).as("once").isEqualTo(1);

    image.change("ln <" + inode + "> " + name);
    image.show();
    assertThat(storage.resolve(PlaneImage.BLOCK).found().blockLength())
        .isEqualTo(PlaneImage.BLOCK_BYTES);
    assertThat(counters.resolvesAgain.sum()).as("it was kept as it was").isEqualTo(2);
  }

  /** Of the first group's descriptor, which lies behind the superblock. */
  private static int descriptorChecksumAt() {
    return 2 * 1024 + 0x1E;
  }
}
