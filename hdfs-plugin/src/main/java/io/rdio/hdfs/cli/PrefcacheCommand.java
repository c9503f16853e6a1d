// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.prefcache.OnWrite;
import io.rdio.core.prefcache.PrefCacheAgent;
import io.rdio.core.prefcache.PrefCacheOptions;
import io.rdio.core.prefcache.SegmentCache;
import io.rdio.core.prefcache.SegmentGeometry;
import io.rdio.core.prefcache.SegmentPolicy;
import io.rdio.core.prefcache.StorageDevice;
import io.rdio.core.prefcache.StorageDevices;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.JsonSerialization;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rdio prefcache}: the storage node's agent, until it is ended. */
@Command(
    name = "prefcache",
    mixinStandardHelpOptions = true,
    description = {
      "PrefCache: keeps in this storage node's page cache what compute nodes do not have in theirs."
          + " 'rdio ktrace' on those tells which blocks they evicted, which are prefetched here;"
          + " what they read back is let go of. Until it is ended.",
      "For NVMe namespaces over loop devices ('losetup', direct I/O off; device_path=/dev/loopN,"
          + " buffered_io=0), and for such loop devices themselves. Needs root, or CAP_BPF and"
          + " CAP_PERFMON and read access to the files behind. Who can reach the port can have"
          + " blocks prefetched, but learns no data: open it to compute nodes only. Nothing is"
          + " left in the kernel when it has ended, but pages in the page cache.",
      "Exit status: 0 when it was ended by a signal, 1 if it could not begin."
    })
final class PrefcacheCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "[HOST:]PORT",
      description = "where compute nodes are listened to; on all addresses if there is no host")
  private String listen = "";

  @Option(
      names = "--device",
      required = true,
      paramLabel = "NODE[:FILE]",
      description =
          "a loop device that this node exports; with the file behind it where the path that the"
              + " kernel has does not lead there. May be repeated")
  private List<String> devices = new ArrayList<>();

  @Option(
      names = "--capacity",
      required = true,
      paramLabel = "SIZE",
      description = "of page cache to fill with prefetched blocks, with Hadoop's suffixes")
  private String capacity = "";

  @Option(
      names = "--policy",
      paramLabel = "fifo|s3-fifo",
      description = "which segments go where there is no room (default: ${DEFAULT-VALUE})")
  private String policy = "fifo";

  @Option(
      names = "--segment",
      paramLabel = "SIZE",
      description =
          "unit of admission and eviction, a power of two of 4096 to 262144 bytes (default:"
              + " ${DEFAULT-VALUE})")
  private String segment = "32k";

  @Option(
      names = "--drop-at",
      paramLabel = "SHARE",
      description =
          "a segment goes when so much of it was read back or written (default: ${DEFAULT-VALUE})")
  private double dropAt = SegmentCache.DROP_AT;

  @Option(
      names = "--on-write",
      paramLabel = "drop|update",
      description =
          "what becomes of a cached block that a compute node writes (default: ${DEFAULT-VALUE})")
  private String onWrite = "drop";

  @Option(
      names = "--max-queue",
      paramLabel = "REQUESTS",
      description =
          "nothing is prefetched while a device has more requests of compute nodes under way"
              + " (default: ${DEFAULT-VALUE})")
  private int maxQueueLength = PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH;

  @Option(
      names = "--queue",
      paramLabel = "RUNS",
      description =
          "runs of blocks that may wait to be prefetched, about 50 bytes each; beyond, descriptors"
              + " are dropped (default: ${DEFAULT-VALUE})")
  private int queueRuns = PrefCacheOptions.DEFAULT_QUEUE_RUNS;

  @Option(
      names = "--report-every",
      paramLabel = "SECONDS",
      description = "how often to print what was counted; 0 for at the end only (default: 60)")
  private long reportSeconds = 60;

  @Option(names = "--json", description = "print it as lines of JSON")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrefCacheOptions options = options();
    List<StorageDevice> found = devices();
    PrintWriter out = spec.commandLine().getOut();
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    try (PrefCacheAgent agent = PrefCacheAgent.start(options, found)) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(ended, closed)));
      announce(agent, found, out);
      while (!ended.await(reportSeconds == 0 ? 3600 : reportSeconds, TimeUnit.SECONDS)) {
        if (reportSeconds > 0) {
          report(agent, out);
        }
      }
      report(agent, out);
    } finally {
      closed.countDown();
    }
    return 0;
  }

  private PrefCacheOptions options() {
    if (reportSeconds < 0) {
      throw usage("--report-every " + reportSeconds + ": must not be negative");
    }
    try {
      return new PrefCacheOptions(
          address(),
          new SegmentGeometry(
              SegmentGeometry.PAPER.blockBytes(), Math.toIntExact(size("--segment", segment))),
          size("--capacity", capacity),
          dropAt,
          oneOf(SegmentPolicy.class, "--policy", policy),
          oneOf(OnWrite.class, "--on-write", onWrite),
          maxQueueLength,
          queueRuns);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw usage(Failures.message(e));
    }
  }

  private InetSocketAddress address() {
    int colon = listen.lastIndexOf(':');
    String port = listen.substring(colon + 1);
    if (!port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65535) {
      throw usage("--listen " + listen + " is not of the form [HOST:]PORT");
    }
    return colon < 0
        ? new InetSocketAddress(Integer.parseInt(port))
        : new InetSocketAddress(listen.substring(0, colon), Integer.parseInt(port));
  }

  private static long size(String option, String value) {
    try {
      return TraditionalBinaryPrefix.string2long(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + " " + value + ": " + e.getMessage(), e);
    }
  }

  private static <E extends Enum<E>> E oneOf(Class<E> type, String option, String value) {
    for (E constant : type.getEnumConstants()) {
      if (constant.name().replace('_', '-').equalsIgnoreCase(value)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(option + " " + value + ": there is none such");
  }

  private List<StorageDevice> devices() throws IOException {
    List<StorageDevice> found = new ArrayList<>();
    for (String device : devices) {
      int colon = device.indexOf(':');
      Path node = Path.of(colon < 0 ? device : device.substring(0, colon));
      Path file = colon < 0 ? null : Path.of(device.substring(colon + 1));
      found.add(new StorageDevices().find(found.size(), node, file));
    }
    return found;
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private void announce(PrefCacheAgent agent, List<StorageDevice> found, PrintWriter out) {
    if (!json) {
      out.println("PrefCache listens on port " + agent.port() + " and caches");
      for (StorageDevice device : found) {
        out.println(
            "  "
                + device.number()
                + ": "
                + device.node()
                + " over "
                + device.backingFile()
                + (device.wwid().isEmpty() ? "" : ", wwid " + device.wwid())
                + (device.fsUuid().isEmpty() ? "" : ", file system " + device.fsUuid()));
      }
      out.flush();
    }
  }

  private void report(PrefCacheAgent agent, PrintWriter out) throws IOException {
    Map<String, Long> values = agent.metrics().asMap();
    if (json) {
      // Hadoop's writer breaks lines; there are none within the names.
      out.println(
          new JsonSerialization<>(Map.class, false, true).toJson(values).replaceAll("\n *", ""));
    } else {
      StringBuilder text = new StringBuilder("PrefCache:");
      values.forEach(
          (name, value) -> text.append(String.format(Locale.ROOT, " %s=%d", name, value)));
      out.println(text);
    }
    out.flush();
  }

  /** The JVM ends when its hooks have: not before the kernel is rid of us. */
  private static void end(CountDownLatch ended, CountDownLatch closed) {
    ended.countDown();
    try {
      closed.await(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
