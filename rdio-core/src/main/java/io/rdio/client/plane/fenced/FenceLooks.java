// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.fence.FencedDevices;
import io.rdio.core.fence.StandingFence;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks devices whether they are fenced, on threads of its own: one that hangs costs whoever asks a
 * deadline, and later nothing, and who is interrupted leaves the look to the others. One look at a
 * device at a time; it serves all who asked before it began. Thread-safe.
 */
final class FenceLooks {
  private final FencedDevices fences;
  private final Executor threads;
  private final Duration timeout;
  private final MonotonicClock clock;
  private final Map<Path, Looker> lookers = new ConcurrentHashMap<>();

  /**
   * @param timeout of each look; zero for none
   */
  FenceLooks(FencedDevices fences, Executor threads, Duration timeout, MonotonicClock clock) {
    this.fences = fences;
    this.threads = threads;
    this.timeout = timeout;
    this.clock = clock;
  }

  /**
   * What a device said.
   *
   * @param fence that stands; null where none does, or nobody knows
   * @param trouble why there is none, for people
   */
  record Answer(@Nullable StandingFence fence, String trouble) {
    private static Answer unknown(Path node) {
      return new Answer(null, node + ": the device could not be asked whether it is fenced");
    }
  }

  /** As {@link FencedDevices#recorded}. */
  List<Path> recorded() throws IOException {
    return fences.recorded();
  }

  /**
   * Asks a device by a look that begins behind this call.
   *
   * @throws FallbackException DEVICE_TIMEOUT, or INTERRUPTED with the thread's interrupt flag set;
   *     both say nothing of the fence
   */
  Answer look(Path node) throws FallbackException {
    CompletableFuture<Answer> look = begin(node);
    try {
      return timeout.isZero() ? look.get() : look.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "waiting to ask " + node);
    } catch (TimeoutException e) {
      throw new FallbackException(
          FallbackReason.DEVICE_TIMEOUT,
          node
              + " has not said whether it is fenced within "
              + Setting.READ_TIMEOUT
              + ", "
              + timeout.toMillis()
              + " ms");
    } catch (ExecutionException e) {
      throw new FallbackException(FallbackReason.INTERNAL_ERROR, "asking " + node, e);
    }
  }

  /**
   * As {@link #look}, and does not wait.
   *
   * @throws FallbackException DEVICE_TIMEOUT where it owes an answer for too long already
   */
  CompletableFuture<Answer> begin(Path node) throws FallbackException {
    return lookers.computeIfAbsent(node, Looker::new).begin();
  }

  /** Of one device. */
  private final class Looker {
    private final Path node;

    // Under the lock of this.
    private @Nullable CompletableFuture<Answer> next;
    private boolean looking;
    private long since;

    Looker(Path node) {
      this.node = node;
    }

    CompletableFuture<Answer> begin() throws FallbackException {
      CompletableFuture<Answer> wanted;
      synchronized (this) {
        if (looking && !timeout.isZero() && clock.nanos() - since > timeout.toNanos()) {
          throw new FallbackException(
              FallbackReason.DEVICE_TIMEOUT,
              node + " is not asked whether it is fenced: it still owes an answer");
        }
        wanted = next == null ? new CompletableFuture<>() : next;
        next = wanted;
        if (looking) {
          return wanted;
        }
        looking = true;
        since = clock.nanos();
      }
      boolean begun = false;
      try {
        threads.execute(this::run);
        begun = true;
      } finally {
        if (!begun) {
          abandon();
        }
      }
      return wanted;
    }

    private void run() {
      boolean done = false;
      try {
        CompletableFuture<Answer> look = take();
        while (look != null) {
          answer(look);
          look = take();
        }
        done = true;
      } finally {
        if (!done) {
          abandon();
        }
      }
    }

    /** The look to begin now, which nobody joins any more; null, and the end, where none is. */
    private synchronized @Nullable CompletableFuture<Answer> take() {
      CompletableFuture<Answer> look = next;
      next = null;
      looking = look != null;
      since = clock.nanos();
      return look;
    }

    private void answer(CompletableFuture<Answer> look) {
      Answer answer = Answer.unknown(node);
      try {
        answer = new Answer(fences.look(node), "");
      } catch (IOException e) {
        answer = new Answer(null, String.valueOf(e.getMessage()));
      } catch (RuntimeException e) {
        answer = new Answer(null, answer.trouble() + ": " + e);
      } finally {
        look.complete(answer);
      }
    }

    /** Without a thread to look by. */
    private void abandon() {
      CompletableFuture<Answer> look;
      synchronized (this) {
        look = take();
        looking = false;
      }
      if (look != null) {
        look.complete(Answer.unknown(node));
      }
    }
  }
}
