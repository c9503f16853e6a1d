// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.client.read.RunShape;
import io.rdio.client.tune.ReadSetting;
import io.rdio.client.tune.Tuning;
import io.rdio.client.tune.Tuning.Figure;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.device.RingQueue;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.hdfs.ConfigKey;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;

/**
 * Reads a device by each way that the client's keys can make sequential readers read it, and says
 * which is the smallest setting that is nearly as fast as the fastest. Never writes.
 */
final class TuneCheck {
  private static final String WHAT = "tune";
  private static final Duration EACH = Duration.ofMillis(250);
  private static final Duration ALL = Duration.ofSeconds(8);

  /** How long the device has to answer one read where the client would wait for ever. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /** Where reads follow each other the kernel may keep us for longer than that. */
  private static final int SECONDS_MAX = 30;

  private final Configuration conf;
  private final PrintWriter out;
  private final Findings findings;
  private final Tuning tuning;

  TuneCheck(Configuration conf, PrintWriter out, Findings findings) {
    this(conf, out, findings, new Tuning(System::nanoTime, new Random(), EACH, ALL));
  }

  TuneCheck(Configuration conf, PrintWriter out, Findings findings, Tuning tuning) {
    this.conf = conf;
    this.out = out;
    this.findings = findings;
    this.tuning = tuning;
  }

  /** Tries a device, or a regular file. */
  void run(Path node) {
    try (LocalDeviceDirectory devices = new LocalDeviceDirectory(Map.of(), patience())) {
      run(devices.open(node));
    } catch (IllegalArgumentException e) { // says which key
      findings.wrong(WHAT, FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage()));
    } catch (FallbackException e) {
      if (e.reason() == FallbackReason.DEVICE_PERMISSION) {
        findings.wrong(WHAT, Failures.text(e), asAnother(" " + node));
      } else {
        findings.wrong(WHAT, e);
      }
    }
  }

  private Duration patience() {
    Duration configured = RdioConfigKeys.CLIENT_READ_TIMEOUT.get(conf);
    return configured.isZero() ? PATIENCE : configured;
  }

  /**
   * Tries the first one: clients have one setting for all.
   *
   * @param devices of the DataNodes' volumes that this process may open
   */
  void run(List<BlockDevice> devices) {
    if (devices.isEmpty()) {
      findings.part("Windows of sequential reads");
      findings.note(
          WHAT, "nothing measured: this process may open no volume's device; " + asAnother(""));
      return;
    }
    run(devices.get(0));
    if (devices.size() > 1) {
      findings.note(
          WHAT, "the volumes have " + devices.size() + " devices; --tune DEVICE measures another");
    }
  }

  private static String asAnother(String node) {
    return "run it as a user who may, such as the agent's: 'sudo -u rdio hadoop rdio doctor --tune"
        + node
        + "'";
  }

  private void run(BlockDevice device) {
    findings.part(
        "Windows of sequential reads on "
            + device.name()
            + " ("
            + Table.bytes(device.sizeBytes())
            + ")");
    try {
      boolean hasQueue = hasQueue();
      Map<RunShape, ReadSetting> settings = settings(hasQueue);
      report(settings, measure(device, List.copyOf(settings.keySet()), hasQueue), hasQueue);
    } catch (IllegalArgumentException e) { // says which key
      findings.wrong(WHAT, FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage()));
    } catch (FallbackException e) {
      findings.wrong(WHAT, e);
    }
  }

  private boolean hasQueue() throws FallbackException {
    try {
      RingQueue.open().close();
      return true;
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.ASYNC_IO_UNAVAILABLE) {
        throw e;
      }
      findings.note("queue", "not available here, so device reads follow each other");
      return false;
    }
  }

  /**
   * By what readers make of them. The present one is the first and stands for its equals, unless
   * nothing is read ahead: that is as one window at a time for one size of reads only.
   */
  private Map<RunShape, ReadSetting> settings(boolean hasQueue) {
    List<ReadSetting> settings = new ArrayList<>();
    settings.add(present());
    settings.addAll(
        ReadSetting.candidates(hasQueue, RdioConfigKeys.CLIENT_BUFFER_MEMORY_MAX.get(conf)));
    Map<RunShape, ReadSetting> byShape = new LinkedHashMap<>();
    for (ReadSetting setting : settings) {
      byShape.merge(
          setting.shape(hasQueue),
          setting,
          (first, later) -> first.readAheadBytes() == 0 ? later : first);
    }
    return byShape;
  }

  private ReadSetting present() {
    return new ReadSetting(
        RdioConfigKeys.CLIENT_READ_AHEAD.get(conf), RdioConfigKeys.CLIENT_READ_WINDOW.get(conf));
  }

  private List<Figure> measure(BlockDevice device, List<RunShape> shapes, boolean hasQueue)
      throws FallbackException {
    Duration patience = patience();
    FutureTask<List<Figure>> measured =
        new FutureTask<>(
            () -> tuning.measure(device, shapes, hasQueue ? () -> RingQueue.open(patience) : null));
    // A daemon: a stuck read must not keep the command.
    DaemonThreads.daemon("rdio-tune", measured).start();
    try {
      return measured.get(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new FallbackException(
          FallbackReason.DEVICE_TIMEOUT, device.name() + " was not done in " + SECONDS_MAX + " s");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FallbackException refusal
          ? refusal
          : new FallbackException(
              FallbackReason.INTERNAL_ERROR, device.name() + ": " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "reading " + device.name());
    }
  }

  private void report(Map<RunShape, ReadSetting> settings, List<Figure> figures, boolean hasQueue) {
    Figure chosen = Tuning.smallestGood(figures);
    RunShape present = present().shape(hasQueue);
    Table table = new Table("  WINDOW", "UNDER WAY", "MB/s", "P50 us", "");
    for (Figure figure : figures) {
      table.row(
          "  " + Table.bytes(figure.shape().windowBytes()),
          figure.shape().windows(),
          Math.round(figure.bytesPerSecond() / 1e6),
          Math.round(figure.p50Nanos() / 1e3),
          figure.shape().equals(present) ? "present setting" : "");
    }
    table.print(out);
    if (figures.size() < settings.size()) {
      findings.note(
          WHAT, settings.size() - figures.size() + " others were not tried: the time was over");
    }
    figures.stream()
        .filter(figure -> figure.shape().equals(present))
        .forEach(figure -> findings.note("present", text(figure, figures)));
    findings.note("smallest", "within 5 % of the best: " + text(chosen, figures) + "; by these:");
    ReadSetting setting = Objects.requireNonNull(settings.get(chosen.shape()));
    property(RdioConfigKeys.CLIENT_READ_AHEAD, setting.readAheadBytes());
    property(RdioConfigKeys.CLIENT_READ_WINDOW, setting.windowBytes());
    out.flush();
  }

  private static String text(Figure figure, List<Figure> all) {
    double best = all.stream().mapToDouble(Figure::bytesPerSecond).max().orElseThrow();
    return figure.shape().windows()
        + " x "
        + Table.bytes(figure.shape().windowBytes())
        + " under way, "
        + Math.round(figure.bytesPerSecond() / 1e6)
        + " MB/s, "
        + Math.round(100 * figure.bytesPerSecond() / best)
        + " % of the best";
  }

  /** As it stands in core-site.xml. */
  private void property(ConfigKey<Integer> key, int bytes) {
    out.println("  <property>");
    out.println("    <name>" + key + "</name>");
    out.println("    <value>" + written(bytes) + "</value>");
    out.println("  </property>");
  }

  /** With Hadoop's suffixes. */
  static String written(int bytes) {
    if (bytes == 0 || bytes % 1024 != 0) {
      return Integer.toString(bytes);
    }
    return bytes % (1 << 20) == 0 ? (bytes >> 20) + "m" : (bytes >> 10) + "k";
  }
}
