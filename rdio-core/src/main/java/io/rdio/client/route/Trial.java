// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads in a row of all readers, which go by another plan than others do, to find out whether it is
 * the better one: as many as are under way anyway, so that both are seen under the same load. The
 * first reads of each reader count for nothing, for they may make a connection or run code that
 * nobody ran for long; nor, so long as they are not many times slower than others, do those by a
 * route that is new to this JVM, unless they are plainly faster even so. Thread-safe without a
 * lock.
 */
final class Trial {
  /** What is known of it by now. */
  enum Verdict {
    OPEN,
    BETTER,
    WORSE
  }

  static final int COLD = 10;
  private static final int COUNTED = 24;
  private static final int COUNTED_EACH = 8;

  /** Not many cold reads are so many times slower than others; one may make a connection. */
  private static final int HOPELESS = 5;

  /** The least that are enough where the difference is plain. */
  private static final int FEW = 8;

  private static final int FEW_EACH = 4;

  /** Looks in a row that find most readers gone. */
  private static final int LEFT = 16;

  /** A read is hardly so many times slower than others by anything but chance. */
  private static final int MOST = 64;

  private static final double PLAIN = 2.5;
  private static final double LIKELY = 0.5;
  private static final double HYSTERESIS = 0.97;

  private final Route route;
  private final int readers;
  private final int cold;
  private final int uncounted;
  private final int few;
  private final int all;
  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger seen = new AtomicInteger();
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger slow = new AtomicInteger();
  private final AtomicLong lost = new AtomicLong();
  private final ReadTimes times = new ReadTimes();

  /**
   * @param route that reads take
   * @param readers that read at a time
   * @param newReads by the route, which the JVM has yet to compile
   */
  Trial(Route route, int readers, int newReads) {
    this.route = route;
    this.readers = readers;
    this.cold = COLD * readers;
    this.uncounted = Math.max(cold, newReads);
    this.few = FEW + FEW_EACH * readers;
    this.all = uncounted + COUNTED + COUNTED_EACH * readers;
  }

  Route route() {
    return route;
  }

  /** Readers that read at a time. */
  int readers() {
    return readers;
  }

  /** What the reads that count took. */
  ReadTimes times() {
    return times;
  }

  /** Time that its reads took more than they would have otherwise, in nanoseconds. */
  long lost() {
    return Math.max(0, lost.get());
  }

  /**
   * What another one may lose for each reader, in nanoseconds: what this one did, but that one
   * pause of the JVM is nothing to go by.
   */
  double price(double usual) {
    return Math.min((double) lost(), MOST * usual * seen.get()) / readers;
  }

  /**
   * One more read is sent.
   *
   * @param now readers that read at present, itself among them
   * @return false if so many were sent that do not come back, or most readers are gone, so that it
   *     would find out nothing of the load that it was for
   */
  boolean send(int now) {
    if (2 * now >= readers) {
      left.set(0);
    } else if (left.incrementAndGet() >= LEFT) {
      return false;
    }
    return sent.incrementAndGet() <= 2 * all;
  }

  /** A read that belongs to it took so long. */
  Verdict add(long nanos, ReadTimes usual) {
    lost.addAndGet((long) ((double) nanos - usual.mean()));
    int number = seen.incrementAndGet();
    if (number <= uncounted) {
      boolean one = (double) nanos > HOPELESS * usual.mean();
      int many = one ? slow.incrementAndGet() : slow.get();
      if (number >= 2 + cold / 5 && 2 * many > number) {
        return Verdict.WORSE;
      }
    }
    if (number == uncounted) {
      times.forget();
    }
    if (number <= cold || number == uncounted) {
      return Verdict.OPEN;
    }
    times.add(nanos);
    return verdict(number, usual);
  }

  private Verdict verdict(int number, ReadTimes usual) {
    double better = times.lessThan(usual);
    boolean less = times.mean() < HYSTERESIS * usual.mean();
    if (number >= all) {
      return less && better > LIKELY ? Verdict.BETTER : Verdict.WORSE;
    }
    boolean isNew = number <= uncounted;
    int counted = number - (isNew ? cold : uncounted);
    if (counted < few || Math.abs(better) < PLAIN) {
      return Verdict.OPEN;
    }
    if (less) {
      return Verdict.BETTER;
    }
    return isNew ? Verdict.OPEN : Verdict.WORSE;
  }
}
