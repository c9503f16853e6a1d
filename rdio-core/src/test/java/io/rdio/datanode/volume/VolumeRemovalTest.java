// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.datanode.grant.GrantFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Removing what a real grant service left. */
final class VolumeRemovalTest {
  @TempDir Path root;
  private GrantFixture fixture;

  @BeforeEach
  void start() throws IOException {
    fixture = new GrantFixture(root);
    fixture.lease("a", fixture.hdfs.write(1, 100));
    Files.createFile(root.resolve("current").resolve("VERSION"));
  }

  @Test
  void volumeThatWasTakenOutIsRemoved() throws IOException {
    fixture.hdfs.unmount();
    fixture.service.sweep();

    try (VolumeRemoval removal = VolumeRemoval.open(root, false)) {
      assertThat(removal).isNotNull();
      assertThat(removal.look().links()).hasSize(2);
      assertThat(removal.look().holdMillis())
          .isEqualTo(GrantFixture.LEASE_MILLIS + GrantFixture.IO_MILLIS);
      assertThat(removal.look().strange()).isEmpty();
      assertThat(removal.remove()).isEmpty();
    }
    assertThat(root.resolve("rdio")).doesNotExist();
    assertThat(root.resolve("current").resolve("blk_1")).exists();
    assertThat(VolumeRemoval.open(root, false)).isNull();
  }
}
