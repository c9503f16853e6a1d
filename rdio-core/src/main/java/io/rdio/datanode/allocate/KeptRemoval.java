// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the links away that an earlier start kept files of blocks by (W15), on a DataNode that
 * lends no slots: else each block that HDFS deletes would keep its space. For one thread at a time,
 * which waits for no disk.
 */
public final class KeptRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(KeptRemoval.class);
  private static final Duration FIRST_WAIT = Duration.ofSeconds(5);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

  private final Supplier<List<Storage>> storages;
  private final WriteThreads threads;
  private final MonotonicClock clock;
  private final Map<Storage, OfVolume> volumes = new HashMap<>();

  /**
   * @param storages in use at the moment
   * @param clock by which what failed is tried again
   */
  public KeptRemoval(Supplier<List<Storage>> storages, WriteThreads threads, MonotonicClock clock) {
    this.storages = storages;
    this.threads = threads;
    this.clock = clock;
  }

  /**
   * Has it done, on threads of theirs, for storage directories that came, and again where it
   * failed. To be called again and again.
   */
  public void upkeep() {
    List<Storage> now = storages.get();
    volumes.keySet().retainAll(now);
    for (Storage storage : now) {
      if (storage.supported()) {
        volumes.computeIfAbsent(storage, this::ofVolume).removeUnlessDone();
      }
    }
  }

  private OfVolume ofVolume(Storage storage) {
    Path root = storage.volumeRoot();
    return new OfVolume(root, threads.upkeep(root), new BackOff(FIRST_WAIT, LONGEST_WAIT, clock));
  }

  private static final class OfVolume {
    private final Path root;
    private final Executor thread;
    private final BackOff failures;

    /** Whether it is done, or being done. */
    private final AtomicBoolean begun = new AtomicBoolean();

    OfVolume(Path root, Executor thread, BackOff failures) {
      this.root = root;
      this.thread = thread;
      this.failures = failures;
    }

    void removeUnlessDone() {
      if (failures.leftNanos() <= 0 && begun.compareAndSet(false, true)) {
        thread.execute(this::remove);
      }
    }

    private void remove() {
      boolean done = false;
      try {
        IOException failure = removeAll();
        done = failure == null;
        if (failure != null && failures.failed(0)) {
          LOG.warn(
              "Files of blocks are still kept on {}, and their space when HDFS deletes them; tried"
                  + " again",
              root,
              failure);
        }
      } finally {
        begun.set(done);
      }
    }

    /** One that fails does not keep the others. */
    private @Nullable IOException removeAll() {
      IOException failure = null;
      try {
        for (Path link : new SlotDirectory(root, 0).keptLinks()) {
          IOException one = unlink(link);
          failure = one == null ? failure : one;
        }
      } catch (IOException e) {
        failure = e;
      }
      return failure;
    }

    private static @Nullable IOException unlink(Path link) {
      try {
        Files.deleteIfExists(link);
        return null;
      } catch (IOException e) {
        return e;
      }
    }
  }
}
