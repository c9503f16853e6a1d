// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.client.counters.ClientCounters;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A client of the soak, in a JVM of its own: threads that create, read, append to, truncate and
 * delete files of a folder which other clients work in too, and check every byte they read.
 *
 * <p>What stock HDFS would have done is asked of a twin: with each stream by RDIO a stock stream is
 * opened, and reads the same range when the other one fails. A thread that dies ends the JVM with a
 * status that is not 0.
 */
final class SoakClient {
  static final Path FOLDER = new Path("/soak");
  static final int BLOCK = 1 << 20;
  static final String MARK = "SOAK ";

  private static final int THREADS = 2;
  private static final int OPEN_FILES = 3;
  private static final int MOST_FILES = 30;
  private static final int LONGEST_WRITE = 2 * BLOCK;
  private static final int LONGEST_READ = BLOCK;

  /** What is counted. */
  enum Count {
    CREATED,
    APPENDED,
    TRUNCATED,
    DELETED,
    READ,
    /** It failed, stock HDFS could do it a moment later, and then so could RDIO. */
    READ_WHEN_REPEATED,
    WRONG_BYTES,
    FAILED_WHERE_STOCK_DID_NOT,
    /** Of a file that was deleted, and of which stock HDFS still knew a replica. */
    NOT_FOUND_WHERE_STOCK_DID,
    FAILED_LIKE_STOCK,
    WRITES_REFUSED
  }

  private final FileSystem rdio;
  private final FileSystem stock;
  private final long deadline;
  private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);

  private SoakClient(FileSystem rdio, FileSystem stock, long seconds) {
    this.rdio = rdio;
    this.stock = stock;
    this.deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (Count count : Count.values()) {
      counts.put(count, new LongAdder());
    }
  }

  /** Arguments: how many seconds, and a seed. */
  public static void main(String[] args) throws Exception {
    SoakBlame.watch();
    Configuration conf = new Configuration();
    Configuration stockConf = new Configuration(conf);
    // Not unset: the site files, which are read later, would bring it back.
    stockConf.set("dfs.client.replica.accessor.builder.classes", "");
    try (FileSystem rdio = FileSystem.newInstance(conf);
        FileSystem stock = FileSystem.newInstance(stockConf)) {
      SoakClient client = new SoakClient(rdio, stock, Long.parseLong(args[0]));
      Thread.setDefaultUncaughtExceptionHandler(SoakClient::endJvm);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        RandomGenerator random = new java.util.SplittableRandom(Long.parseLong(args[1]) + i);
        threads.add(new Thread(() -> client.run(random), "soak-" + i));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      System.out.println(MARK + client.report());
    }
  }

  private static void endJvm(Thread thread, Throwable failure) {
    failure.printStackTrace();
    Runtime.getRuntime().halt(1);
  }

  private String report() {
    List<String> words = new ArrayList<>();
    counts.forEach((count, value) -> words.add(count + "=" + value.sum()));
    ClientCounters counters = RdioClientContext.counters();
    words.add("stockBytes=" + counters.stockBytes.sum());
    words.add(RemoteClient.countsOfThisJvm());
    return String.join(" ", words);
  }

  private void count(Count count) {
    counts.get(count).increment();
  }

  private void run(RandomGenerator random) {
    List<SoakStream> open = new ArrayList<>();
    while (System.nanoTime() < deadline) {
      int dice = random.nextInt(100);
      try {
        if (dice < 60) {
          read(open, random);
        } else if (dice < 75) {
          open(open, random);
        } else {
          change(dice, random);
        }
      } catch (FileNotFoundException goneMeanwhile) {
        // Another thread deletes files too.
      } catch (IOException | IllegalArgumentException e) {
        // The latter from Hadoop's output stream, whose close() throws what its write() threw.
        count(Count.WRITES_REFUSED);
      }
    }
    open.forEach(SoakStream::close);
  }

  private void change(int dice, RandomGenerator random) throws IOException {
    FileStatus[] files = stock.listStatus(FOLDER);
    if (files.length < MOST_FILES / 2 || (dice < 82 && files.length < MOST_FILES)) {
      create(random);
      return;
    }
    FileStatus file = files[random.nextInt(files.length)];
    if (dice < 88) {
      append(file, random);
    } else if (dice < 92) {
      stock.truncate(file.getPath(), random.nextLong(file.getLen() + 1));
      count(Count.TRUNCATED);
    } else if (stock.delete(file.getPath(), false)) {
      count(Count.DELETED);
    }
  }

  private void create(RandomGenerator random) throws IOException {
    long seed = random.nextLong() >>> 1;
    try (FSDataOutputStream out = stock.create(new Path(FOLDER, Long.toString(seed)))) {
      out.write(SoakBytes.of(seed, 0, random.nextInt(LONGEST_WRITE)));
    }
    count(Count.CREATED);
  }

  private void append(FileStatus file, RandomGenerator random) throws IOException {
    try (FSDataOutputStream out = stock.append(file.getPath())) {
      // Where the file really ends; its status may be of before a truncation.
      out.write(SoakBytes.of(seedOf(file), out.getPos(), random.nextInt(LONGEST_WRITE)));
    }
    count(Count.APPENDED);
  }

  private void open(List<SoakStream> open, RandomGenerator random) throws IOException {
    FileStatus[] files = stock.listStatus(FOLDER);
    if (files.length > 0) {
      FileStatus file = files[random.nextInt(files.length)];
      if (open.size() == OPEN_FILES) {
        open.remove(random.nextInt(OPEN_FILES)).close();
      }
      open.add(SoakStream.open(rdio, stock, file.getPath(), seedOf(file)));
    }
  }

  private void read(List<SoakStream> open, RandomGenerator random) {
    if (!open.isEmpty()) {
      int i = random.nextInt(open.size());
      SoakStream stream = open.get(i);
      Count result = stream.read(random, LONGEST_READ);
      count(result);
      if (result != Count.READ && result != Count.READ_WHEN_REPEATED) {
        open.remove(i).close();
      }
    }
  }

  private static long seedOf(FileStatus file) {
    return Long.parseLong(file.getPath().getName());
  }
}
