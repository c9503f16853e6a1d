// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The application on the compute node, in a JVM of its own that a control group can hold: reads a
 * file through the page cache as a workload has it, no faster than it is told. Says {@code ready},
 * then {@code warm}, each time waiting for a line, and {@code done} in the end.
 */
final class ReaderMain implements Workload.Reader {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long SHORTEST_SLEEP_NANOS = 1_000_000;
  private static final int MAX_READ_BLOCKS = 64;

  /** As many scans go on at a time as the kernel can tell apart. */
  private static final int FILES = 8;

  /** The file, opened anew for each scan, and where that scan goes on. */
  private static final class OpenFile {
    final FileChannel channel;
    int next = -1;

    OpenFile(Path path) throws IOException {
      channel = FileChannel.open(path);
    }
  }

  // The one that was read last at the end.
  private final List<OpenFile> files = new ArrayList<>();
  private final long bytesPerSecond;
  private final long warmUpBytes;
  private final BufferedReader orders;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(MAX_READ_BLOCKS * Workload.BLOCK_BYTES);
  private final long begun;
  private long bytes;

  private ReaderMain(Path path, long bytesPerSecond, long warmUpBytes, BufferedReader orders)
      throws IOException {
    for (int i = 0; i < FILES; i++) {
      files.add(new OpenFile(path));
    }
    this.bytesPerSecond = bytesPerSecond;
    this.warmUpBytes = warmUpBytes;
    this.orders = orders;
    this.begun = System.nanoTime();
  }

  /**
   * Arguments: the file, its blocks, the workload's name, bytes a second, blocks to warm up with.
   */
  public static void main(String[] args) throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Workload workload = RealWorkloads.named(args[2]);
    long warmUp = Long.parseLong(args[4]) * Workload.BLOCK_BYTES;
    say("ready", orders);
    workload.replay(
        Integer.parseInt(args[1]),
        new ReaderMain(Path.of(args[0]), Long.parseLong(args[3]), warmUp, orders));
    System.out.println("done");
  }

  @Override
  public void read(int first, int blocks) throws IOException {
    long before = bytes;
    FileChannel file = fileFor(first, first + blocks);
    buffer.clear().limit(blocks * Workload.BLOCK_BYTES);
    while (buffer.hasRemaining()) {
      int count = file.read(buffer, (long) first * Workload.BLOCK_BYTES + buffer.position());
      if (count < 0) {
        throw new IOException("the file ends before block " + (first + blocks));
      }
    }
    bytes += buffer.position();
    if (before < warmUpBytes && bytes >= warmUpBytes) {
      say("warm", orders);
    }
    pace();
  }

  /** The kernel reads ahead for each open file: so the one that was read up to here. */
  private FileChannel fileFor(int first, int end) {
    int found = 0;
    for (int i = 0; i < files.size(); i++) {
      if (files.get(i).next == first) {
        found = i;
      }
    }
    OpenFile file = files.remove(found);
    file.next = end;
    files.add(file);
    return file.channel;
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
