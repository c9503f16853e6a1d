// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

/**
 * Whether runs in order of one device go by both ways at once: the device reads them, and a
 * DataNode brings ranges ahead of that. With room on both that is as fast as both together; where
 * they share what is scarce, a processor or a link, it is no faster than one, or slower. So it is
 * tried, as a depth is ({@link io.rdio.core.device.DeviceDepth}): runs say how long each unit held
 * them up, and now and then go on by both ways, which stays where units then took less than {@link
 * #GAIN} of that. While it stays, what one way gives is looked at again now and then, and as soon
 * as both together grow slower.
 *
 * <p>What trials and looks lose is paid for afterwards out of a small share of all time ({@link
 * Allowance}). Behind a trial in vain the next one rests for {@value #REST} units, and for twice as
 * many each time that it is in vain again; but not where what one way gives has grown slower.
 *
 * <p>A trial counts for nothing before what was under way ahead of it has been used up: the bytes
 * that both ways bring ahead at first are no measure of what they bring in the long run.
 *
 * <p>All runs of a JVM on the device share this, and go by both ways at the same time. Thread-safe;
 * a run takes its lock once in a unit, and for each range.
 */
public final class Together {
  /** Units by which a plan can be judged. */
  static final int ENOUGH = 8;

  /** Units of a trial that use up what was brought ahead at first, and those that count then. */
  static final int FILLING = 4;

  static final int COUNTED = 8;

  /** The most units of a trial or a look, of which some may be too short of ranges to count. */
  static final int MOST = 4 * (FILLING + COUNTED);

  /** Units behind a trial in vain, and between two looks at what one way gives. */
  static final int REST = 32;

  private static final int MOST_DOUBLINGS = 4;

  /** Units by one way of which the first may still wait for what both had under way. */
  private static final int SETTLING = 1;

  /** What a trial that is over after a few units, or the leaving of both, takes at least. */
  private static final int FEW = 4;

  /** Nobody goes on with a trial that takes so many times as long. */
  private static final double HOPELESS = 2;

  /** By so much both are to be faster to be taken, and to be kept. */
  static final double GAIN = 0.9;

  private static final double STAYS = 0.95;

  /** A so-manieth of all time may be lost. */
  private static final int SHARE = 133;

  private static final double SPEED_WEIGHT = 1.0 / 4;

  /** What the second way gives alone is a mean of so many bytes, of half of them at least. */
  static final double ALONE = 64 << 20;

  private enum Phase {
    APART,
    TRIED,
    ON,
    LOOKED_AT
  }

  private final Allowance pays = new Allowance(SHARE);
  private final ReadTimes apart = new ReadTimes();
  private final ReadTimes both = new ReadTimes();
  private final ReadTimes look = new ReadTimes();

  private Phase phase = Phase.APART;
  private int rest;
  private int inVain;

  // Of the present phase.
  private int seen;
  private int counting;
  private boolean slower;
  private double lost;

  // What the second way brought.
  private double aloneBytes;
  private double aloneNanos;

  private volatile boolean on;
  private volatile double nanosPerByte;

  /** Whether ranges are to be brought by the second way now. */
  public boolean isOn() {
    return on;
  }

  /**
   * A unit of a run held it up for so long; no unit that is to find out about one way alone.
   *
   * @param mixed whether some of it came by the second way, or some of what is behind it will
   */
  public synchronized void unit(long nanos, boolean mixed) {
    seen++;
    switch (phase) {
      case APART -> apart(nanos, mixed);
      case TRIED -> tried(nanos, mixed);
      case ON -> on(nanos);
      case LOOKED_AT -> lookedAt(nanos, mixed);
    }
  }

  private void apart(long nanos, boolean mixed) {
    pays.earn(nanos);
    if (mixed) {
      return; // of a time that is over
    }
    if (apart.add(nanos)) {
      rest = 0; // what was found does not hold any more
      inVain = 0;
    }
    if (seen >= rest && apart.count() >= ENOUGH && pays.isWithin(0)) {
      both.forget();
      nanosPerByte = 0; // one that was too slow long ago may be so no longer
      aloneBytes = 0;
      aloneNanos = 0;
      begin(Phase.TRIED);
    }
  }

  private void tried(long nanos, boolean mixed) {
    lost += (double) nanos - apart.mean();
    if (mixed) {
      counting++;
    }
    if (mixed && counting > FILLING) {
      both.add(nanos);
    }
    boolean hopeless = seen >= FEW && lost > (HOPELESS - 1) * seen * apart.mean();
    if (both.count() >= COUNTED && isWorthIt(GAIN)) {
      inVain = 0;
      begin(Phase.ON);
    } else if (hopeless || both.count() >= COUNTED || seen >= MOST) {
      giveUp();
    }
  }

  private void on(long nanos) {
    pays.earn(nanos);
    slower |= both.add(nanos);
    boolean isDue = slower || (seen >= REST && pays.isWithin(0));
    if (both.count() >= FEW && isTheSecondFasterAlone()) {
      giveUp();
    } else if (isDue && both.count() >= ENOUGH) {
      look.forget();
      begin(Phase.LOOKED_AT);
    }
  }

  private boolean isTheSecondFasterAlone() {
    return aloneBytes >= ALONE / 2 && both.mean() > aloneNanos / aloneBytes * Routers.RUN_UNIT;
  }

  private void lookedAt(long nanos, boolean mixed) {
    lost += Math.max(0, (double) nanos - both.mean());
    if (!mixed) {
      counting++;
    }
    if (!mixed && counting > SETTLING) {
      look.add(nanos);
    }
    boolean known = look.count() >= ENOUGH;
    if (known) {
      apart.become(look);
    }
    if (known && isWorthIt(STAYS)) {
      pays.lose(lost);
      begin(Phase.ON);
    } else if (known || seen >= MOST) {
      giveUp();
    }
  }

  private boolean isWorthIt(double part) {
    return both.mean() < part * apart.mean();
  }

  private void giveUp() {
    pays.lose(Math.max(0, lost));
    rest = REST << Math.min(inVain, MOST_DOUBLINGS);
    inVain++;
    begin(Phase.APART);
  }

  private void begin(Phase next) {
    phase = next;
    on = next == Phase.TRIED || next == Phase.ON;
    seen = 0;
    counting = 0;
    slower = false;
    lost = 0;
  }

  /** The second way failed, or does not answer: runs go on without it for a while. */
  public synchronized void failed() {
    if (phase == Phase.APART) {
      seen = 0;
      rest = Math.max(rest, REST);
    } else {
      giveUp();
    }
  }

  /** The second way brought so many bytes in so long, what it took to open it included. */
  public synchronized void brought(long bytes, long nanos) {
    double weight = ALONE / (ALONE + (double) bytes);
    aloneBytes = weight * aloneBytes + (double) bytes;
    aloneNanos = weight * aloneNanos + (double) nanos;
    double sample = (double) nanos / (double) bytes;
    double before = nanosPerByte;
    nanosPerByte = before == 0 ? sample : before + SPEED_WEIGHT * (sample - before);
  }

  /**
   * Bytes by the second way were not here when they were wanted: it is to have less ahead of it
   * until it is seen to be faster.
   */
  public synchronized void late() {
    nanosPerByte = 2 * nanosPerByte;
  }

  /** What the second way takes for a byte; 0 while it is not known. */
  public double nanosPerByte() {
    return nanosPerByte;
  }
}
