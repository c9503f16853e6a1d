// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.exclusive.eviction.EvictionTracer;
import io.rdio.exclusive.eviction.KTracerAgent;
import io.rdio.exclusive.eviction.KernelEvictions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      "Exit status: that of the signal that ended it (143, 130), 1 if it could not begin."
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

  @Mixin private AgentRun run = new AgentRun();

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    if (!RootRights.mayLoadBpf()) {
      return RootRights.missing("eBPF needs CAP_BPF and CAP_PERFMON");
    }
    run.run(this::start);
    return 0;
  }

  private void check() {
    run.check();
    if (enough < 0 || patienceMillis < 0 || keptRuns < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--enough and --patience must not be negative, and --keep at least 1");
    }
    if (!storage.matches(".+:[0-9]{1,5}")) {
      throw new ParameterException(
          spec.commandLine(), "--storage " + storage + " is not of the form HOST:PORT");
    }
  }

  private Running start() throws IOException {
    EvictionTracer.Settings defaults = EvictionTracer.Settings.DEFAULT;
    return new Running(
        storage,
        KTracerAgent.start(
            new KernelEvictions(probe, !noNoReuse),
            storage,
            devices,
            new EvictionTracer.Settings(
                Duration.ofMillis(patienceMillis),
                enough,
                defaults.maxWaiting(),
                keptRuns,
                defaults.extents(),
                defaults.rescan())));
  }

  private record Running(String storage, KTracerAgent agent) implements AgentRun.Agent {
    @Override
    public String announcement() {
      return "KTracer for "
          + storage
          + " by "
          + agent.kernel().probe()
          + (agent.kernel().knowsNoReuse() ? ", files marked FADV_NOREUSE left out" : "");
    }

    private Map<String, Long> counts() {
      Map<String, Long> counts = agent.kernel().counts();
      counts.putAll(agent.tracer().counters().values());
      return counts;
    }

    private String lastFailure() {
      return agent.tracer().counters().lastLookupFailure();
    }

    @Override
    public String text() {
      List<String> traced = agent.tracer().traced();
      return (traced.isEmpty()
              ? "traces nothing yet: "
              : "traces " + String.join("; ", traced) + ": ")
          + AgentRun.pairs(counts())
          + (lastFailure().isEmpty() ? "" : " last failure: " + lastFailure());
    }

    @Override
    public Map<String, ?> values() {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("traced", agent.tracer().traced());
      values.putAll(counts());
      values.put("last_failure", lastFailure());
      return values;
    }

    @Override
    public void close() {
      agent.close();
    }
  }
}
