// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.LoopVolume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Measures what an append and a truncate of a leased block cost, and what other readers and writers
 * of that volume see meanwhile. Not part of any run: {@code -Dtest=AppendStall}, and {@code
 * -Drdio.stall.backing=TMPFS} for volumes in memory. Prints rows of a table.
 */
@Tag("loop")
final class AppendStall {
  private static final int ROUNDS = 3;
  private static final int SMALL = 64 << 10;

  @TempDir Path nameDirectory;

  /** Whose block it is. */
  private enum Holder {
    NOBODY,
    LEASED,
    LEASED_AND_RECALLED_FIRST
  }

  @ParameterizedTest
  @ValueSource(ints = {128, 1024})
  void stall(int megabytes) throws Exception {
    LoopVolume.Backing backing =
        LoopVolume.Backing.valueOf(System.getProperty("rdio.stall.backing", "DISK"));
    for (Holder holder : Holder.values()) {
      try (LoopVolume volume = LoopVolume.create("ext4", 6L << 30, backing);
          InJvmHdfs hdfs =
              new InJvmHdfs(
                  volume.mountPoint(),
                  nameDirectory.resolve(holder.name()),
                  keys(holder, megabytes))) {
        if (holder == Holder.LEASED_AND_RECALLED_FIRST) {
          ReturningHolder.start(hdfs);
        }
        List<Row> appends = new ArrayList<>();
        List<Row> truncates = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
          round(hdfs, holder, megabytes, appends, truncates);
        }
        print(backing, megabytes, holder, "append", appends);
        print(backing, megabytes, holder, "truncate", truncates);
      }
    }
  }

  private static Map<String, String> keys(Holder holder, int megabytes) {
    Map<String, String> keys = new HashMap<>();
    keys.put("dfs.blocksize", megabytes + 16 + "m");
    // What is not given back is soon over.
    keys.put(RdioConfigKeys.DATANODE_LEASE_DURATION.name(), "4s");
    keys.put(RdioConfigKeys.DATANODE_IO_TIME_MAX.name(), "1s");
    // Else a writer that asks once too early whether its file is closed waits 400 ms.
    keys.put("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", "5");
    if (holder == Holder.LEASED_AND_RECALLED_FIRST) {
      keys.put(
          DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY,
          RecallingDatasetFactory.class.getName());
    }
    return keys;
  }

  /** How long the change took, and the slowest small write and read that it overlapped. */
  private record Row(double change, double write, double read) {}

  private static void round(
      InJvmHdfs hdfs, Holder holder, int megabytes, List<Row> appends, List<Row> truncates)
      throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/big");
    byte[] piece = InJvmHdfs.randomBytes(1 << 20);
    try (FSDataOutputStream out = hdfs.fileSystem.create(file, true)) {
      for (int i = 0; i < megabytes; i++) {
        out.write(piece);
      }
    }
    lease(hdfs, holder, file);
    appends.add(
        during(
            hdfs,
            () -> {
              FSDataOutputStream out = hdfs.fileSystem.append(file);
              out.write(1);
              out.hflush(); // not before the DataNode has the block open for it
              return out;
            }));
    lease(hdfs, holder, file);
    truncates.add(
        during(
            hdfs,
            () -> {
              hdfs.fileSystem.truncate(file, ((long) megabytes << 20) - 1);
              await()
                  .pollInterval(Duration.ofMillis(5))
                  .atMost(Duration.ofMinutes(1))
                  .until(() -> hdfs.fileSystem.isFileClosed(file));
              return () -> {};
            }));
    hdfs.fileSystem.delete(file, false);
  }

  private static void lease(InJvmHdfs hdfs, Holder holder, org.apache.hadoop.fs.Path file)
      throws IOException {
    if (holder != Holder.NOBODY) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> hdfs.grant(hdfs.lastBlock(file)).hasFileMap());
    }
  }

  @SuppressWarnings("try") // what was changed is open until the end
  private static Row during(InJvmHdfs hdfs, Callable<AutoCloseable> change) throws Exception {
    hdfs.write("small", InJvmHdfs.randomBytes(SMALL));
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Double> write = slowest(over, () -> write(hdfs));
    CompletableFuture<Double> read = slowest(over, () -> read(hdfs));
    long start = System.nanoTime();
    try (AutoCloseable changed = change.call()) {
      double millis = (System.nanoTime() - start) / 1e6;
      over.set(true);
      return new Row(millis, write.get(1, TimeUnit.MINUTES), read.get(1, TimeUnit.MINUTES));
    }
  }

  private static void write(InJvmHdfs hdfs) {
    try {
      org.apache.hadoop.fs.Path path = hdfs.write("other", InJvmHdfs.randomBytes(SMALL));
      hdfs.fileSystem.delete(path, false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void read(InJvmHdfs hdfs) {
    try (FSDataInputStream in = hdfs.fileSystem.open(new org.apache.hadoop.fs.Path("/small"))) {
      in.readNBytes(SMALL);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static CompletableFuture<Double> slowest(AtomicBoolean over, Runnable work) {
    return CompletableFuture.supplyAsync(
        () -> {
          double slowest = 0;
          do {
            long start = System.nanoTime();
            work.run();
            slowest = Math.max(slowest, (System.nanoTime() - start) / 1e6);
          } while (!over.get());
          return slowest;
        });
  }

  private static void print(
      LoopVolume.Backing backing, int megabytes, Holder holder, String change, List<Row> rows) {
    System.out.printf(
        Locale.ROOT,
        "STALL | %s | %d MB | %s | %s | %.0f | %.0f | %.0f |%n",
        backing,
        megabytes,
        holder,
        change,
        median(rows.stream().mapToDouble(Row::change).toArray()),
        median(rows.stream().mapToDouble(Row::write).toArray()),
        median(rows.stream().mapToDouble(Row::read).toArray()));
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
