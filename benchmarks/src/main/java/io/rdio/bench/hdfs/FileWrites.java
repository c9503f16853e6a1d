// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Output;
import io.rdio.bench.client.Task;
import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/**
 * Has clients write files, with the meters around them. Before each pass that is measured all slots
 * are free and all that was written is on the devices; behind it groups of an erasure code have all
 * their blocks, and stock HDFS reads the files, which are compared and removed. For one thread.
 */
public final class FileWrites {
  private static final String FOLDER = "/write";
  private static final String BEAN = "Hadoop:service=DataNode,name=RdioDataNode-*";
  private static final Duration REMOVAL_TIME_MAX = Duration.ofMinutes(5);
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** Bytes of deleted files that volumes, which have more to spare, may still have. */
  private static final long DELETED_BYTES_MAX = 256L << 20;

  private final BenchCluster bench;
  private final Cluster cluster;
  private final SlotPools pools;
  private final @Nullable CodedFiles coded;
  private int passes;
  private long deletedBytes;

  /**
   * @param coded null where files have replicas
   */
  FileWrites(BenchCluster bench, Cluster cluster, @Nullable CodedFiles coded) {
    this.bench = bench;
    this.cluster = cluster;
    this.pools = new SlotPools(cluster);
    this.coded = coded;
  }

  /** Waits until each DataNode has as many free slots as it wants. */
  public void awaitSlots(long poolBytes, long blockBytes) throws IOException {
    pools.awaitFilled(poolBytes, blockBytes);
  }

  /**
   * Measures how files are written.
   *
   * @param files that are written at most, at least one for each thread
   * @param seconds from which on no further file is begun; 0 for one by each thread
   */
  public Pass measure(Way way, int files, int threads, Output output, double seconds)
      throws IOException {
    List<String> names = names(files);
    SlotPools.Free before = pools.awaitFull();
    cluster.writeBack();
    ParityWatch parity = ParityWatch.begin(coded, way);
    ThreadTimes threadsBegun = ThreadTimes.of(cluster);
    Meters begun = bench.meters();
    Answer answer = bench.ask(way, Task.write(names, threads, output, seconds));
    parity.awaitAgent(); // what it does behind the last close is the pass's, too
    Meters ended = bench.meters();
    ThreadTimes threadsEnded = ThreadTimes.of(cluster);
    SlotPools.Free during = pools.free();
    List<String> written = names.subList(0, Math.toIntExact(answer.totals().reads()));
    ParityLag lag = parity.awaitNameNode(written);
    cluster.writeBack();
    SlotPools.Free behind = pools.awaitFull();
    Meters settled = bench.meters();
    compare(way, written, output);
    delete();
    awaitRemoved(); // for what comes next needs the room
    SlotCost slots =
        new SlotCost(
            behind.newBytes(before),
            during.newBytes(before),
            settled.since(ended).dataNodeCpuSeconds());
    Meters used = ended.since(begun);
    return pass(way, answer, used, settled.since(begun), slots)
        .with(lag)
        .with(threadsEnded.since(threadsBegun, used.dataNodeCpuSeconds()));
  }

  /** No two passes write the same bytes. */
  private List<String> names(int files) {
    String folder = FOLDER + "/" + passes++;
    return IntStream.range(0, files).mapToObj(i -> folder + "/" + i).toList();
  }

  /**
   * Has files written that nobody measures or reads, and deletes them; some may be on the volumes
   * until {@link #awaitRemoved}. All slots are free before, so that none is lacking.
   *
   * @param files that are written at most
   * @param seconds from which on no further file is begun, but for one by each thread
   * @return those that were written by this way from end to end, at least one
   * @throws IOException if there was none
   */
  public long store(Way way, int files, int threads, Output output, double seconds)
      throws IOException {
    List<String> names = names(files);
    pools.awaitFull();
    ParityWatch parity = ParityWatch.begin(coded, way);
    Answer answer = bench.ask(way, Task.write(names, threads, output, seconds));
    parity.awaitAgent(); // which could not write it to blocks that are deleted
    delete();
    deletedBytes += files * output.bytes();
    if (deletedBytes >= DELETED_BYTES_MAX) {
      awaitRemoved();
    }
    long stored = new Pass(way, answer, 0, 0, 0, 0).bytesByWay() / output.bytes();
    if (stored == 0) {
      throw new IOException(
          way.label()
              + " stored none of "
              + answer.totals().reads()
              + " files that were to warm it up; fallbacks: "
              + answer.counters().fallbacks());
    }
    return stored;
  }

  /**
   * Puts a pass together.
   *
   * @param used to the end of the last file, and of the parity behind it
   * @param settled until all was on the devices, and the pools were full
   */
  static Pass pass(Way way, Answer answer, Meters used, Meters settled, SlotCost slots) {
    return new Pass(
        way,
        answer,
        used.dataNodeCpuSeconds(),
        used.agentCpuSeconds(),
        used.loopbackBytes(),
        settled.readBytes() + settled.writtenBytes() - slots.bytes(),
        slots);
  }

  private void compare(Way way, List<String> files, Output output) throws IOException {
    List<String> written = output.sha256(files);
    List<String> read = bench.ask(Way.STOCK, Task.verify(files)).sha256();
    for (int i = 0; i < files.size(); i++) {
      if (!read.get(i).equals(written.get(i))) {
        throw new IOException(
            "WRONG: what stock HDFS reads of "
                + files.get(i)
                + " is not what was written by "
                + way.label());
      }
    }
  }

  private void delete() throws IOException {
    try (FileSystem fs = cluster.fileSystem(false)) {
      fs.delete(new org.apache.hadoop.fs.Path(FOLDER), true);
    }
  }

  /** Waits until the volumes have nothing of the files that were deleted. */
  public void awaitRemoved() throws IOException {
    long end = System.nanoTime() + REMOVAL_TIME_MAX.toNanos();
    while (hasBlocks()) {
      if (System.nanoTime() > end) {
        throw new IOException(
            "files that were deleted are still on the DataNodes' volumes after "
                + REMOVAL_TIME_MAX.toMinutes()
                + " minutes");
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
    deletedBytes = 0;
  }

  /** Whether block files, or links that are held of them, are left. */
  private boolean hasBlocks() throws IOException {
    for (int i = 0; i < cluster.dataNodes(); i++) {
      try (Stream<Path> tree = Files.walk(cluster.volume(i).mountPoint().resolve("data"))) {
        if (tree.anyMatch(path -> String.valueOf(path.getFileName()).startsWith("blk_"))) {
          return true;
        }
      } catch (UncheckedIOException e) {
        if (e.getCause() instanceof NoSuchFileException) {
          return true; // it goes just now
        }
        throw e.getCause();
      }
    }
    return false;
  }

  /**
   * One of the counters of all DataNodes' plugins, some seconds old.
   *
   * @throws IOException if one does not have it
   */
  public long counter(String name) throws IOException {
    long sum = 0;
    for (int i = 0; i < cluster.dataNodes(); i++) {
      Map<String, Object> bean = cluster.dataNode(i).jmx(BEAN);
      if (!(bean.get(name) instanceof Number value)) {
        throw new IOException("DataNode " + i + " has no metric " + name + " in " + BEAN);
      }
      sum += value.longValue();
    }
    return sum;
  }
}
