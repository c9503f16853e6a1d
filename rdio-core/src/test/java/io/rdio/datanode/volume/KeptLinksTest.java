// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which pinned files have a link by which they are kept. */
final class KeptLinksTest {
  @TempDir Path root;
  private Path block;
  private Path pin;

  @BeforeEach
  void pin() throws IOException {
    block = Files.write(root.resolve("block"), new byte[100]);
    pin = Files.createLink(root.resolve("pin"), block);
  }

  private Path keep() throws IOException {
    Path folder = Files.createDirectories(KeptLinks.folder(root));
    return Files.createLink(folder.resolve("kept"), block);
  }

  private KeptLinks find() throws IOException {
    return KeptLinks.find(root, List.of(pin, root.resolve("pin that went meanwhile")));
  }

  @Test
  void folderIsBesideThePins() {
    assertThat(KeptLinks.folder(root)).isEqualTo(root.resolve("rdio/slots/kept"));
  }

  @Test
  void fileOfTwoNamesThatIsKeptHasOne() throws IOException {
    keep();
    Files.delete(block);
    assertThat(LinkedFile.of(pin).bytes()).isEqualTo(100);
    assertThat(find().has(LinkedFile.of(pin))).isTrue();
  }

  @Test
  void blockThatIsThereIsNotLookedFor() throws IOException {
    keep();
    assertThat(LinkedFile.of(pin).names()).isEqualTo(3);
    assertThat(find().has(LinkedFile.of(pin))).isFalse();
  }

  @Test
  void otherNameNeedNotBeOurs() throws IOException {
    assertThat(find().has(LinkedFile.of(pin))).as("without such a folder").isFalse();
    Files.write(Files.createDirectories(KeptLinks.folder(root)).resolve("kept"), new byte[1]);
    assertThat(find().has(LinkedFile.of(pin))).isFalse();
  }

  /** As while the links of what is kept are taken away: the other name is HDFS's by then. */
  @Test
  void linkThatWentSinceThenIsNone() throws IOException {
    Path link = keep();
    Files.delete(block);
    KeptLinks kept = find();
    Files.createLink(block, pin);
    Files.delete(link);
    assertThat(LinkedFile.of(pin).names()).isEqualTo(2);
    assertThat(kept.has(LinkedFile.of(pin))).isFalse();
  }
}
