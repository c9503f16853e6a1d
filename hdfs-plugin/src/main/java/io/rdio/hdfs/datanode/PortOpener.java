// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the plugin's port, and tries again, ever more seldom, for as long as that fails for a
 * reason that may go. Tries follow each other; none runs, or is begun, once {@link #close} is back.
 * Thread-safe.
 */
final class PortOpener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PortOpener.class);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  /** What is tried. */
  interface Port {
    /**
     * Opens it.
     *
     * @throws NotYetException to be tried again
     */
    void open() throws NotYetException;
  }

  /** Is told how each try went. */
  interface Outcome {
    void opened();

    void failed(Throwable why);
  }

  /** Runs something later, in the background, unless it was closed. */
  interface Timer extends AutoCloseable {
    void after(Duration pause, Runnable task);

    @Override
    void close();
  }

  private final Port port;
  private final Outcome outcome;
  private final Timer timer;
  private final BackOff pauses;
  private @Nullable String told;
  private boolean closed;

  PortOpener(Port port, Outcome outcome, Timer timer, MonotonicClock clock) {
    this.port = port;
    this.outcome = outcome;
    this.timer = timer;
    this.pauses = new BackOff(FIRST_PAUSE, LONGEST_PAUSE, clock);
  }

  /** Tries once; when it is back the outcome was told. More tries may follow in the background. */
  synchronized void open() {
    if (closed) {
      return;
    }
    try {
      port.open();
      outcome.opened();
    } catch (NotYetException e) {
      tell(e);
      pauses.failed(0);
      timer.after(Duration.ofNanos(pauses.leftNanos()), this::open);
    } catch (Throwable e) { // whatever it is must not hurt the DataNode
      tell(e);
    }
  }

  /** Loudly what is new; the same again and again would fill the log. */
  private void tell(Throwable why) {
    if (Objects.equals(told, why.toString())) {
      LOG.debug("RDIO still does not serve: {}", why.getMessage());
      return;
    }
    told = why.toString();
    outcome.failed(why);
  }

  /** Ends the tries; waits for one that is under way. */
  @Override
  public void close() {
    timer.close();
    synchronized (this) {
      closed = true;
    }
  }
}
