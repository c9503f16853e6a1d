// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.twolevel.ControlGroup;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import io.rdio.hdfs.cluster.Teardown;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of a {@link DiskLimit}; how slow a disk is by it the benchmarks show. */
@Tag("loop")
class DiskLimitIT {
  private static final String NAME = "rdio-disk-limit-" + ProcessHandle.current().pid();
  private static final Path GROUP = Path.of("/sys/fs/cgroup/blkio", NAME);

  @TempDir Path folder;
  private @Nullable Process slowed;
  private @Nullable Teardown teardown;
  private DiskLimit limit;

  @BeforeEach
  void slowDown() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.require(ControlGroup.whyNot().isEmpty(), ControlGroup.whyNot());
    slowed = new ProcessBuilder("sleep", "600").start();
    teardown = Teardown.of(Files.createDirectory(folder.resolve("guarded")));
    Path inIt = folder.resolve("guarded/volume");
    LoopVolume volume = LoopVolume.create(inIt, "ext4", 64L << 20, Backing.TMPFS, teardown);
    Path sysfs = Path.of("/sys/block", volume.device().substring("/dev/".length()));
    String number = Files.readString(sysfs.resolve("dev")).strip();
    limit = DiskLimit.create(NAME, number, 1L << 20, teardown);
    limit.add(slowed.pid());
    assertThat(Files.readAllLines(GROUP.resolve("cgroup.procs")))
        .containsExactly(Long.toString(slowed.pid()));
  }

  @AfterEach
  void end() throws Exception {
    if (teardown != null) {
      teardown.close();
    }
    if (slowed != null) {
      assertThat(slowed.destroyForcibly().waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  /** As at the end of a JVM, by Ctrl-C too: TeardownIT. */
  @Test
  void goesWithItsTeardownAndItsProcessesStay() throws Exception {
    teardown.close();

    assertThat(GROUP).doesNotExist();
    assertThat(slowed.isAlive()).isTrue();
    limit.close();
  }

  @Test
  void closedItLeavesNothing() throws Exception {
    limit.close();

    assertThat(GROUP).doesNotExist();
    assertThat(slowed.isAlive()).isTrue();
  }
}
