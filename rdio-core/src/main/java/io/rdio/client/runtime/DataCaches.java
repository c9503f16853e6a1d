// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.runtime;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.datacache.flash.FlashFile;
import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.client.datacache.flash.LocalFlashFile;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes block data caches as settings have them. */
final class DataCaches {
  private static final Logger LOG = LoggerFactory.getLogger(DataCaches.class);

  private static final SecureRandom SEEDS = new SecureRandom();

  private DataCaches() {}

  /** Null where there is none. A flash tier whose file cannot be used is gone without. */
  static @Nullable BlockDataCache open(
      RuntimeSettings.@Nullable DataCache settings, MonotonicClock clock, ClientCounters counters) {
    if (settings == null) {
      return null;
    }
    FlashTier flash = flash(settings, counters);
    return flash == null
        ? new BlockDataCache(settings.bytes(), settings.chunkBytes(), clock, counters)
        : inFrontOf(flash, settings, clock, counters);
  }

  private static BlockDataCache inFrontOf(
      FlashTier flash,
      RuntimeSettings.DataCache settings,
      MonotonicClock clock,
      ClientCounters counters) {
    boolean made = false;
    try {
      BlockDataCache cache =
          new BlockDataCache(settings.bytes(), settings.chunkBytes(), clock, counters, flash);
      made = true;
      return cache;
    } finally {
      if (!made) {
        flash.close();
      }
    }
  }

  private static @Nullable FlashTier flash(
      RuntimeSettings.DataCache settings, ClientCounters counters) {
    RuntimeSettings.Flash flash = settings.flash();
    if (flash == null) {
      return null;
    }
    try {
      return start(
          LocalFlashFile.open(flash.file(), flash.bytes()), settings.chunkBytes(), counters);
    } catch (IOException | LinkageError e) { // jnr-ffi finds its library, or does not
      counters.dataCacheFlashFailures.increment();
      LOG.warn(
          "RDIO: the block data cache has no flash tier, for its file cannot be used: {}",
          e.toString());
      return null;
    }
  }

  private static FlashTier start(FlashFile file, int chunkBytes, ClientCounters counters)
      throws IOException {
    boolean started = false;
    try {
      FlashTier tier = new FlashTier(file, chunkBytes, SEEDS.nextLong(), counters);
      tier.start();
      started = true;
      return tier;
    } catch (OutOfMemoryError e) { // no thread to be had is one, too
      throw new IOException("no memory for " + file.name() + ", " + file.sizeBytes() + " bytes", e);
    } finally {
      if (!started) {
        file.close();
      }
    }
  }
}
