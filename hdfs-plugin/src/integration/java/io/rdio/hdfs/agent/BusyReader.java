// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.it.SeededFile;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/**
 * A process whose threads read a file over and over, in order and by position, and compare every
 * byte; and the test's end of it. It says what it did when it is asked.
 */
final class BusyReader implements Closeable {
  private static final String MARK = "BUSY ";
  private static final int THREADS = 3;
  private static final int LONGEST = 200_000;

  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();

  private BusyReader(Process process) {
    this.process = process;
    DaemonThreads.daemon("busy-reader-replies", this::takeReplies).start();
  }

  /** Until the process ends. */
  private void takeReplies() {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(MARK)) {
          replies.add(line.substring(MARK.length()));
        }
      }
    } catch (IOException e) {
      replies.add("unreadable: " + e);
    }
  }

  /**
   * Starts it.
   *
   * @param conf its HADOOP_CONF_DIR
   * @param seed of the file's bytes, all of which follow from it
   */
  static BusyReader start(Cluster cluster, Path conf, SeededFile file, long seed)
      throws IOException {
    Process process =
        cluster
            .jvm(
                conf,
                List.of("-Xmx256m"),
                BusyReader.class.getName(),
                file.path().toString(),
                Integer.toString(file.bytes().length),
                Long.toString(seed))
            .redirectError(new File("target", "busy-reader.err"))
            .redirectOutput(ProcessBuilder.Redirect.PIPE)
            .start();
    cluster.killLater(process);
    return new BusyReader(process);
  }

  /**
   * What it did until now, by names: reads, passes (those of the thread that has made least),
   * wrong, failed, agentBytes, stockBytes.
   *
   * @throws IOException if it ended, or does not answer for some time
   */
  synchronized Map<String, Long> counts() throws IOException, InterruptedException {
    process.outputWriter(UTF_8).append('\n').flush();
    String reply = replies.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (reply == null) {
      throw new IOException(
          "the reader says nothing in " + PATIENCE_SECONDS + " s; see target/busy-reader.err");
    }
    Map<String, Long> counts = new HashMap<>();
    for (String word : reply.split(" ", -1)) {
      String[] pair = word.split("=", 2);
      counts.put(pair[0], Long.parseLong(pair[1]));
    }
    return counts;
  }

  @Override
  public void close() {
    ProcessEnd.kill(process);
  }

  /** What the process runs. */
  private static final class Work {
    private final FileSystem fs;
    private final SeededFile file;
    private final AtomicLongArray passes = new AtomicLongArray(THREADS);
    private final LongAdder reads = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final LongAdder failed = new LongAdder();

    Work(FileSystem fs, SeededFile file) {
      this.fs = fs;
      this.file = file;
    }

    /** Until the process is killed. */
    void run(int thread) {
      SplittableRandom random = new SplittableRandom(thread);
      byte[] piece = new byte[LONGEST];
      while (true) {
        try (FSDataInputStream in = fs.open(file.path())) {
          for (int at = 0; at < file.bytes().length; ) {
            int count = Math.min(1 + random.nextInt(LONGEST), file.bytes().length - at);
            in.readFully(piece, 0, count);
            check(piece, count, at);
            at += count;
            int other = random.nextInt(file.bytes().length - count + 1);
            in.readFully(other, piece, 0, count);
            check(piece, count, other);
          }
          passes.incrementAndGet(thread);
        } catch (IOException | RuntimeException e) {
          failed.increment();
          e.printStackTrace();
        }
      }
    }

    private void check(byte[] got, int count, int at) {
      reads.increment();
      if (!Arrays.equals(got, 0, count, file.bytes(), at, at + count)) {
        wrong.increment();
        System.err.println("WRONG BYTES among " + count + " at " + at);
      }
    }

    String report() {
      ClientCounters counters = RdioClientContext.counters();
      return String.join(
          " ",
          "reads=" + reads.sum(),
          "passes=" + IntStream.range(0, THREADS).mapToLong(passes::get).min().orElse(0),
          "wrong=" + wrong.sum(),
          "failed=" + failed.sum(),
          "agentBytes=" + counters.agentBytes.sum(),
          "stockBytes=" + counters.stockBytes.sum());
    }
  }

  /** Arguments: the file's path, its length and its seed. */
  public static void main(String[] args) throws IOException {
    SeededFile file =
        new SeededFile(
            new org.apache.hadoop.fs.Path(args[0]),
            SeededFile.random(Integer.parseInt(args[1]), Long.parseLong(args[2])));
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (FileSystem fs = FileSystem.newInstance(new Configuration())) {
      Work work = new Work(fs, file);
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        Thread thread = new Thread(() -> work.run(number), "busy-" + i);
        thread.setDaemon(true);
        thread.start();
      }
      while (questions.readLine() != null) {
        System.out.println(MARK + work.report());
      }
    }
  }
}
