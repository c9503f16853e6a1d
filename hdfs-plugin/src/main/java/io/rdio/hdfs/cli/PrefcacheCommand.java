// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.exclusive.prefcache.OnWrite;
import io.rdio.exclusive.prefcache.PrefCacheAgent;
import io.rdio.exclusive.prefcache.PrefCacheOptions;
import io.rdio.exclusive.prefcache.SegmentCache;
import io.rdio.exclusive.prefcache.SegmentGeometry;
import io.rdio.exclusive.prefcache.SegmentPolicy;
import io.rdio.exclusive.prefcache.StorageDevice;
import io.rdio.exclusive.prefcache.StorageDevices;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
          + " CAP_PERFMON and read access to the files behind. A host that reaches the port can"
          + " have blocks prefetched, but learns no data: open it to compute nodes only. Nothing is"
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

  @Mixin private AgentRun run = new AgentRun();

  @Override
  public Integer call() throws IOException, InterruptedException {
    run.check();
    PrefCacheOptions options = options();
    if (!RootRights.mayLoadBpf()) {
      return RootRights.missing("eBPF needs CAP_BPF and CAP_PERFMON");
    }
    List<StorageDevice> found = devices();
    run.run(() -> new Running(PrefCacheAgent.start(options, found), found));
    return 0;
  }

  private PrefCacheOptions options() {
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

  private record Running(PrefCacheAgent agent, List<StorageDevice> devices)
      implements AgentRun.Agent {
    @Override
    public String announcement() {
      StringBuilder text = new StringBuilder("PrefCache listens on port ");
      text.append(agent.port()).append(" and caches");
      for (StorageDevice device : devices) {
        text.append(
            "%n  %d: %s over %s".formatted(device.number(), device.node(), device.backingFile()));
        text.append(device.wwid().isEmpty() ? "" : ", wwid " + device.wwid());
        text.append(device.fsUuid().isEmpty() ? "" : ", file system " + device.fsUuid());
      }
      return text.toString();
    }

    @Override
    public String text() {
      return "PrefCache: " + AgentRun.pairs(agent.metrics().asMap());
    }

    @Override
    public Map<String, ?> values() {
      return agent.metrics().asMap();
    }

    @Override
    public void close() throws IOException {
      agent.close();
    }
  }
}
