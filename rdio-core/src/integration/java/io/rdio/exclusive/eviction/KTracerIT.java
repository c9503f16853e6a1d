// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.MemoryCgroup;
import io.rdio.core.testing.Patience;
import io.rdio.core.testing.Requirements;
import io.rdio.exclusive.eviction.KernelEvictions.Probe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What falls out of the page cache, by its cause, on real file systems and with real programs. */
@Tag("loop")
final class KTracerIT {
  private static final long FS_BYTES = 400L << 20;
  private static final long CGROUP_BYTES = 16L << 20;
  private static final int FILE_BLOCKS = 48 << 8;

  @ParameterizedTest
  @CsvSource({"ext4, TP_BTF", "xfs, TP_BTF", "ext4, CLASSIC"})
  void reclaimedPagesComeAsBlocksOfTheirFile(String fsType, Probe probe) throws Exception {
    try (LoopFileSystem fs = create(fsType);
        MemoryCgroup cgroup = MemoryCgroup.create(CGROUP_BYTES);
        TracedHost host = TracedHost.of(fs.device(), probe, blocks -> {})) {
      Path file = coldFile(fs, "scanned");

      cgroup.run("cat " + file + " > /dev/null");

      // All but what the cgroup has room for, and what it had not evicted when it ended.
      BitSet told = host.awaitBlocks(FILE_BLOCKS / 2);
      told.andNot(host.blocksOf(file));
      assertThat(told.isEmpty()).as("blocks of no file: %s", told).isTrue();
      assertThat(host.tracer.counters().wholeSegments.sum()).isGreaterThan(FILE_BLOCKS / 2 / 8);
      assertThat(host.kernel.counts()).containsEntry("kernel_lost_pages", 0L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void otherCausesAreToldApart(String fsType) throws Exception {
    try (LoopFileSystem fs = create(fsType);
        MemoryCgroup cgroup = MemoryCgroup.create(CGROUP_BYTES);
        TracedHost host = TracedHost.of(fs.device(), Probe.TP_BTF, blocks -> {})) {
      for (String cause :
          List.of(
              "dd if=FILE iflag=nocache count=0 status=none", // FADV_DONTNEED
              "echo 1 > /proc/sys/vm/drop_caches",
              "truncate -s 0 FILE",
              "fallocate --punch-hole --offset 0 --length 4M FILE",
              "dd if=/dev/zero of=FILE bs=1M count=4 conv=notrunc status=none && rm FILE", // dirty
              "rm FILE")) {
        Path file = Path.of(fs.mountPoint() + "/" + Integer.toHexString(cause.hashCode()));
        Command.run("dd", "if=/dev/urandom", "of=" + file, "bs=1M", "count=4", "status=none");
        Command.run("sync", "-f", file.toString());
        assertThat(cached(file)).isEqualTo(4 << 20);

        Command.run("sh", "-c", cause.replace("FILE", file.toString()));
      }
      // What was evicted before would come before this.
      Path scanned = coldFile(fs, "scanned");
      cgroup.run("cat " + scanned + " > /dev/null");
      BitSet told = host.awaitBlocks(FILE_BLOCKS / 2);
      told.andNot(host.blocksOf(scanned));
      assertThat(told.isEmpty()).as("blocks that reclaim did not take: %s", told).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void filesMarkedNoReuseAreLeftOut(String fsType) throws Exception {
    try (LoopFileSystem fs = create(fsType);
        MemoryCgroup cgroup = MemoryCgroup.create(CGROUP_BYTES);
        TracedHost host = TracedHost.of(fs.device(), Probe.TP_BTF, blocks -> {})) {
      assertThat(host.kernel.knowsNoReuse()).isTrue();
      Path marked = coldFile(fs, "marked");
      Advice.give(marked, Advice.NOREUSE);
      cgroup.run("cat " + marked + " > /dev/null");
      Path scanned = coldFile(fs, "scanned");
      cgroup.run("cat " + scanned + " > /dev/null");

      BitSet told = host.awaitBlocks(FILE_BLOCKS / 2);
      assertThat(host.kernel.counts().get("noreuse_pages")).isGreaterThan(FILE_BLOCKS / 2L);
      BitSet ofMarked = host.blocksOf(marked);
      assertThat(told.intersects(ofMarked)).isFalse();

      Advice.give(marked, Advice.NORMAL);
      Command.run("dd", "if=" + marked, "iflag=nocache", "count=0", "status=none");
      cgroup.run("cat " + marked + " > /dev/null");
      assertThat(host.awaitBlocks(told.cardinality() + FILE_BLOCKS / 2).intersects(ofMarked))
          .isTrue();
    }
  }

  @Test
  void pagesOfTheDeviceItselfAreItsBlocks() throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopDevice loop = LoopDevice.create(64L << 20);
        MemoryCgroup cgroup = MemoryCgroup.create(CGROUP_BYTES);
        TracedHost host = TracedHost.of(loop.node(), Probe.TP_BTF, blocks -> {})) {
      // Read twice with the device open in between: its last close drops all its pages.
      cgroup.run("exec 3<" + loop.node() + " && cat <&3 > /dev/null");

      BitSet told = host.awaitBlocks((32 << 20) / 4096);
      assertThat(told.length()).isLessThanOrEqualTo((64 << 20) / 4096);
    }
  }

  /** mkfs.ext4's own choice for small volumes: there every page lies across two of our blocks. */
  @Test
  void whatMakesNoWholeBlockIsCounted() throws Exception {
    try (LoopFileSystem fs =
            LoopFileSystem.create("ext4", FS_BYTES, List.of("-b", "1024"), "defaults");
        MemoryCgroup cgroup = MemoryCgroup.create(CGROUP_BYTES);
        TracedHost host = TracedHost.of(fs.device(), Probe.TP_BTF, blocks -> {})) {
      Path file = coldFile(fs, "scanned");

      cgroup.run("cat " + file + " > /dev/null");

      BitSet told = host.awaitBlocks(FILE_BLOCKS / 2);
      told.andNot(host.blocksOf(file));
      assertThat(told.isEmpty()).as("blocks of no file: %s", told).isTrue();
      EvictionCounters counted = host.tracer.counters();
      assertThat(counted.partialBytes.sum()).isPositive();
      Patience.await()
          .untilAsserted(
              () -> {
                host.tick();
                assertThat(counted.values())
                    .containsEntry(
                        "evicted_bytes",
                        counted.sentBlocks.sum() * 4096
                            + counted.partialBytes.sum()
                            + counted.unmappedBytes.sum());
              });
    }
  }

  private static LoopFileSystem create(String fsType) throws IOException {
    return LoopFileSystem.create(fsType, FS_BYTES, List.of(), "defaults");
  }

  /** On the device, and not in the page cache. */
  private static Path coldFile(LoopFileSystem fs, String name) throws IOException {
    Path file = fs.mountPoint().resolve(name);
    Command.run(
        "dd", "if=/dev/urandom", "of=" + file, "bs=1M", "count=48", "oflag=direct", "status=none");
    assertThat(cached(file)).isZero();
    return file;
  }

  private static long cached(Path file) throws IOException {
    return Long.parseLong(
        Command.run("fincore", "--bytes", "--noheadings", "--output", "RES", file.toString())
            .strip());
  }
}
