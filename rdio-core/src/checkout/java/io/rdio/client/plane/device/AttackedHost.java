// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.time.MonotonicClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A host that reads without a lease what {@link AttackingHost} writes to. It goes by the device
 * alone: what it is handed says itself whose it may be.
 */
final class AttackedHost {
  private static final int READERS = 2;

  private final BlockDevice device;
  private final MonotonicClock clock = new BootTimeClock();

  private AttackedHost(BlockDevice device) {
    this.device = device;
  }

  /**
   * What readers are to do.
   *
   * @param looks whether guards look behind the data; without, readers end when they were handed
   *     something foreign
   * @param verifies whether CRCs are verified
   * @param secondsMin for so long at least, where guards look
   * @param pagesMin so many pages at least, of all readers
   * @param secondsMax for so long at most
   */
  record Task(boolean looks, boolean verifies, int secondsMin, int pagesMin, int secondsMax) {
    /** By a line {@code read blind|looking unverified|verified SECONDS PAGES SECONDS}. */
    static Task parse(String line) {
      String[] words = line.split(" ", -1);
      if (words.length != 6 || !words[0].equals("read")) {
        throw new IllegalArgumentException("no task: " + line);
      }
      return new Task(
          words[1].equals("looking"),
          words[2].equals("verified"),
          Integer.parseInt(words[3]),
          Integer.parseInt(words[4]),
          Integer.parseInt(words[5]));
    }

    /**
     * Whether a reader ends.
     *
     * @param nanos since it began
     */
    boolean isDone(AttackedReader reader, long nanos) {
      boolean enough =
          looks
              && nanos >= TimeUnit.SECONDS.toNanos(secondsMin)
              && reader.pages >= (pagesMin + READERS - 1) / READERS;
      return enough || !reader.foreign.isEmpty() || nanos >= TimeUnit.SECONDS.toNanos(secondsMax);
    }
  }

  /**
   * Argument: the device. For each line of standard input, which is a {@link Task}, says {@code
   * read PAGES MAPS FOREIGN LOOKS CHANGED REASON=COUNT...}: pages that were handed out, by how many
   * maps, and how many of them were another's; looks at the journal; how often a map's files turned
   * out to have changed; and how often which reason was given. What is foreign goes to standard
   * error.
   */
  public static void main(String[] args) throws Exception {
    AttackedHost host = new AttackedHost(NamedDevice.open(Path.of(args[0])));
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      System.out.println(host.read(Task.parse(line)));
    }
  }

  private String read(Task task) throws Exception {
    DeviceCounters counters = new DeviceCounters();
    LiveVolume live = open(counters);
    LocatedStorage storage =
        new LocatedStorage(
            live,
            AttackingHost.STORAGE_ID,
            "/" + AttackingHost.STORAGE,
            new StorageOwners(Set.of()));
    List<AttackedReader> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      readers.add(
          task.verifies()
              ? new CrcReader(storage, Marks::isOf, clock, task.looks(), i)
              : new AttackedReader(storage, Marks::isOf, clock, task.looks(), i));
    }
    run(task, readers);
    for (AttackedReader reader : readers) {
      reader.foreign.forEach(System.err::println);
      reader.close();
    }
    return line(readers, counters);
  }

  /** While the log moves faster than it is read, it is opened again. */
  private LiveVolume open(DeviceCounters counters) throws FallbackException, IOException {
    FallbackException last = null;
    for (int i = 0; i < 10; i++) {
      try {
        return LiveVolume.open(device, clock, counters);
      } catch (FallbackException e) {
        if (e.reason() != FallbackReason.METADATA_UNREADABLE) {
          throw e;
        }
        last = e;
      }
    }
    throw new IOException(device.name() + " cannot be opened", last);
  }

  private static void run(Task task, List<AttackedReader> readers)
      throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(READERS);
    try {
      List<Future<?>> reading = new ArrayList<>();
      long begin = System.nanoTime();
      for (AttackedReader reader : readers) {
        reading.add(
            threads.submit(
                () -> {
                  while (!task.isDone(reader, System.nanoTime() - begin)) {
                    reader.readOne();
                  }
                }));
      }
      for (Future<?> one : reading) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  static String line(List<AttackedReader> readers, DeviceCounters counters) {
    long pages = 0;
    long maps = 0;
    int foreign = 0;
    Map<FallbackReason, Integer> refusals = new TreeMap<>();
    for (AttackedReader reader : readers) {
      pages += reader.pages;
      maps += reader.maps;
      foreign += reader.foreign.size();
      reader.refusals.forEach((reason, count) -> refusals.merge(reason, count, Integer::sum));
    }
    StringBuilder line = new StringBuilder("read ");
    line.append(pages).append(' ').append(maps).append(' ').append(foreign);
    line.append(' ').append(counters.looks).append(' ').append(counters.filesChanged);
    refusals.forEach((reason, count) -> line.append(' ').append(reason).append('=').append(count));
    return line.toString();
  }
}
