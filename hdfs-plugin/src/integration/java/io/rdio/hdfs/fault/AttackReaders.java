// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.RdioClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IOUtils;

/**
 * Read files of {@link AttackClient}s while these write and delete them, by stock HDFS and by RDIO:
 * so slowly that files are deleted meanwhile, and without CRCs, which would hide other files'
 * bytes. Whatever fails, no byte may be wrong.
 */
final class AttackReaders implements AutoCloseable {
  private static final int OPEN_FILES = 4;
  private static final int PIECE = 64 << 10;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final FileSystem stock;
  private final RdioClient rdio;
  private final Counts counts = Counts.now();
  private final long rdioBytesBefore = counts.rdioBytes();
  private final List<Reader> readers;
  private final List<Future<?>> running = new ArrayList<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          run -> {
            Thread thread = new Thread(run, "attack-reader");
            thread.setDaemon(true);
            return thread;
          });
  private volatile boolean ended;

  private AttackReaders(FileSystem stock, RdioClient rdio, long seed) {
    this.stock = stock;
    this.rdio = rdio;
    this.readers =
        List.of(
            new Reader("stock HDFS", stock, new Random(seed)),
            new Reader("RDIO", rdio.fs(), new Random(seed + 1)));
  }

  /**
   * Starts them, in this JVM.
   *
   * @param devices as {@code dfs.client.rdio.devices} has them: of two that look alike none is read
   */
  static AttackReaders start(Cluster cluster, String devices, long seed) throws IOException {
    FileSystem stock = cluster.fileSystem(false);
    boolean started = false;
    try {
      RdioClient rdio = RdioClient.of(cluster, RdioConfigKeys.CLIENT_DEVICES.name(), devices);
      AttackReaders made = new AttackReaders(stock, rdio, seed);
      for (Reader reader : made.readers) {
        made.running.add(made.threads.submit(reader));
      }
      started = true;
      return made;
    } finally {
      if (!started) {
        stock.close();
      }
    }
  }

  /** A file that is being read, from its beginning on. */
  private static final class Reading {
    final FSDataInputStream in;
    private final String name;
    private final byte[] piece = new byte[PIECE];
    private long at;

    Reading(FileSystem fs, Path path) throws IOException {
      this.name = AttackClient.name(path);
      this.in = fs.open(path);
    }

    /** Bytes of the next piece, which are right; 0 or less at the end of what there is. */
    int readOn() throws IOException {
      int got = in.read(piece);
      if (got > 0) {
        byte[] bytes = Arrays.copyOf(piece, got);
        assertThat(SoakBytes.firstWrong(AttackClient.seed(name), at, bytes))
            .as("first wrong byte of %s in %s bytes at %s", name, got, at)
            .isEqualTo(SoakBytes.ALL_RIGHT);
        at += got;
      }
      return got;
    }
  }

  /** One of them; its numbers are for any thread. */
  private final class Reader implements Runnable {
    final LongAdder bytes = new LongAdder();
    final LongAdder failures = new LongAdder();
    private final String way;
    private final FileSystem fs;
    private final Random random;
    private final List<Reading> open = new ArrayList<>();

    Reader(String way, FileSystem fs, Random random) {
      this.way = way;
      this.fs = fs;
      this.random = random;
      fs.setVerifyChecksum(false); // nothing but leases and links shall protect
    }

    @Override
    public void run() {
      try {
        while (!ended) {
          step();
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      } finally {
        open.forEach(reading -> IOUtils.closeStream(reading.in));
      }
    }

    private void step() {
      try {
        openOne();
        readOn();
      } catch (IOException e) {
        failures.increment(); // a file was deleted, or a DataNode killed
      }
    }

    private void openOne() throws IOException {
      List<Path> files = open.size() < OPEN_FILES ? AttackClient.files(fs) : List.of();
      if (!files.isEmpty()) {
        open.add(new Reading(fs, files.get(random.nextInt(files.size()))));
      }
    }

    private void readOn() throws IOException {
      if (open.isEmpty()) {
        return;
      }
      Reading reading = open.get(random.nextInt(open.size()));
      int got = 0;
      try {
        got = reading.readOn();
        bytes.add(Math.max(0, got));
      } finally {
        if (got <= 0) {
          open.remove(reading);
          reading.in.close();
        }
      }
    }

    @Override
    public String toString() {
      return bytes + " bytes and " + failures + " failures by " + way;
    }
  }

  /** Ends them. Fails if one got a wrong byte, or none at all, or if RDIO itself gave none. */
  void end() throws Exception {
    ended = true;
    for (Future<?> each : running) {
      each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    for (Reader reader : readers) {
      assertThat(reader.bytes.sum()).as(reader.toString()).isPositive();
    }
    assertThat(counts.rdioBytes() - rdioBytesBefore).as("read by RDIO").isPositive();
  }

  @Override
  public String toString() {
    return readers.toString();
  }

  /** Its leases are returned; streams that are open fail. */
  @Override
  public void close() throws IOException {
    ended = true;
    threads.shutdown();
    try {
      rdio.close();
    } finally {
      stock.close();
    }
  }
}
