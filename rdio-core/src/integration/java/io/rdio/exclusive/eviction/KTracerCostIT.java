// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.MemoryCgroup;
import io.rdio.core.testing.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What KTracer costs: the evicting task by the kernel's own clock (bpf_stats), the agent by its
 * process, the network by bytes. The figures of docs/measurements are what it prints with {@code
 * -Drdio.measure.passes=8}; what it demands is what a loaded machine keeps too. With {@code
 * -Drdio.measure.ablations=true} the same is measured without Extent Cache, without batching, and
 * without both.
 */
@Tag("loop")
final class KTracerCostIT {
  private static final int PASSES = Integer.getInteger("rdio.measure.passes", 2);
  private static final long FILE_BYTES = 384L << 20;
  private static final int RANDOM_READS = 40_000;
  private static final Duration TICK = Duration.ofMillis(50); // As its own thread.
  private static final Duration READ_TIME_MAX = Duration.ofMinutes(10);
  private static final Path BPF_STATS = Path.of("/proc/sys/kernel/bpf_stats_enabled");

  /** Reads pages at random: FILE, reads. */
  public static final class RandomReader {
    private RandomReader() {}

    public static void main(String[] args) throws IOException {
      Random random = new Random(1);
      ByteBuffer page = ByteBuffer.allocateDirect(4096);
      try (FileChannel file = FileChannel.open(Path.of(args[0]), StandardOpenOption.READ)) {
        int pages = (int) (file.size() / 4096);
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
          file.read(page.clear(), 4096L * random.nextInt(pages));
        }
      }
    }
  }

  /** KTracer as it is, or with something left out to see what that is worth. */
  private record Variant(String name, boolean extentCache, boolean batching) {
    /** Those that there are: what is left out of the later ones is in the first. */
    static final List<Variant> ALL =
        List.of(
            new Variant("as it is", true, true),
            new Variant("without Extent Cache", false, true),
            new Variant("without batching", true, false),
            new Variant("without both", false, false));

    /**
     * A cache of no extents forgets each window as soon as it was used, so that every eviction asks
     * the file system; where no segment may wait, what was evicted is told as it comes.
     */
    EvictionTracer.Settings settings() {
      EvictionTracer.Settings all = TracedHost.SETTINGS;
      return new EvictionTracer.Settings(
          all.patience(),
          all.enough(),
          batching ? all.maxWaiting() : 0,
          all.keptRuns(),
          extentCache ? all.extents() : 0,
          all.rescan());
    }
  }

  /** What one variant takes for both patterns, and for what is left out at once. */
  private record Costs(Figures sequential, Figures scattered, Figures leftOut, long lostPages) {}

  private record Figures(
      long pages,
      long calls,
      long nanosInKernel,
      long cpuNanos,
      long bytes,
      long lookups,
      long runs) {
    static Figures now(TracedHost host) {
      long[] bpf = bpfStats();
      OperatingSystemMXBean system =
          (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      return new Figures(
          host.kernel.counts().getOrDefault("kernel_pages", 0L),
          bpf[0],
          bpf[1],
          system.getProcessCpuTime(),
          host.tracer.counters().sentBytes.sum(),
          host.tracer.counters().extentMisses.sum(),
          host.tracer.counters().runs.sum());
    }

    Figures since(Figures before) {
      return new Figures(
          pages - before.pages,
          calls - before.calls,
          nanosInKernel - before.nanosInKernel,
          cpuNanos - before.cpuNanos,
          bytes - before.bytes,
          lookups - before.lookups,
          runs - before.runs);
    }

    double nanosPerCall() {
      return (double) nanosInKernel / calls;
    }

    /** Share of a core, in percent, that the agent takes for 200,000 pages a second. */
    double agentPercent() {
      return cpuNanos / 1e9 / pages * 200_000 * 100;
    }

    double pagesPerByte() {
      return (double) pages * 4096 / bytes;
    }

    @Override
    public String toString() {
      return "%d pages in %d events: %.0f ns for each event; agent %.2f%% of a core at 200000 pages/s; %d bytes, 1/%.0f of the pages'"
          .formatted(pages, calls, nanosPerCall(), agentPercent(), bytes, pagesPerByte());
    }
  }

  @Test
  void costs() throws Exception {
    Costs costs = costs(Variant.ALL.get(0));

    System.out.println("sequential: " + costs.sequential());
    System.out.println("random 4 KiB: " + costs.scattered());
    System.out.printf(
        "left out: %d events: %.0f ns for each%n",
        costs.leftOut().calls(), costs.leftOut().nanosPerCall());
    assertThat(costs.sequential().pagesPerByte()).isGreaterThan(300);
    assertThat(costs.scattered().pagesPerByte()).isGreaterThan(300);
    assertThat(costs.scattered().nanosPerCall()).isLessThan(1000);
    assertThat(costs.lostPages()).isZero();
  }

  @Test
  @EnabledIfSystemProperty(named = "rdio.measure.ablations", matches = "true")
  void whatExtentCacheAndBatchingAreWorth() throws Exception {
    costs(Variant.ALL.get(0)); // Else the first row alone had code that is not compiled yet.
    Map<Variant, Costs> costs = new LinkedHashMap<>();
    for (Variant variant : Variant.ALL) {
      costs.put(variant, costs(variant));
    }

    System.out.println(
        "| KTracer | agent, scan | agent, random 4 KiB | FIEMAPs | runs sent | pages lost |");
    System.out.println("|---|--:|--:|--:|--:|--:|");
    costs.forEach(
        (variant, its) ->
            System.out.printf(
                "| %s | %.1f%% | %.1f%% | %d | %d | %d |%n",
                variant.name(),
                its.sequential().agentPercent(),
                its.scattered().agentPercent(),
                its.sequential().lookups() + its.scattered().lookups(),
                its.sequential().runs() + its.scattered().runs(),
                its.lostPages()));
    System.out.println("agent: of a core, at 200,000 evicted pages a second");
    assertThat(costs.get(Variant.ALL.get(1)).scattered().lookups())
        .isGreaterThan(costs.get(Variant.ALL.get(0)).scattered().lookups());
  }

  private static Costs costs(Variant variant) throws Exception {
    String before = Files.readString(BPF_STATS).strip();
    try (LoopFileSystem fs = LoopFileSystem.create("ext4", 512L << 20, List.of(), "defaults");
        MemoryCgroup cgroup = MemoryCgroup.create(96L << 20);
        TracedHost host = TracedHost.of(fs.device(), variant.settings())) {
      Files.writeString(BPF_STATS, "1");
      Path file = fs.mountPoint().resolve("data");
      Command.run(
          "dd",
          "if=/dev/zero",
          "of=" + file,
          "bs=1M",
          "count=" + (FILE_BYTES >> 20),
          "oflag=direct",
          "status=none");
      String random =
          "%s -Xmx16m -XX:+UseSerialGC -cp '%s' '%s' %s "
              .formatted(
                  ProcessHandle.current().info().command().orElse("java"),
                  System.getProperty("java.class.path"),
                  RandomReader.class.getName(),
                  file);
      measure(host, cgroup, "cat " + file + " > /dev/null");
      Figures sequential = measure(host, cgroup, "cat " + file + " > /dev/null");
      measure(host, cgroup, random + RANDOM_READS);
      Figures scattered = measure(host, cgroup, random + RANDOM_READS * PASSES);
      // What is not reclaim's is left out at once: next to nothing but the clock that times it.
      Figures leftOut = measure(host, cgroup, "dd if=" + file + " iflag=nocache count=0");
      System.out.println(host.tracer.counters().values());
      long lost = host.kernel.counts().getOrDefault("kernel_lost_pages", 0L);
      return new Costs(sequential, scattered, leftOut, lost);
    } finally {
      Files.writeString(BPF_STATS, before);
    }
  }

  /** Turns the crank as its own thread would, while a reader runs. */
  private static Figures measure(TracedHost host, MemoryCgroup cgroup, String reader)
      throws Exception {
    Figures before = Figures.now(host);
    for (int i = 0; i < (reader.startsWith("cat") ? PASSES : 1); i++) {
      Process process =
          new ProcessBuilder(cgroup.command(reader)).redirectErrorStream(true).start();
      long end = System.nanoTime() + READ_TIME_MAX.toNanos();
      while (!process.waitFor(TICK.toMillis(), TimeUnit.MILLISECONDS)) {
        assertThat(System.nanoTime() - end).as("%s takes too long", reader).isNegative();
        host.tick();
      }
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.exitValue()).as(said).isZero();
    }
    // All that was evicted is with the agent, for longer than blocks wait for their neighbours.
    Patience.await()
        .pollInterval(TICK)
        .during(TICK.multipliedBy(4))
        .until(
            () -> {
              host.tick();
              return host.tracer.counters().evictedBytes.sum()
                  == host.kernel.counts().getOrDefault("kernel_pages", 0L) * 4096;
            });
    return Figures.now(host).since(before);
  }

  /** Calls and nanoseconds of the program of this process that ran most. */
  private static long[] bpfStats() {
    long[] most = new long[2];
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fdinfo"))) {
      for (Path fd : open) {
        Map<String, Long> info = numbers(fd);
        long calls = info.getOrDefault("run_cnt", 0L);
        if (calls > most[0]) {
          most = new long[] {calls, info.getOrDefault("run_time_ns", 0L)};
        }
      }
      return most;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Long> numbers(Path fdinfo) {
    Map<String, Long> numbers = new HashMap<>();
    try {
      for (String line : Files.readAllLines(fdinfo)) {
        String[] parts = line.split(":\\s*", 2);
        if (parts.length == 2 && parts[0].startsWith("run_")) {
          numbers.put(parts[0], Long.parseLong(parts[1].strip()));
        }
      }
    } catch (IOException e) {
      // Closed since it was listed.
      numbers.clear();
    }
    return numbers;
  }
}
