// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.extent.ExtentCursor;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads a byte range of a file from the device and lays it out contiguously in memory: {@link
 * #begin} asks for every run of the range at once where there is a queue, {@link #complete} waits
 * for them. Knows alignment, and nothing of leases or checksums. For one thread at a time.
 */
final class ExtentGather {
  /**
   * How much larger than the range a buffer must be, in alignments: the first block's head, the
   * last one's tail, and for a run that starts off alignment the step up to an aligned place.
   */
  static final int SLACK_ALIGNMENTS = 4;

  private static final int USUAL_RUNS = 4;

  /** How often the kernel may end a read without a byte of it. */
  private static final int MAX_EMPTY_READS = 16;

  private final ExtentCursor cursor = new ExtentCursor();
  private final ClientCounters counters;

  // The read under way: its runs, each read to [at, at + aligned) with the range's bytes from head.
  private ReadQueue queue = NoQueue.INSTANCE;
  private @Nullable BlockDevice device;
  private @Nullable ByteBuffer target;
  private int base;
  private int runs;
  private int completed;
  private int[] tickets = new int[USUAL_RUNS];
  private long[] offsets = new long[USUAL_RUNS];
  private int[] places = new int[USUAL_RUNS];
  private int[] heads = new int[USUAL_RUNS];
  private int[] lengths = new int[USUAL_RUNS];

  ExtentGather(ClientCounters counters) {
    this.counters = counters;
  }

  /** Whether a range was begun that is neither complete nor given up. */
  boolean isUnderWay() {
    return device != null;
  }

  /**
   * Begins to fill a buffer with {@code [offset, offset + length)} of a file; {@link #complete} or
   * {@link #abandon} must follow, whether this throws or not.
   *
   * <p>Aligned runs land in their place. A run may start off alignment (file-system blocks of 1 KiB
   * on 4 KiB sectors): it is then read further up and moved down behind its predecessor. A range
   * whose runs are all aligned touches nothing but {@code [at, at + length)}.
   *
   * @param by whose device is read, by its queue
   * @param to direct, with the address of {@code at} aligned and {@link #SLACK_ALIGNMENTS} to spare
   *     unless the range is aligned; bytes around the range are overwritten
   * @throws FallbackException DEVICE_TIMEOUT where the device does not answer
   */
  void begin(ReadSession by, ExtentList extents, long offset, int length, ByteBuffer to, int at)
      throws FallbackException {
    BlockDevice on = by.device();
    queue = by.queue();
    device = on;
    target = to;
    base = at;
    runs = 0;
    completed = 0;
    on.requireAnswering();
    int mask = on.alignment() - 1;
    int end = 0;
    int taken = at;
    cursor.seek(extents, offset, length);
    while (cursor.next()) {
      int head = (int) (cursor.physical() & mask);
      int place = at + ((end + mask) & ~mask);
      int aligned = (head + (int) cursor.length() + mask) & ~mask;
      add(cursor.physical() - head, place, head, (int) cursor.length());
      requireInside(on, cursor.physical() - head, aligned);
      RdioClientFaultInjector.get().beforeDeviceRead(on, cursor.physical() - head, aligned);
      // A run whose place its predecessor makes by moving down has to wait for that.
      if (place >= taken) {
        tickets[runs - 1] = queue.prepare(on, cursor.physical() - head, to, place, aligned);
      }
      taken = Math.max(taken, place + aligned);
      end += (runs == 1 ? head : 0) + (int) cursor.length();
    }
  }

  /**
   * Waits until all of the range is there. What the queue had no place for, and the rest of what
   * was read in part, goes by the queue now; the device is read past it only where there is none.
   *
   * @return index in the buffer of the range's first byte
   * @throws FallbackException what the queue says; DEVICE_IO_ERROR where the kernel ends a read
   *     again and again before it has brought a byte
   */
  int complete() throws FallbackException {
    BlockDevice on = Objects.requireNonNull(device);
    ByteBuffer to = Objects.requireNonNull(target);
    int start = base + (runs == 0 ? 0 : heads[0]);
    int end = start;
    for (; completed < runs; completed++) {
      int run = completed;
      int aligned = alignedLength(run, on);
      boolean queued = queue != NoQueue.INSTANCE;
      counters.deviceLatency.record(queued ? await(run, on, to) : readNow(run, on, to));
      counters.deviceBytes.add(aligned);
      RdioClientFaultInjector.get().afterDeviceRead(on, offsets[run], to, places[run], aligned);
      if (run > 0 && places[run] + heads[run] != end) {
        to.clear().put(end, to, places[run] + heads[run], lengths[run]);
      }
      end += lengths[run];
    }
    queue = NoQueue.INSTANCE;
    device = null;
    target = null;
    return start;
  }

  /** Reads a run past the queue: the nanoseconds that it took. */
  private long readNow(int run, BlockDevice on, ByteBuffer to) throws FallbackException {
    long begun = System.nanoTime();
    to.limit(places[run] + alignedLength(run, on)).position(places[run]);
    on.read(offsets[run], to);
    return System.nanoTime() - begun;
  }

  /**
   * Waits for all of a run, whose predecessors are where they belong: the nanoseconds that it
   * waited.
   */
  private long await(int run, BlockDevice on, ByteBuffer to) throws FallbackException {
    int aligned = alignedLength(run, on);
    long waited = 0;
    int here = 0;
    int emptyReads = 0;
    if (tickets[run] == ReadQueue.NONE) {
      prepareFrom(run, on, to);
    }
    while (here < aligned) {
      if (tickets[run] == ReadQueue.NONE) {
        prepareRest(run, here, on, to);
      }
      int count = queue.await(tickets[run]) & -on.alignment();
      waited += queue.waitedNanos();
      tickets[run] = ReadQueue.NONE;
      here += count;
      if (count == 0 && ++emptyReads == MAX_EMPTY_READS) {
        throw new FallbackException(
            FallbackReason.DEVICE_IO_ERROR,
            "the kernel has ended " + emptyReads + " reads of " + on.name() + " without a byte");
      }
    }
    return waited;
  }

  /**
   * Prepares a run for which the queue had no place, and those behind it, as far as there is place
   * now and no run's memory is another's that is still to be moved down.
   */
  private void prepareFrom(int run, BlockDevice on, ByteBuffer to) {
    int taken = 0;
    for (int i = run; i < runs && tickets[i] == ReadQueue.NONE && places[i] >= taken; i++) {
      int aligned = alignedLength(i, on);
      tickets[i] = queue.prepare(on, offsets[i], to, places[i], aligned);
      if (tickets[i] == ReadQueue.NONE) {
        return;
      }
      taken = places[i] + aligned;
    }
  }

  private void prepareRest(int run, int here, BlockDevice on, ByteBuffer to)
      throws FallbackException {
    int length = alignedLength(run, on) - here;
    tickets[run] = queue.prepareAwaited(on, offsets[run] + here, to, places[run] + here, length);
    if (tickets[run] == ReadQueue.NONE) {
      throw new FallbackException(
          FallbackReason.INTERNAL_ERROR,
          "no read queue takes "
              + length
              + " bytes at "
              + (offsets[run] + here)
              + " of "
              + on.name());
    }
  }

  /**
   * Gives up what is under way. Harmless when nothing is, and when repeated.
   *
   * @return whether nothing is written to the buffer any more; if not, the buffer must be left as
   *     it is until a later call says so
   */
  boolean abandon() {
    for (; completed < runs; completed++) {
      if (tickets[completed] != ReadQueue.NONE) {
        if (!queue.discard(tickets[completed])) {
          return false;
        }
        tickets[completed] = ReadQueue.NONE;
        counters.deviceBytes.add(alignedLength(completed, Objects.requireNonNull(device)));
      }
    }
    completed = runs;
    queue = NoQueue.INSTANCE;
    device = null;
    target = null;
    return true;
  }

  /** Bytes that the device is asked for. */
  private int alignedLength(int run, BlockDevice on) {
    int mask = on.alignment() - 1;
    return (heads[run] + lengths[run] + mask) & ~mask;
  }

  private void add(long offset, int place, int head, int length) {
    if (runs == tickets.length) {
      tickets = Arrays.copyOf(tickets, 2 * runs);
      offsets = Arrays.copyOf(offsets, 2 * runs);
      places = Arrays.copyOf(places, 2 * runs);
      heads = Arrays.copyOf(heads, 2 * runs);
      lengths = Arrays.copyOf(lengths, 2 * runs);
    }
    tickets[runs] = ReadQueue.NONE;
    offsets[runs] = offset;
    places[runs] = place;
    heads[runs] = head;
    lengths[runs] = length;
    runs++;
  }

  private static void requireInside(BlockDevice on, long offset, int length)
      throws FallbackException {
    if (length > on.sizeBytes() - offset) {
      throw new FallbackException(
          FallbackReason.DEVICE_MISMATCH,
          "an extent reaches to "
              + (offset + length)
              + " on "
              + on.name()
              + ", which has only "
              + on.sizeBytes()
              + " bytes");
    }
  }
}
