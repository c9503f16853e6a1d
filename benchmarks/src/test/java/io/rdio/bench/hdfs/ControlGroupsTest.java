// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group that still has a process when it is removed. */
class ControlGroupsTest {
  @TempDir Path folder;
  private Path group;
  private Path home;

  @BeforeEach
  void make() throws IOException {
    group = Files.createDirectory(folder.resolve("group"));
    home = Files.createDirectory(folder.resolve("home"));
    procs("7\n");
  }

  private void procs(String pids) throws IOException {
    Files.writeString(group.resolve("cgroup.procs"), pids);
  }

  @Test
  void whoWasBornMeanwhileIsSentAwayToo() throws IOException {
    List<String> sent = new ArrayList<>();
    ControlGroups.remove(
        group,
        pid -> home,
        removed -> {
          sent.add(Files.readString(home.resolve("cgroup.procs")));
          if (sent.size() == 1) {
            procs("8\n");
            throw busy();
          }
        },
        () -> {});
    assertThat(sent).containsExactly("7", "8");
  }

  @Test
  void itsPatienceEnds() {
    int[] pauses = new int[1];
    assertThatThrownBy(
            () ->
                ControlGroups.remove(
                    group,
                    pid -> home,
                    removed -> {
                      throw busy();
                    },
                    () -> pauses[0]++))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("busy");
    assertThat(pauses[0]).isPositive();
  }

  private FileSystemException busy() {
    return new FileSystemException(group.toString(), null, "Device or resource busy");
  }
}
