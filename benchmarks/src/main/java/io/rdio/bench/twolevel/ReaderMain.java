// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The application on a compute node, in a JVM of its own that a control group can hold: reads
 * through the page cache as a workload has it, no faster than it is told. Says {@code ready}, then
 * {@code warm}, each time waiting for a line, and in the end {@code done} with the bytes that it
 * read since it was warm and the nanoseconds that it waited for them.
 */
final class ReaderMain implements Workload.Reader {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long SHORTEST_SLEEP_NANOS = 1_000_000;
  private static final int MAX_READ_BLOCKS = 64;

  private final ReadableData data;
  private final long bytesPerSecond;
  private final long warmUpBytes;
  private final BufferedReader orders;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(MAX_READ_BLOCKS * Workload.BLOCK_BYTES);
  private long begun; // Without the time that it was told to wait.
  private long bytes;
  private long bytesBeforeWarm;
  private long readNanos;

  private ReaderMain(ReadableData data, ReaderTask task, BufferedReader orders) {
    this.data = data;
    this.bytesPerSecond = task.bytesPerSecond();
    this.warmUpBytes = task.warmUpBytes();
    this.orders = orders;
    this.begun = System.nanoTime();
  }

  /** Arguments: those of a {@link ReaderTask}; what follows is for who looks for this process. */
  public static void main(String[] args) throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ReaderTask task = ReaderTask.ofArguments(List.of(args));
    say("ready", orders);
    ReaderMain reader = new ReaderMain(task.open(), task, orders);
    task.reads().replay(task.blocks(), reader);
    System.out.println("done " + (reader.bytes - reader.bytesBeforeWarm) + " " + reader.readNanos);
  }

  @Override
  public void read(int first, int blocks) throws IOException {
    long before = bytes;
    buffer.clear().limit(blocks * Workload.BLOCK_BYTES);
    long start = System.nanoTime();
    data.read(first, blocks, buffer);
    readNanos += System.nanoTime() - start;
    bytes += buffer.position();
    if (before < warmUpBytes && bytes >= warmUpBytes) {
      long waiting = System.nanoTime();
      say("warm", orders);
      begun += System.nanoTime() - waiting;
      bytesBeforeWarm = bytes;
      readNanos = 0;
    }
    pace();
  }

  private void pace() {
    long due = begun + (long) ((double) bytes / bytesPerSecond * NANOS_PER_SECOND);
    long left = due - System.nanoTime();
    if (left > SHORTEST_SLEEP_NANOS) {
      LockSupport.parkNanos(left);
    }
  }

  private static void say(String word, BufferedReader orders) throws IOException {
    System.out.println(word);
    if (!"go".equals(orders.readLine())) {
      throw new IOException("whoever started this reader is gone");
    }
  }
}
