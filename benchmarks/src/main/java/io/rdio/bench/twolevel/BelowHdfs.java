// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.hdfs.DiskLimit;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * HDFS as it is, on a {@link TwoLevelStack}: the volume of its one DataNode is the namespace, and
 * clients, in this process, read a file that does not fit into the DataNode's page cache. The
 * DataNode, as a compute node, is in a memory control group of its own that bounds that; KTracer
 * and PrefCache run as in {@link RealTwoLevels}. All that the disk is asked for, on demand and
 * ahead, shares one rate. For one thread.
 */
final class BelowHdfs implements AutoCloseable {
  private static final Path FILE = new Path("/data");
  private static final long HDFS_BLOCK_BYTES = 64L << 20;

  /** Of the cluster's own volume, which the DataNode is not told of. */
  private static final long UNUSED_VOLUME_BYTES = 32L << 20;

  /** Heap and code are there before the DataNode is bounded: what is bounded is its page cache. */
  private static final String[] DATA_NODE_OPTIONS = {
    "-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
  };

  private static final int BUFFER_BYTES = 1 << 16;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int SECTOR_BYTES = 512;

  private record Sample(long asked, long disk, long prefetched, long extraNetwork) {}

  private final TwoLevelStack stack;
  private final Cluster cluster;
  private final FileSystem fs;
  private final long bytes;
  private final long diskBytesPerSecond;

  private BelowHdfs(
      TwoLevelStack stack, Cluster cluster, FileSystem fs, long bytes, long diskBytesPerSecond) {
    this.stack = stack;
    this.cluster = cluster;
    this.fs = fs;
    this.bytes = bytes;
    this.diskBytesPerSecond = diskBytesPerSecond;
  }

  /**
   * Starts all of it and writes the file.
   *
   * @param fileSystem of the DataNode's volume: ext4 or xfs
   * @param bytes of the file, a multiple of {@link HdfsReads#CHUNK_BYTES}
   */
  static BelowHdfs start(String fileSystem, long bytes, long diskBytesPerSecond)
      throws IOException {
    TwoLevelStack stack = TwoLevelStack.withoutData(fileSystem, bytes);
    try {
      Cluster cluster = cluster(stack);
      try {
        FileSystem fs = cluster.fileSystem(false);
        write(fs, bytes);
        return new BelowHdfs(stack, cluster, fs, bytes, diskBytesPerSecond);
      } catch (IOException e) {
        cluster.close();
        throw e;
      }
    } catch (IOException e) {
      stack.close();
      throw e;
    }
  }

  private static Cluster cluster(TwoLevelStack stack) throws IOException {
    var builder =
        Cluster.builder()
            .folderPrefix("rdio-below-hdfs-")
            .plugin(false)
            .volumeBytes(UNUSED_VOLUME_BYTES)
            .set("dfs.datanode.data.dir", "[DISK]" + stack.mountPoint().resolve("dn").toUri())
            // Its reads would be counted with the clients'.
            .set("dfs.block.scanner.volume.bytes.per.second", "0");
    for (String option : DATA_NODE_OPTIONS) {
      builder.dataNodeOption(option);
    }
    return builder.start();
  }

  private static void write(FileSystem fs, long bytes) throws IOException {
    try (OutputStream out =
        fs.create(FILE, true, BUFFER_BYTES, fs.getDefaultReplication(FILE), HDFS_BLOCK_BYTES)) {
      RandomContent.write(out, 1, bytes, written -> {});
    }
  }

  /**
   * Runs one policy, from empty caches.
   *
   * @param maxQueueLength requests of the DataNode under way up to which BNEX prefetches
   */
  HdfsResult run(ReadPlan plan, String policy, double fraction, int maxQueueLength)
      throws IOException {
    stack.dropCaches();
    String mark = "rdio-below-hdfs-" + ProcessHandle.current().pid();
    int blocks = Math.toIntExact(bytes / Workload.BLOCK_BYTES);
    int capacity = TwoLevelSimulation.capacity(blocks, fraction);
    HdfsReads reads = new HdfsReads(plan, fs, FILE, bytes);
    try (RealStorageCache level2 = RealStorageCache.start(policy, stack, capacity, maxQueueLength);
        ControlGroup compute = ControlGroup.create(mark, stack.teardown());
        DiskLimit disk =
            DiskLimit.create(
                mark + "-disk", stack.diskNumber(), diskBytesPerSecond, stack.teardown())) {
      compute.limitMemory(bytes / TwoLevelSimulation.LEVEL1_SHARE);
      compute.add(dataNode().pid());
      disk.add(dataNode().pid());
      disk.add(ProcessHandle.current().pid());
      pass(reads, plan.warmUps(), plan.pause());
      Sample warm = sample(level2);
      double seconds = pass(reads, plan.passes(), plan.pause());
      Sample end = sample(level2);
      long prefetched = end.prefetched - warm.prefetched;
      return new HdfsResult(
          plan.workload(),
          policy,
          fraction,
          plan.pause().toMillis() / 1000.0,
          seconds,
          plan.passes() * bytes,
          end.asked - warm.asked,
          end.disk - warm.disk - prefetched,
          prefetched,
          end.extraNetwork - warm.extraNetwork,
          compute.pageCacheBytes(),
          stack.imageBytesInMemory());
    }
  }

  /** The time that clients read, in seconds. */
  private static double pass(HdfsReads reads, int passes, Duration pause) throws IOException {
    long nanos = 0;
    for (int i = 0; i < passes; i++) {
      long start = System.nanoTime();
      reads.pass();
      nanos += System.nanoTime() - start;
      rest(pause);
    }
    return nanos / NANOS_PER_SECOND;
  }

  private static void rest(Duration pause) throws IOException {
    try {
      TimeUnit.NANOSECONDS.sleep(pause.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted between two passes");
    }
  }

  private Sample sample(RealStorageCache level2) throws IOException {
    return new Sample(
        bytesRead(stack.namespaceNumber()),
        bytesRead(stack.diskNumber()),
        ownBytesRead(),
        level2.extraNetworkBytes());
  }

  /** Of a block device, by whomever. */
  private static long bytesRead(String device) throws IOException {
    String stat = Files.readString(java.nio.file.Path.of("/sys/dev/block", device, "stat"));
    return Long.parseLong(stat.strip().split("\\s+", -1)[2]) * SECTOR_BYTES;
  }

  /** Of block devices, by this process; PrefCache's readahead of the image is all that it reads. */
  private static long ownBytesRead() throws IOException {
    String mark = "read_bytes: ";
    for (String line : Files.readAllLines(java.nio.file.Path.of("/proc/self/io"))) {
      if (line.startsWith(mark)) {
        return Long.parseLong(line.substring(mark.length()));
      }
    }
    throw new IOException("/proc/self/io does not tell read_bytes");
  }

  private HadoopDaemon dataNode() {
    return cluster.dataNode(0);
  }

  /** Ends and removes everything. */
  @Override
  public void close() throws IOException {
    try {
      fs.close();
    } finally {
      cluster.close();
      stack.close();
    }
  }
}
