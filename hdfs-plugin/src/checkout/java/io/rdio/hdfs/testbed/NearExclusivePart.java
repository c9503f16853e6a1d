// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Fabric.VOLUME;
import static io.rdio.hdfs.testbed.Host.DATANODE;

import io.rdio.hdfs.cluster.HadoopClassPath;
import io.rdio.hdfs.cluster.HadoopJvm;
import io.rdio.hdfs.cluster.Proc;
import io.rdio.hdfs.cluster.Shell;
import io.rdio.hdfs.cluster.SiteFiles;
import io.rdio.hdfs.demo.RandomContent;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * The near-exclusive storage cache over NVMe/TCP, in a boot of its own, without HDFS: KTracer on
 * the DataNode's host, PrefCache beside Linux's own target on the storage node, where the
 * namespace's image lies on a disk whose reads are counted. A file is scanned again and again by a
 * reader whose memory group holds less than half of it: first with an image that goes round the
 * storage node's page cache, then with both agents.
 */
final class NearExclusivePart {
  private static final Path FILE = Fabric.VOLUMES.get(0).resolve("data");
  private static final long FILE_BYTES = 48L << 20;
  private static final long READER_BYTES = 20L << 20;
  private static final String CAPACITY = "40m";

  /** The first fills the caches and is not counted. */
  private static final int SCANS = 4;

  private static final Path DISK = Path.of("/run/disk");
  private static final Path GROUP = Path.of("/sys/fs/cgroup/reader");
  private static final String ENDPOINT = "10.1.0.1:7070";

  /** Both sides of an emulated processor's JVM start included. */
  private static final int POLLS_MAX = 240;

  private static final int POLL_MILLIS = 500;

  /** After so many reports without a change they have come to rest. */
  private static final int QUIET_REPORTS = 3;

  private static final int PAGE_BYTES = 4096;

  /** What is left of the bytes that the disk was asked for while the reader waited, at most. */
  private static final double DEMANDED_MAX = 0.5;

  /** Descriptors for each byte that they have prefetched, at most. */
  private static final double DESCRIPTORS_MAX = 1.0 / 300;

  private final Fabric fabric;
  private final Path folder;
  private final Path logs;
  private final PrintStream out;
  private final String device;
  private final String loop;
  private final String disk;
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private boolean rightBytes = true;
  private boolean ok = true;

  private NearExclusivePart(Fabric fabric, Path folder, Path logs, PrintStream out)
      throws IOException {
    this.fabric = fabric;
    this.folder = folder;
    this.logs = logs;
    this.out = out;
    device = "/dev/" + fabric.device(DATANODE, VOLUME);
    loop = fabric.exported(VOLUME);
    disk = Shell.run("findmnt", "-no", "SOURCE", DISK.toString());
  }

  static NearExclusivePart run(Fabric fabric, Path folder, Path logs, PrintStream out)
      throws IOException {
    NearExclusivePart part = new NearExclusivePart(fabric, folder, logs, out);
    SiteFiles.write(folder.resolve("conf"), new Configuration(false));
    part.compare();
    return part;
  }

  private void compare() throws IOException {
    String sha256;
    try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(FILE), 1 << 20)) {
      sha256 = RandomContent.write(file, 1, FILE_BYTES, done -> {});
    }
    Files.createDirectory(GROUP);
    Files.writeString(GROUP.resolve("memory.max"), Long.toString(READER_BYTES));
    out.printf(
        "testbed: %d scans of %d MB over NVMe/TCP, the reader in %d MB; the storage cache: %s%n",
        SCANS, FILE_BYTES >> 20, READER_BYTES >> 20, CAPACITY);
    out.println("testbed: " + StorageReads.heading());
    StorageReads without = without(sha256);
    StorageReads with = with(sha256);
    check("all scans had the bytes that were written", rightBytes);
    check(
        "demanded bytes fall to half or less",
        with.demanded() <= DEMANDED_MAX * without.demanded());
    check(
        "descriptors are less than 1/300 of what they have prefetched",
        with.descriptors() > 0 && with.descriptors() < DESCRIPTORS_MAX * with.prefetched());
    fields.put("ok", ok);
  }

  private void check(String what, boolean holds) {
    ok &= holds;
    out.println("testbed: " + (holds ? "ok: " : "NOT SO: ") + what);
  }

  /** No storage cache: the loop device goes round the page cache. */
  private StorageReads without(String sha256) throws IOException {
    Shell.run("losetup", "--direct-io=on", loop);
    dropPageCaches();
    scan(sha256);
    StorageReads warm = soFar(null, null);
    for (int i = 1; i < SCANS; i++) {
      scan(sha256);
    }
    return counted("without", soFar(null, null).since(warm));
  }

  private StorageReads with(String sha256) throws IOException {
    Shell.run("losetup", "--direct-io=off", loop);
    dropPageCaches();
    try (Agent prefCache = Agent.start("prefcache", prefCache(), logs)) {
      await("PrefCache to listen", () -> !prefCache.report().isEmpty());
      try (Agent tracer = Agent.start("ktrace", DATANODE.place(kTracer()), logs)) {
        await(
            "KTracer to trace",
            () -> tracer.report().get("traced") instanceof List<?> traced && !traced.isEmpty());
        scan(sha256);
        settle(tracer, prefCache);
        StorageReads warm = soFar(tracer, prefCache);
        for (int i = 1; i < SCANS; i++) {
          scan(sha256);
          settle(tracer, prefCache);
        }
        StorageReads reads = counted("with", soFar(tracer, prefCache).since(warm));
        tell(tracer, prefCache);
        return reads;
      }
    }
  }

  private StorageReads counted(String name, StorageReads reads) {
    out.println("testbed: " + reads.line(name));
    fields.put(name, reads.fields());
    return reads;
  }

  private void tell(Agent tracer, Agent prefCache) throws IOException {
    fields.put("ktrace", tracer.report());
    fields.put("prefcache", prefCache.report());
    out.printf(
        "testbed: KTracer saw %d evicted pages in %d runs on %s and lost %d; PrefCache hit %d of"
            + " %d kB read, wasted %d, was late for %d, lost %d requests%n",
        tracer.counter("kernel_pages"),
        tracer.counter("kernel_runs"),
        tracer.report().get("traced"),
        tracer.counter("kernel_lost_pages"),
        prefCache.counter("hit_bytes") >> 10,
        prefCache.counter("read_bytes") >> 10,
        prefCache.counter("wasted_bytes") >> 10,
        prefCache.counter("late_bytes") >> 10,
        prefCache.counter("lost_requests"));
  }

  private ProcessBuilder prefCache() {
    return rdio("prefcache", "--listen", ENDPOINT, "--device", loop, "--capacity", CAPACITY);
  }

  /** An emulated processor is slow enough without a tracepoint on each of its system calls. */
  private ProcessBuilder kTracer() {
    return rdio("ktrace", "--storage", ENDPOINT, "--no-noreuse");
  }

  private ProcessBuilder rdio(String... words) {
    List<String> command = new ArrayList<>(List.of("io.rdio.hdfs.cli.Rdio"));
    command.addAll(List.of(words));
    command.addAll(Agent.REPORTS);
    return HadoopJvm.of(
        folder,
        folder.resolve("conf"),
        HadoopClassPath.ofThisJvm(),
        List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        command.toArray(String[]::new));
  }

  /** From beginning to end, by a process whose memory is bounded. */
  private void scan(String sha256) throws IOException {
    ProcessBuilder read = DATANODE.place(new ProcessBuilder("sha256sum", FILE.toString()));
    List<String> command = new ArrayList<>();
    // Before it is on its host, which sees no control groups.
    command.addAll(List.of("sh", "-c", "echo $$ >" + GROUP + "/cgroup.procs && exec \"$@\"", "sh"));
    command.addAll(read.command());
    String said = Shell.run(command.toArray(String[]::new));
    if (!said.startsWith(sha256 + " ")) {
      rightBytes = false;
    }
  }

  /**
   * Until what was evicted is prefetched, so that the next scan does not follow at once. Both have
   * reported since then, and all that the kernel had told was sent.
   */
  private static void settle(Agent tracer, Agent prefCache) throws IOException {
    List<Long> last = List.of();
    long tracerReports = 0;
    long prefCacheReports = 0;
    for (int i = 0; i < POLLS_MAX; i++) {
      List<Long> now =
          List.of(
              tracer.counter("evicted_bytes"),
              tracer.counter("sent_blocks"),
              prefCache.counter("described_bytes"),
              prefCache.counter("prefetched_bytes"),
              prefCache.counter("queued_bytes"));
      if (!now.equals(last) || now.get(0) != tracer.counter("kernel_pages") * PAGE_BYTES) {
        last = now;
        tracerReports = tracer.reports();
        prefCacheReports = prefCache.reports();
      } else if (tracer.reports() - tracerReports >= QUIET_REPORTS
          && prefCache.reports() - prefCacheReports >= QUIET_REPORTS) {
        return;
      }
      pause();
    }
    throw new IOException("the agents did not come to rest after a scan: " + last);
  }

  private StorageReads soFar(@Nullable Agent tracer, @Nullable Agent prefCache) throws IOException {
    return new StorageReads(
        Proc.bytesRead(device),
        Proc.bytesRead(disk),
        prefCache == null ? 0 : prefCache.bytesRead(),
        fabric.sentToStorage(DATANODE),
        tracer == null ? 0 : tracer.counter("sent_bytes"));
  }

  private void dropPageCaches() throws IOException {
    Shell.run("sync", "-f", Fabric.VOLUMES.get(0).toString());
    Shell.run("sync", "-f", DISK.toString());
    Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "1");
  }

  /** Something that comes true some time after it was asked for. */
  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(String what, Condition condition) throws IOException {
    for (int i = 0; i < POLLS_MAX; i++) {
      if (condition.holds()) {
        return;
      }
      pause();
    }
    throw new IOException("waited " + POLLS_MAX * POLL_MILLIS / 1000 + " s in vain for " + what);
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for the agents");
    }
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    return fields;
  }

  /** Whether all checks held. */
  boolean allOk() {
    return ok;
  }
}
