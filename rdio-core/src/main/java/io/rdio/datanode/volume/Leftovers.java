// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.thread.Failures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links on one volume that no pin in memory stands for: those of earlier incarnations, whose
 * clients may still read, and those that could not be removed. Each is kept until its time has
 * come, in the order of these times. Thread-safe; all but the removal of what is due costs the same
 * whatever their number.
 */
public final class Leftovers {
  private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);
  private static final String WHAT = "removing pins that are left over";

  private final PriorityQueue<Entry> byDue =
      new PriorityQueue<>((a, b) -> Long.signum(a.dueNanos() - b.dueNanos()));
  private final Failures failures;
  private long deletedBytes;

  /**
   * @param failures told of failures that should not be
   */
  public Leftovers(Failures failures) {
    this.failures = failures;
  }

  private record Entry(
      Path link, long dueNanos, long holdNanos, KeptLinks kept, long deletedBytes) {}

  /** Keeps a link for this long from now on. */
  public void keep(Path link, long nowNanos, long holdNanos) {
    keep(link, nowNanos, holdNanos, KeptLinks.NONE);
  }

  /**
   * The same.
   *
   * @param kept links that do not count as names that HDFS gave
   */
  void keep(Path link, long nowNanos, long holdNanos, KeptLinks kept) {
    add(new Entry(link, nowNanos + holdNanos, holdNanos, kept, bytesOnlyHere(link, kept)));
  }

  /**
   * The same of one that is to be made next, of a file that has another name. So there is nothing
   * to look at, and none that is made within that time is forgotten. One that is made later, by a
   * thread that stood still, stays until the next start finds it.
   */
  public void expect(Path link, long nowNanos, long holdNanos) {
    add(new Entry(link, nowNanos + holdNanos, holdNanos, KeptLinks.NONE, 0));
  }

  private synchronized void add(Entry entry) {
    byDue.add(entry);
    deletedBytes += entry.deletedBytes();
  }

  /** Keeps both links of a pin for this long from now on. */
  public void keep(PinnedFiles files, long nowNanos, long holdNanos) {
    keep(files.block(), nowNanos, holdNanos);
    keep(files.meta(), nowNanos, holdNanos);
  }

  /** Removes the links whose time has come; what cannot be removed is kept for another term. */
  public void removeDue(long nowNanos) {
    for (Entry entry : takeDue(nowNanos)) {
      failures.survive(WHAT, () -> remove(entry, nowNanos));
    }
  }

  private void remove(Entry entry, long nowNanos) {
    boolean removed = false;
    try {
      Files.deleteIfExists(entry.link());
      removed = true;
    } catch (IOException e) {
      LOG.warn("Pin {} cannot be removed; its space stays taken until it can be", entry.link(), e);
    } finally {
      if (!removed) {
        keep(entry.link(), nowNanos, entry.holdNanos(), entry.kept());
      }
    }
  }

  private synchronized List<Entry> takeDue(long nowNanos) {
    List<Entry> due = new ArrayList<>();
    Entry first = byDue.peek();
    while (first != null && first.dueNanos() - nowNanos <= 0) {
      due.add(first);
      deletedBytes -= first.deletedBytes();
      byDue.remove();
      first = byDue.peek();
    }
    return due;
  }

  synchronized int count() {
    return byDue.size();
  }

  /**
   * Bytes of files that had no other name when they came here, but for one that they are kept by:
   * HDFS had deleted them by then.
   */
  public synchronized long deletedBytes() {
    return deletedBytes;
  }

  private long bytesOnlyHere(Path link, KeptLinks kept) {
    try {
      LinkedFile file = LinkedFile.of(link);
      boolean isDeleted = file.names() == 1 || (file.names() == 2 && kept.has(file));
      return isDeleted ? file.bytes() : 0;
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      LOG.warn("Pin {} cannot be looked at; its size is not counted", link, e);
      return 0;
    } catch (Throwable e) {
      failures.failed("looking at a pin", e);
      return 0;
    }
  }
}
