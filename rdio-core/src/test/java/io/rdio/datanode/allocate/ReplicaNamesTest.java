// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.datanode.volume.Replica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which folders are synced for a replica's name. */
final class ReplicaNamesTest {
  @TempDir Path root;
  private final List<String> synced = new ArrayList<>();
  private final ReplicaNames names = new ReplicaNames(this::note);
  private @Nullable String failing;

  private void note(Path folder) throws IOException {
    String name = root.relativize(folder).toString();
    if (name.equals(failing)) {
      throw new IOException("as told");
    }
    synced.add(name);
  }

  private List<String> sync(String folder) throws IOException {
    synced.clear();
    Path in = Files.createDirectories(root.resolve(folder));
    names.sync(
        new Replica(WriteFixture.block(1), "DS-1", root, in.resolve("blk_1"), in.resolve("m"), 10));
    return synced;
  }

  @Test
  void foldersWhoseNamesAreDurableAreNotSyncedAgain() throws IOException {
    assertThat(sync("current/BP-1/f/0/0"))
        .containsExactly(
            "current/BP-1/f/0/0", "current/BP-1/f/0", "current/BP-1/f", "current/BP-1", "current");
    assertThat(sync("current/BP-1/f/0/0")).containsExactly("current/BP-1/f/0/0");
    assertThat(sync("current/BP-1/f/0/1"))
        .containsExactly("current/BP-1/f/0/1", "current/BP-1/f/0");
    assertThat(sync("current/BP-1/f/0/1")).containsExactly("current/BP-1/f/0/1");
  }

  @Test
  void folderThatTookThePlaceOfAnotherOneIsNew() throws IOException {
    sync("f/0");
    Files.move(root.resolve("f"), root.resolve("old"));
    assertThat(sync("f/0")).containsExactly("f/0", "f");
    Files.move(root.resolve("f/0"), root.resolve("f/old"));
    assertThat(sync("f/0")).containsExactly("f/0", "f");
  }

  @Test
  void nothingIsDurableOfWhatFailed() throws IOException {
    failing = "f";
    assertThatThrownBy(() -> sync("f/0")).hasMessage("as told");
    failing = null;
    assertThat(sync("f/0")).containsExactly("f/0", "f");
  }
}
