// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.eviction.EvictionTracer;
import io.rdio.core.eviction.KernelEvictions;
import io.rdio.core.eviction.LocalDeviceFinder;
import io.rdio.core.metadata.NettyChannelFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.JsonSerialization;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rdio ktrace}: KTracer's agent, until it is ended. */
@Command(
    name = "ktrace",
    mixinStandardHelpOptions = true,
    description = {
      "KTracer: tells a storage node which blocks fell out of this host's page cache, so that it"
          + " caches what this host does not. Addresses only, no data; until it is ended.",
      "Traces the files of ext4 and xfs on the devices that 'rdio prefcache' there says it caches,"
          + " and such devices themselves where they are not mounted. Needs root, or CAP_BPF,"
          + " CAP_PERFMON, CAP_DAC_READ_SEARCH and access to the devices; 'rdio doctor' tells what"
          + " this kernel has. Nothing is left in the kernel when it has ended.",
      "Exit status: 0 when it was ended by a signal, 1 if it could not begin."
    })
final class KtraceCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--storage",
      required = true,
      paramLabel = "HOST:PORT",
      description = "where 'rdio prefcache' listens on the storage node")
  private String storage = "";

  @Option(
      names = "--device",
      paramLabel = "NUMBER=NODE",
      description =
          "this host's node for one of the storage node's devices, by the number it has there:"
              + " only for a device that has no wwid, UUID or file system in common with it")
  private Map<Integer, Path> devices = new LinkedHashMap<>();

  @Option(
      names = "--probe",
      paramLabel = "PROBE",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  private KernelEvictions.Probe probe = KernelEvictions.Probe.BEST;

  @Option(
      names = "--no-noreuse",
      description =
          "do not watch for FADV_NOREUSE: as long as it is watched for every system call of this"
              + " host takes the kernel's slower way")
  private boolean noNoReuse;

  @Option(
      names = "--enough",
      paramLabel = "BLOCKS",
      description =
          "evicted blocks of a segment that it takes to send all of it; 0 for all of them (default:"
              + " ${DEFAULT-VALUE})")
  private int enough;

  @Option(
      names = "--patience",
      paramLabel = "MILLIS",
      description = "how long blocks wait for their neighbours (default: ${DEFAULT-VALUE})")
  private long patienceMillis = EvictionTracer.Settings.DEFAULT.patience().toMillis();

  @Option(
      names = "--keep",
      paramLabel = "RUNS",
      description =
          "runs of blocks that are kept while the storage node is away, 28 bytes each (default:"
              + " ${DEFAULT-VALUE})")
  private int keptRuns = EvictionTracer.Settings.DEFAULT.keptRuns();

  @Option(
      names = "--report-every",
      paramLabel = "SECONDS",
      description = "how often to print what was counted; 0 for at the end only (default: 60)")
  private long reportSeconds = 60;

  @Option(names = "--json", description = "print it as lines of JSON")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    PrintWriter out = spec.commandLine().getOut();
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    try (NettyChannelFactory channels = new NettyChannelFactory()) {
      KernelEvictions kernel = new KernelEvictions(probe, !noNoReuse);
      try (EvictionTracer tracer = tracer(channels, kernel)) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(ended, closed)));
        tracer.start();
        announce(kernel, out);
        while (!ended.await(reportSeconds == 0 ? 3600 : reportSeconds, TimeUnit.SECONDS)) {
          if (reportSeconds > 0) {
            report(tracer, kernel, out);
          }
        }
        report(tracer, kernel, out);
      }
    } finally {
      closed.countDown();
    }
    return 0;
  }

  private void check() {
    if (enough < 0 || patienceMillis < 0 || keptRuns < 1 || reportSeconds < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "--enough, --patience and --report-every must not be negative, and --keep at least 1");
    }
    if (!storage.matches(".+:[0-9]{1,5}")) {
      throw new ParameterException(
          spec.commandLine(), "--storage " + storage + " is not of the form HOST:PORT");
    }
  }

  private EvictionTracer tracer(NettyChannelFactory channels, KernelEvictions kernel) {
    EvictionTracer.Settings defaults = EvictionTracer.Settings.DEFAULT;
    return new EvictionTracer(
        new EvictionTracer.Settings(
            Duration.ofMillis(patienceMillis),
            enough,
            defaults.maxWaiting(),
            keptRuns,
            defaults.extents(),
            defaults.rescan()),
        channels.open(storage),
        storage,
        new LocalDeviceFinder(devices),
        kernel.epochs(),
        List.of(kernel),
        System::nanoTime);
  }

  private void announce(KernelEvictions kernel, PrintWriter out) {
    if (!json) {
      out.println(
          "KTracer for "
              + storage
              + " by "
              + kernel.probe()
              + (kernel.knowsNoReuse() ? ", files marked FADV_NOREUSE left out" : ""));
      out.flush();
    }
  }

  private void report(EvictionTracer tracer, KernelEvictions kernel, PrintWriter out)
      throws IOException {
    Map<String, Long> values = kernel.counts();
    values.putAll(tracer.counters().values());
    String failure = tracer.counters().lastLookupFailure();
    out.println(
        json ? json(tracer.traced(), values, failure) : text(tracer.traced(), values, failure));
    out.flush();
  }

  private static String text(List<String> traced, Map<String, Long> values, String failure) {
    StringBuilder text = new StringBuilder(traced.isEmpty() ? "traces nothing yet" : "traces ");
    text.append(String.join("; ", traced)).append(':');
    values.forEach((name, value) -> text.append(' ').append(name).append('=').append(value));
    return text.append(failure.isEmpty() ? "" : " last failure: " + failure).toString();
  }

  private static String json(List<String> traced, Map<String, Long> values, String failure)
      throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("traced", traced);
    fields.putAll(values);
    fields.put("last_failure", failure);
    // Hadoop's writer breaks lines; those within texts are escaped.
    return new JsonSerialization<>(Map.class, false, true).toJson(fields).replaceAll("\n *", "");
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
