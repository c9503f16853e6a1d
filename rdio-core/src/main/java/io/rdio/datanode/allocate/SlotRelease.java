// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.AgentFences;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the quarantines of one volume: behind its time a slot whose host may still write to it is
 * kept until that host is shut out (W8), then it is free. For one thread at a time.
 */
final class SlotRelease {
  private static final Logger LOG = LoggerFactory.getLogger(SlotRelease.class);

  private final SlotVolume volume;
  private final WriteFence fence;
  private final WriteConfig config;
  private final MonotonicClock clock;
  private final WriteCounters counters;

  SlotRelease(
      SlotVolume volume,
      WriteFence fence,
      WriteConfig config,
      MonotonicClock clock,
      WriteCounters counters) {
    this.volume = volume;
    this.fence = fence;
    this.config = config;
    this.clock = clock;
    this.counters = counters;
  }

  /** Frees all whose time is over. One that fails does not keep the others. */
  void releaseDue(SlotVolume.Opened opened) {
    long now = clock.nanos();
    for (Quarantine.Held held : volume.quarantine().due(now)) {
      counters.survive("ending a quarantine", () -> release(opened, held, now));
    }
  }

  private void release(SlotVolume.Opened opened, Quarantine.Held held, long now) {
    boolean over = false;
    try {
      shutOut(opened, held);
      free(opened, held);
      over = true;
    } catch (IOException e) {
      LOG.warn("{} cannot be freed yet; its space stays taken until it can be", held.file(), e);
    } finally {
      if (over) {
        volume.quarantine().remove(held);
        volume.account().giveBack(held.address(), held.bytes());
      } else {
        volume.quarantine().keep(held, now + config.quarantineNanos());
      }
    }
  }

  /** Never ahead of its time: the fence adds to the quarantine, for what a target forgets. */
  private void shutOut(SlotVolume.Opened opened, Quarantine.Held held) throws IOException {
    if (held.hostKey() != AgentFences.NOBODY && Files.exists(held.file())) {
      fence.shutOut(volume.root(), opened.device(), held.hostKey());
      counters.countFenced();
    }
  }

  /** Behind its quarantine: to the pool if that wants it, else its space goes back. */
  private void free(SlotVolume.Opened opened, Quarantine.Held held) throws IOException {
    try {
      long bytes = Files.size(held.file());
      if (opened.pool().wants(bytes)) {
        volume.addToPool(opened, reuse(opened.maker(), held, bytes));
        return;
      }
    } catch (NoSuchFileException e) {
      return; // a Commit of an object that stood for this volume before had it
    } catch (FallbackException e) {
      LOG.info("A slot is removed behind its quarantine: {}", e.detail());
    }
    Files.deleteIfExists(held.file());
  }

  /** The kernel is asked only of files that somebody may have open: it does not say it anywhere. */
  private static Slot reuse(SlotMaker maker, Quarantine.Held held, long bytes)
      throws IOException, FallbackException {
    return held.named()
        ? maker.reuse(held.file(), held.number(), bytes)
        : maker.free(held.file(), held.number(), bytes);
  }
}
