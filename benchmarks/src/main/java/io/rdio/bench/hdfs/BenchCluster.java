// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Task;
import io.rdio.hdfs.cluster.AgentDaemon;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ClusterBuilder;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * The throwaway cluster with its files, and a client JVM for each way of reading that is asked for.
 * For one thread.
 */
public final class BenchCluster implements AutoCloseable {
  /** Checksums, the file system's own blocks and journal, and space for blocks being written. */
  private static final long SPARE_BYTES = 1L << 30;

  /** With more of them each has less heap, so that all find room in memory beside their volumes. */
  private static final int DATA_NODES_MANY = 6;

  private final Cluster cluster;
  private final ClusterOptions options;
  private final PrintStream progress;
  private final StockFiles stockFiles;
  private final WayClients clients;
  private @Nullable ClientJvm loader;

  private BenchCluster(Cluster cluster, ClusterOptions options, PrintStream progress) {
    this.cluster = cluster;
    this.stockFiles = new StockFiles(cluster);
    this.options = options;
    this.clients = new WayClients(cluster, options);
    this.progress = progress;
  }

  /**
   * Starts a cluster for a benchmark.
   *
   * @param progress is told what goes on
   */
  public static BenchCluster start(
      ClusterOptions options, ClusterBenchmark<?> benchmark, PrintStream progress)
      throws IOException {
    long bytes = benchmark.bytes();
    int dataNodes = benchmark.dataNodes();
    Backing backing = options.onTmpfs() ? Backing.TMPFS : Backing.DISK;
    Checks.requireMemory(backing == Backing.TMPFS ? dataNodes * bytes : 0, benchmark.jvmBytes());
    progress.printf(
        "Starting a NameNode and %s with %s on a loop device (%s)%s...%n",
        dataNodes == 1 ? "a DataNode" : dataNodes + " DataNodes",
        options.fileSystem(),
        backing == Backing.TMPFS ? "in memory" : "on disk",
        dataNodes == 1 ? "" : " each");
    ClusterBuilder builder =
        Cluster.builder()
            .folderPrefix("rdio-bench-")
            .fileSystem(options.fileSystem())
            .volumeBytes(bytes + bytes / 16 + SPARE_BYTES)
            .backing(backing)
            .dataNodes(dataNodes)
            .set(
                "dfs.block.local-path-access.user",
                UserGroupInformation.getCurrentUser().getShortUserName());
    if (dataNodes > DATA_NODES_MANY) {
      builder.dataNodeOption("-Xmx512m");
    }
    benchmark.keys().forEach(builder::set);
    return new BenchCluster(builder.start(), options, progress);
  }

  /**
   * Writes files of content that no two have in common.
   *
   * @return their names
   */
  public List<String> write(String prefix, int count, long bytesEach) throws IOException {
    return write(prefix, count, bytesEach, 0);
  }

  /**
   * The same.
   *
   * @param blockBytes of their blocks, at most; 0 for what the cluster has by default
   */
  public List<String> write(String prefix, int count, long bytesEach, long blockBytes)
      throws IOException {
    progress.printf(Locale.ROOT, "Writing %d files of %s each...%n", count, Sizes.label(bytesEach));
    return stockFiles.write(prefix, count, bytesEach, blockBytes);
  }

  /** What a file is to hold. */
  @FunctionalInterface
  public interface Content {
    /** Writes it to a file that does not exist. */
    void write(Path local) throws IOException;
  }

  /**
   * Writes one file.
   *
   * @return its name
   */
  public String write(String name, Content content) throws IOException {
    return stockFiles.write(name, content);
  }

  /** Tells the user what goes on. */
  public void say(String what) {
    progress.println(what);
  }

  /** Off-heap memory that clients of {@link Way#CACHED} started from now on have for blocks. */
  public void setDataCacheBytes(long bytes) {
    clients.setDataCacheBytes(bytes);
  }

  /** What dfs.client.rdio.routing clients of {@link Way#ROUTED} started from now on have. */
  public void setRouting(String value) {
    clients.setRouting(value);
  }

  /** More keys of clients of all ways by RDIO that are started from now on. */
  public void addRdioKeys(Map<String, String> keys) {
    clients.addRdioKeys(keys);
  }

  /** Starts so many clients of {@link Way#AGENT}. */
  public Crowd startCrowd(int clients) throws IOException {
    startAgent();
    return Crowd.start(this, cluster, clients, options.buffer());
  }

  /** Most memory that the agent had resident so far, in bytes; 0 where none runs. */
  public long agentPeakBytes() {
    AgentDaemon agent = clients.agent();
    return agent == null ? 0 : PeakMemory.of(agent.pid());
  }

  /** Starts the agent that {@link Way#AGENT} asks, if it does not run yet. */
  public void startAgent() throws IOException {
    clients.startAgent();
  }

  /** Starts the client of each way, and compares every byte that it reads with what was written. */
  public void startClients(List<Way> ways, List<String> files) throws IOException {
    for (Way way : ways) {
      clients.start(way, files);
      prepareCaches();
      verify(way, files);
    }
  }

  /**
   * Starts the client of each way, which is to write; if one runs that reads, that ends.
   *
   * @param policy by which all files are erasure-coded; null for replicas
   * @return who has them write
   */
  public FileWrites startWriters(List<Way> ways, @Nullable ErasureCodingPolicy policy)
      throws IOException {
    CodedFiles coded = policy == null ? null : CodedFiles.of(cluster, policy);
    for (Way way : ways) {
      clients.start(way, List.of());
    }
    return new FileWrites(this, cluster, coded);
  }

  /** The slots of its DataNodes, for benchmarks that do not only write. */
  public SlotPools slotPools() {
    return new SlotPools(cluster);
  }

  /** Starts the client of {@link #measureUnderLoad} that keeps the device busy. */
  public void startLoader(List<String> files) throws IOException {
    loader = clients.startDeviceClient("loader", files);
  }

  /**
   * Has a task done, after {@link #prepareCaches}, while the loader does another, which is begun
   * before and should last longer.
   */
  public Pass measureUnderLoad(Way way, Task task, Task load) throws IOException {
    prepareCaches();
    ClientJvm busy = Objects.requireNonNull(loader, "no loader was started");
    FutureTask<Answer> loading = new FutureTask<>(() -> busy.ask(load));
    Thread thread = new Thread(loading, "bench-load");
    thread.start();
    Pass pass = measure(way, task);
    try {
      loading.get();
    } catch (ExecutionException e) {
      throw new IOException("the load on the device failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted under load");
    }
    return pass;
  }

  /**
   * Reads files by a way and compares every byte with what was written.
   *
   * @throws IOException naming the first file that differs
   */
  private void verify(Way way, List<String> files) throws IOException {
    progress.printf("%s: comparing every byte with what was written...%n", way.label());
    List<String> read = ask(way, Task.verify(files)).sha256();
    for (int i = 0; i < files.size(); i++) {
      requireAsWritten(way, files.get(i), read.get(i));
    }
  }

  /**
   * Compares what was read of a file with what was written.
   *
   * @param digest SHA-256 of it, in hexadecimal digits
   * @throws IOException naming the file if it differs
   */
  void requireAsWritten(Way way, String file, String digest) throws IOException {
    if (!digest.equals(stockFiles.sha256(file))) {
      throw new IOException(
          "WRONG: what " + way.label() + " read of " + file + " is not what was written");
    }
  }

  /** JVMs that live for one file each. */
  public FreshJvms freshJvms() {
    return new FreshJvms(this, cluster);
  }

  /**
   * Makes the volume's device slow for all who have it read: the DataNode, the agent, all clients
   * so far. Closed, or when the cluster is removed, it is fast again.
   */
  public DiskLimit slowDown(long bytesPerSecond) throws IOException {
    String name = "rdio-bench-" + ProcessHandle.current().pid();
    String device = Files.readString(deviceSettings().resolve("dev")).strip();
    DiskLimit limit = DiskLimit.create(name, device, bytesPerSecond, cluster.teardown());
    try {
      limit.add(cluster.dataNode(0).pid());
      for (long pid : clients.pids()) {
        limit.add(pid);
      }
      return limit;
    } catch (IOException e) {
      limit.close();
      throw e;
    }
  }

  /** The folder of the kernel's settings for the volume's device. */
  public Path deviceSettings() {
    return Path.of("/sys/block", cluster.volume(0).device().substring("/dev/".length()));
  }

  /** Takes the block files out of the page cache, unless the options say that they stay there. */
  public void prepareCaches() throws IOException {
    if (options.cold()) {
      cluster.dropPageCaches();
    }
  }

  /** {@link #measure} after {@link #prepareCaches}. */
  public Pass measurePrepared(Way way, Task task) throws IOException {
    prepareCaches();
    return measure(way, task);
  }

  /** Has a task done, with the meters around it. */
  public Pass measure(Way way, Task task) throws IOException {
    return measure(way, () -> ask(way, task));
  }

  /** What is measured. */
  interface Reading {
    Answer read() throws IOException;
  }

  /** Reads, with the meters around it. */
  Pass measure(Way way, Reading reading) throws IOException {
    Meters before = meters();
    Answer answer = reading.read();
    return meters().since(before).pass(way, answer);
  }

  /** What was used up to now. */
  Meters meters() throws IOException {
    return Meters.of(cluster, clients.agent());
  }

  /** Has the client of a way do a task. */
  Answer ask(Way way, Task task) throws IOException {
    return clients.of(way).ask(task);
  }

  /** Has clients that record write what they have; they read no more. */
  void finishRecordings() throws IOException {
    if (options.recordsMaps()) {
      clients.end();
    }
  }

  /** Ends and removes everything. */
  @Override
  public void close() {
    progress.println("Removing the cluster...");
    cluster.close();
  }
}
