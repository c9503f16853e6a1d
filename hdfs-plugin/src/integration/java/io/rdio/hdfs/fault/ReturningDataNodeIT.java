// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.hdfs.cluster.Shape.SHORT_TWO_NODES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * DataNodes come back to clients that hold maps by the device, and go on changing the files while
 * these are read in loops: appended to, truncated, replicated less and more, deleted with their
 * space given to other files, and both DataNodes killed once more. A read has the file's bytes, or
 * fails as one of stock HDFS does; new maps are leases again.
 */
@Tag("loop")
@Shares(SHORT_TWO_NODES)
class ReturningDataNodeIT {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 3 * BLOCK + 12345;
  private static final int APPENDED = BLOCK + 777;
  private static final int APPENDS = 3;
  private static final int CUT_TO = BLOCK + BLOCK / 2 + 77;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private SharedClusters clusters;
  private Cluster cluster;
  private FileSystem stock;
  private SeededFile steady;
  private SeededFile shrinking;
  private SeededFile doomed;

  /** As it will be; what there is of it is a beginning. */
  private SeededFile growing;

  @BeforeEach
  void start(SharedClusters shared) throws Exception {
    clusters = shared;
    cluster = shared.of(SHORT_TWO_NODES);
    stock = cluster.fileSystem(false);
    steady = SeededFile.write(stock, "/steady", LENGTH, 1);
    shrinking = SeededFile.write(stock, "/shrinking", LENGTH, 2);
    doomed = SeededFile.write(stock, "/doomed", LENGTH, 3);
    SeededFile begun = SeededFile.write(stock, "/growing", LENGTH, 4);
    byte[] all = Arrays.copyOf(begun.bytes(), LENGTH + APPENDS * APPENDED);
    byte[] more = SeededFile.random(APPENDS * APPENDED, 5);
    System.arraycopy(more, 0, all, LENGTH, more.length);
    growing = new SeededFile(begun.path(), all);
    List.of(steady, shrinking, doomed, growing).forEach(file -> awaitReplicas(file, 2));
    cluster.writeBack();
  }

  @AfterEach
  void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
    if (clusters != null) {
      clusters.clean(SHORT_TWO_NODES);
    }
  }

  private void awaitReplicas(SeededFile file, int count) {
    awaitAsserted(
        count + " replicas of " + file.path(),
        () ->
            assertThat(Maps.blocks(stock, file.path()))
                .allSatisfy(block -> assertThat(block.getLocations()).hasSize(count)));
  }

  private RdioClient client(ReadMode mode, String rpcTimeout) throws IOException {
    return RdioClient.of(
        cluster,
        mode,
        "dfs.client.rdio.metadata-plane",
        "auto",
        "dfs.client.rdio.datanode.backoff",
        "500ms",
        "dfs.client.rdio.rpc.timeout",
        rpcTimeout);
  }

  private static long mapsByDevice() {
    return RdioClientContext.counters().mapsByDevice.sum();
  }

  @Test
  void filesThatAreChangedWhenItIsBack() throws Exception {
    killBoth();
    try (Readers readers = new Readers()) {
      for (LoopReader reader : readers.all) {
        readByDevice(reader);
      }
      readers.begin();
      readers.awaitRounds();
      startBoth();
      append();
      readers.awaitRounds();
      truncate();
      readers.awaitRounds();
      awaitGrants();
      replicateLessAndMore(readers);
      delete(readers);
      restart(readers);
      awaitNoMapsByDevice(readers);
      readers.end();
    }
    assertAllIsThere();
  }

  /** So that it holds maps by the device when the DataNodes come back. */
  private void readByDevice(LoopReader reader) throws IOException, FallbackException {
    long before = mapsByDevice();
    for (SeededFile file : List.of(steady, shrinking, doomed)) {
      awaitAsserted("read by the device", () -> reader.client.readByRdio(file));
    }
    assertThat(mapsByDevice() - before).as("of " + reader.mode).isGreaterThan(0);
    if (reader.mode == ReadMode.DIRECT) {
      assertThat(Maps.of(reader.client.fs(), steady.path(), 0).origin())
          .isNotInstanceOf(GrantOrigin.class);
    }
  }

  private void killBoth() throws IOException {
    for (int i = 0; i < 2; i++) {
      cluster.dataNode(i).kill();
    }
  }

  private void startBoth() throws IOException {
    for (int i = 0; i < 2; i++) {
      cluster.dataNode(i).start();
    }
  }

  /** Until a client of its own reads by leases; it shares no maps with those that read in loops. */
  private void awaitGrants() {
    awaitAsserted(
        "maps are leases again",
        () -> {
          try (RdioClient later = client(ReadMode.DIRECT, "10s")) {
            later.read(steady); // others are counted, too
            assertThat(Maps.of(later.fs(), steady.path(), 0).origin())
                .isInstanceOf(GrantOrigin.class);
          }
        });
  }

  private static void awaitAsserted(String what, ThrowingRunnable assertion) {
    await(what)
        .atMost(PATIENCE)
        .ignoreExceptionsMatching(e -> e instanceof IOException || e instanceof FallbackException)
        .untilAsserted(assertion);
  }

  private void append() throws IOException {
    for (int i = 0; i < APPENDS; i++) {
      int from = LENGTH + i * APPENDED;
      try (FSDataOutputStream out = stock.append(growing.path())) {
        out.write(growing.range(from, from + APPENDED));
      }
    }
  }

  /** To the middle of a block, which is recovered for it; and written again behind that. */
  private void truncate() throws IOException {
    DistributedFileSystem hdfs = (DistributedFileSystem) stock;
    stock.truncate(shrinking.path(), CUT_TO);
    await("the block is recovered")
        .atMost(PATIENCE)
        .until(
            () ->
                hdfs.getFileStatus(shrinking.path()).getLen() == CUT_TO
                    && hdfs.isFileClosed(shrinking.path()));
    try (FSDataOutputStream out = stock.append(shrinking.path())) {
      out.write(shrinking.range(CUT_TO, LENGTH));
    }
  }

  private void replicateLessAndMore(Readers readers) throws Exception {
    stock.setReplication(steady.path(), (short) 1);
    awaitReplicas(steady, 1);
    readers.awaitRounds();
    stock.setReplication(steady.path(), (short) 2);
    awaitReplicas(steady, 2);
    readers.awaitRounds();
  }

  private void delete(Readers readers) throws Exception {
    Set<String> names =
        Maps.blocks(stock, doomed.path()).stream()
            .map(block -> block.getBlock().getBlockName())
            .collect(Collectors.toSet());
    assertThat(names).isNotEmpty();
    List<FSDataInputStream> open = new ArrayList<>();
    for (LoopReader reader : readers.all) {
      open.add(reader.client.fs().open(doomed.path()));
    }
    stock.delete(doomed.path(), false);
    await("the DataNodes delete the replicas").atMost(PATIENCE).until(() -> isGone(names));
    List<FreeSpace> spaces =
        Stream.of(0, 1).map(i -> new FreeSpace(cluster.volume(i).mountPoint())).toList();
    for (FreeSpace space : spaces) {
      space.fill();
    }
    for (FSDataInputStream in : open) {
      readOrFail(in, doomed);
      in.close();
    }
    readers.awaitRounds();
    for (FreeSpace space : spaces) {
      space.empty();
    }
  }

  private boolean isGone(Set<String> names) throws IOException {
    List<Path> there = new ArrayList<>(Maps.blockFiles(cluster.volume(0).mountPoint()));
    there.addAll(Maps.blockFiles(cluster.volume(1).mountPoint()));
    return there.stream().noneMatch(path -> names.contains(path.getFileName().toString()));
  }

  /** Right bytes, or an exception, which is what stock HDFS has for a file that is gone. */
  private static void readOrFail(FSDataInputStream in, SeededFile file) {
    for (int at = 0; at < LENGTH - 1000; at += BLOCK / 3) {
      byte[] got = new byte[1000];
      try {
        in.readFully(at, got);
      } catch (IOException gone) {
        continue;
      }
      file.check(at, got);
    }
  }

  private void restart(Readers readers) throws Exception {
    cluster.writeBack();
    long before = mapsByDevice();
    killBoth();
    await("leases run out")
        .atMost(PATIENCE)
        .until(
            () -> {
              readers.requireRunning();
              return mapsByDevice() > before;
            });
    readers.awaitRounds();
    startBoth();
    readers.awaitRounds();
    awaitGrants();
  }

  private void awaitNoMapsByDevice(Readers readers) {
    awaitAsserted(
        "no maps by the device any more",
        () -> {
          long before = mapsByDevice();
          readers.awaitRounds();
          assertThat(mapsByDevice()).isEqualTo(before);
        });
  }

  private void assertAllIsThere() throws IOException {
    try (RdioClient later = client(ReadMode.DIRECT, "10s")) {
      for (SeededFile file : List.of(steady, shrinking, growing)) {
        awaitAsserted("read by RDIO", () -> later.readByRdio(file));
      }
      assertThat(later.fs().exists(doomed.path())).isFalse();
    }
  }

  /** All of them at once, each a client of its own with a thread of its own. */
  private final class Readers implements AutoCloseable {
    final List<LoopReader> all = new ArrayList<>();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> running = new ArrayList<>();

    Readers() throws IOException {
      List<LoopReader.Part> files =
          List.of(
              new LoopReader.Part(steady, LENGTH, true),
              new LoopReader.Part(shrinking, 0, true),
              new LoopReader.Part(growing, 0, true),
              new LoopReader.Part(doomed, LENGTH, false));
      for (ReadMode mode : ReadMode.values()) {
        all.add(new LoopReader(mode, client(mode, "3s"), files));
      }
    }

    void begin() {
      for (LoopReader reader : all) {
        running.add(threads.submit(reader));
      }
    }

    /** Throws what one of them ended by: a wrong byte. */
    void requireRunning() throws ExecutionException, InterruptedException {
      for (Future<?> each : running) {
        if (each.isDone()) {
          each.get();
        }
      }
    }

    /** Until each has read all files that are there, from their beginning, since this call. */
    void awaitRounds() {
      for (LoopReader reader : all) {
        long enough = reader.rounds.get() + 2; // one of them was under way
        awaitAsserted(
            "rounds by " + reader.mode,
            () -> {
              requireRunning();
              assertThat(reader.rounds.get())
                  .as("the last failure: " + reader.lastFailure)
                  .isGreaterThanOrEqualTo(enough);
            });
      }
    }

    /** Fails if one of them ever read a wrong byte. */
    void end() throws ExecutionException, InterruptedException {
      all.forEach(reader -> reader.ended = true);
      threads.shutdown();
      assertThat(threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      requireRunning();
    }

    @Override
    public void close() throws IOException {
      all.forEach(reader -> reader.ended = true);
      threads.shutdown();
      for (LoopReader reader : all) {
        reader.client.close();
      }
    }
  }
}
