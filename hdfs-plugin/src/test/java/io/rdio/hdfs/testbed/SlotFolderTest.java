// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlotFolderTest {
  @TempDir private Path data;

  private Path slot(String folder, String name) throws IOException {
    Path slots = Files.createDirectories(data.resolve("rdio/slots").resolve(folder));
    return Files.createFile(slots.resolve(name));
  }

  @Test
  void aVolumeIsSettledWithItsSlotsFreeAndNoneLent() throws IOException {
    SlotFolder volume = new SlotFolder(data);
    assertThat(volume.isSettled(0, 4096)).as("before the DataNode has begun").isFalse();
    Path lent = slot("leased/40000", "1.2.3.4");
    slot("pool/4096", "5.6");
    slot("pool/8192", "7.8");

    assertThat(volume.leased()).containsExactly(lent);
    assertThat(volume.isSettled(1, 4096)).as("one is lent").isFalse();
    Files.delete(lent);
    assertThat(volume.isSettled(1, 4096)).isTrue();
    assertThat(volume.isSettled(2, 4096)).as("there is one").isFalse();
    assertThat(volume.isSettled(1, 16_384)).as("there is none of this size").isFalse();
  }

  @Test
  void holdLinksAreThoseOfWritesAlone() throws IOException {
    SlotFolder volume = new SlotFolder(data);
    assertThat(volume.held(Duration.ofSeconds(20))).as("before the DataNode has begun").isEmpty();
    Path reads = Files.createDirectories(data.resolve("rdio/pins/120000"));
    Path writes = Files.createDirectories(data.resolve("rdio/pins/20000"));
    Files.createFile(reads.resolve("read.data"));
    assertThat(volume.held(Duration.ofSeconds(20))).isEmpty();

    Path link = Files.createFile(writes.resolve("written.data"));

    assertThat(volume.held(Duration.ofSeconds(20))).containsExactly(link);
  }

  @Test
  void eachDataNodeHasItsVolume() {
    assertThat(SlotFolder.of(List.of(Host.DATANODE, Host.DATANODE2)))
        .containsExactly(
            new SlotFolder(Path.of("/run/volumes/whole/data")),
            new SlotFolder(Path.of("/run/volumes/datanode2/data")));
  }
}
