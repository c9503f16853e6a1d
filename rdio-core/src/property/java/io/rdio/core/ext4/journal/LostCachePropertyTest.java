// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.BeforeProperty;

/**
 * A device that loses its cache with its power: of what was sent behind the last flush any sectors
 * are there. Readers are shown what was committed by then, of a transaction all or nothing.
 */
final class LostCachePropertyTest {
  private static final int TRANSACTIONS = 14;

  private byte[] image = {};

  @BeforeProperty
  void makeImage() throws IOException {
    Ext4Image.requireTools();
    image = MadeUpLog.image();
  }

  /** Looks at what a cut leaves. */
  @FunctionalInterface
  private interface Judge {
    /**
     * Has its say.
     *
     * @param acknowledged transactions whose commit was
     * @param begun those, and one whose commit block was under way
     */
    void judge(byte[] left, int acknowledged, int begun) throws Ext4Exception;
  }

  /** Cuts the power in front of each write and in its midst. */
  private static void cutEverywhere(MadeUpLog log, CachingDevice device, Judge judge)
      throws Ext4Exception {
    int committed = 0;
    for (MadeUpLog.Write write : log.writes()) {
      int acknowledged = committed;
      int begun = write.commits() ? committed + 1 : committed;
      device.take(
          write,
          left -> judge.judge(left, acknowledged, acknowledged),
          left -> judge.judge(left, acknowledged, begun));
      committed = begun;
    }
    assertThat(committed).isEqualTo(TRANSACTIONS);
  }

  @Property(tries = 30, shrinking = ShrinkingMode.OFF)
  void whoComesBehindTheCutIsShownWhatWasCommitted(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    MadeUpLog log = new MadeUpLog(image, TRANSACTIONS, random);
    AtomicInteger proper = new AtomicInteger();
    cutEverywhere(
        log,
        new CachingDevice(log.start(), true, random),
        (left, acknowledged, begun) -> {
          Journal journal = LogImage.journal(left);
          assertThat(log.shownBy(journal)).isBetween(acknowledged, begun);
          if (journal.catchUp().isProper()) { // else whoever relies on it refuses the volume
            proper.incrementAndGet();
          }
        });
    assertThat(proper).as("cuts behind which the volume is read").hasPositiveValue();
  }

  /** It was shown what the cache had, a commit block too that is lost then. */
  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void soIsWhoHasFollowedTheLogUpToTheCut(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    MadeUpLog log = new MadeUpLog(image, TRANSACTIONS, random);
    CachingDevice device = new CachingDevice(log.start(), true, random);
    Journal journal = LogImage.journal(device.shown());
    List<MadeUpLog.Write> writes = log.writes();
    int last = random.nextInt(writes.size());
    int committed = 0;
    for (MadeUpLog.Write write : writes.subList(0, last)) {
      device.take(write, left -> {}, left -> {});
      committed += write.commits() ? 1 : 0;
      if (random.nextInt(4) == 0) {
        assertFollowed(log, journal, committed, committed);
      }
    }
    int acknowledged = committed;
    int begun = committed + (writes.get(last).commits() ? 1 : 0);
    device.take(
        writes.get(last),
        left -> {},
        left -> {
          assertFollowed(log, journal, acknowledged, begun);
          System.arraycopy(left, 0, device.shown(), 0, left.length);
          assertFollowed(log, journal, acknowledged, begun);
        });
  }

  private static void assertFollowed(MadeUpLog log, Journal journal, int acknowledged, int begun)
      throws Ext4Exception {
    journal.catchUp();
    assertThat(log.shownBy(journal)).isBetween(acknowledged, begun);
  }

  /** So it is the flushes that the others live by: volumes without barriers are refused. */
  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void whereFlushesDoNothingAMixIsShown(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    MadeUpLog log = new MadeUpLog(image, TRANSACTIONS, random);
    AtomicInteger mixes = new AtomicInteger();
    cutEverywhere(
        log,
        new CachingDevice(log.start(), false, random),
        (left, acknowledged, begun) -> {
          if (isMix(log, left)) {
            mixes.incrementAndGet();
          }
        });
    assertThat(mixes).hasPositiveValue();
  }

  private static boolean isMix(MadeUpLog log, byte[] left) {
    try {
      return log.shownBy(LogImage.journal(left)) == MadeUpLog.NONE;
    } catch (Ext4Exception e) {
      return false; // it was refused
    }
  }
}
