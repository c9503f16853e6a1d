// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.MemoryCgroup;
import io.rdio.exclusive.eviction.KernelEvictions.Probe;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files are truncated, rewritten, punched, collapsed, deleted and made anew while they are traced,
 * on a file system so full that what one frees another gets at once: whatever is sent belongs, when
 * it is sent, to one of the files that are read. What reuses the blocks is never in the page cache.
 *
 * <p>One thread changes files and turns the tracer's crank, so nothing changes between sending and
 * checking; reclaim and the translation of evictions go on all the time.
 */
@Tag("loop")
final class ExtentSafetyIT {
  private static final int FILES = 6;
  private static final int FILE_MIB = 8;
  private static final int CHANGES = 40;

  private final Random random = new Random(42);
  private final List<BitSet> wrong = new ArrayList<>();
  private int checked;

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void nothingFreedOrMovedIsSent(String fsType) throws Exception {
    run(fsType, (fs, check) -> TracedHost.of(fs.device(), Probe.TP_BTF, check), CHANGES);

    assertThat(wrong).as("blocks sent that no read file had").isEmpty();
    assertThat(checked).isGreaterThan(CHANGES / 4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void withoutEpochsItWouldBe(String fsType) throws Exception {
    run(fsType, (fs, check) -> TracedHost.blind(fs.device(), check), 10 * CHANGES);

    assertThat(wrong).isNotEmpty();
  }

  private interface Tracing {
    TracedHost of(LoopFileSystem fs, Consumer<BitSet> check) throws IOException;
  }

  /** Until something wrong was sent, or so many changes were made. */
  private void run(String fsType, Tracing tracing, int changes) throws Exception {
    try (LoopFileSystem fs =
            LoopFileSystem.create(fsType, LoopFileSystem.XFS_BYTES, List.of(), "defaults");
        MemoryCgroup cgroup = MemoryCgroup.create(12L << 20)) {
      Path read = Files.createDirectory(fs.mountPoint().resolve("read"));
      Path other = Files.createDirectory(fs.mountPoint().resolve("other"));
      for (int i = 0; i < FILES; i++) {
        write(read.resolve("f" + i), 0, FILE_MIB);
      }
      TracedHost[] host = new TracedHost[1];
      host[0] = tracing.of(fs, blocks -> check(host[0], read, blocks));
      Process reader =
          new ProcessBuilder(
                  cgroup.command("while :; do cat " + read + "/* > /dev/null 2>&1; done"))
              .start();
      try {
        for (int i = 0; i < changes && wrong.isEmpty(); i++) {
          change(read.resolve("f" + random.nextInt(FILES)), other, i);
          host[0].tick();
        }
      } finally {
        reader.descendants().forEach(ProcessHandle::destroyForcibly);
        assertThat(reader.destroyForcibly().waitFor(1, TimeUnit.MINUTES)).isTrue();
        host[0].close();
      }
    }
  }

  private void check(TracedHost host, Path read, BitSet blocks) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(read)) {
      List<Path> all = new ArrayList<>();
      files.forEach(all::add);
      BitSet strange = (BitSet) blocks.clone();
      strange.andNot(host.blocksOf(all.toArray(Path[]::new)));
      if (!strange.isEmpty()) {
        wrong.add(strange);
      }
      checked++;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Frees or moves blocks of one file, and gives those that became free to others. */
  private void change(Path file, Path other, int round) throws IOException {
    switch (random.nextInt(5)) {
      case 0 -> Command.run("truncate", "-s", FILE_MIB / 2 + "M", file.toString());
      case 1 -> Files.delete(file);
      case 2 -> Command.run("fallocate", "--punch-hole", "-o", "1M", "-l", "2M", file.toString());
      case 3 ->
          Command.run("fallocate", "--collapse-range", "-o", "1M", "-l", "1M", file.toString());
      default ->
          Command.run("fallocate", "--insert-range", "-o", "1M", "-l", "1M", file.toString());
    }
    write(other.resolve("o" + round % 3), 0, 2 + random.nextInt(12));
    if (random.nextInt(3) == 0) {
      Files.delete(other.resolve("o" + round % 3));
    }
    // Back to its size, its new blocks being others.
    Path rest = file.resolveSibling(file.getFileName().toString());
    long have = Files.exists(rest) ? Files.size(rest) >> 20 : 0;
    write(rest, (int) Math.min(have, FILE_MIB - 1), FILE_MIB);
    Command.run("truncate", "-s", FILE_MIB + "M", rest.toString());
  }

  /** Past the page cache, so that nothing of this is ever evicted. */
  private static void write(Path file, int fromMib, int toMib) throws IOException {
    Command.run(
        "dd",
        "if=/dev/urandom",
        "of=" + file,
        "bs=1M",
        "seek=" + fromMib,
        "count=" + (toMib - fromMib),
        "oflag=direct",
        "conv=notrunc",
        "status=none");
  }
}
