// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether maps can be granted on a volume, and if not why. A volume that was refused is looked at
 * again with back-off: what was mounted wrongly, or had no device node yet, may be in order later.
 * One that is in use is looked at again, too: its device may grow. Thread-safe; only {@link
 * #openIfDue}, {@link #lookIfDue} and {@link #probe} touch the volume, and may hang with it.
 */
public final class VolumeAccess {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeAccess.class);

  private static final Duration FIRST_WAIT = Duration.ofSeconds(5);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

  /**
   * How often a volume in use is looked at: so long clients may not find a device that has grown.
   */
  static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** After so long without an end, opening a volume is called stalled. */
  static final long OPENING_MAX_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Path root;
  private final Opener opener;
  private final MonotonicClock clock;
  private final BackOff refusals;
  private final Object opening = new Object();
  private volatile State state = new State(null, null);
  private volatile boolean stalled;
  private volatile @Nullable Long openingSince;
  private volatile long looked;

  /** Takes a volume into use. */
  @FunctionalInterface
  public interface Opener {
    Opened open() throws FallbackException, IOException;

    /**
     * The device of a volume in use as it is now.
     *
     * @param before as it was
     * @throws FallbackException if it cannot be told
     */
    default DeviceIdentity look(DeviceIdentity before) throws FallbackException {
      return before;
    }

    /** Why nothing may be granted or renewed on an open volume now, or null. Touches no volume. */
    default @Nullable FallbackException obstacle() {
      return null;
    }

    /** Whether its device refuses other hosts' writes; null where nobody asked for that. */
    default @Nullable FenceStatus fence() {
      return null;
    }
  }

  /** What granting on a volume needs. */
  public record Opened(DeviceIdentity device, WitnessFile witness) {}

  /** At most one of the two is there. */
  private record State(@Nullable Opened opened, @Nullable FallbackException refusal) {}

  public VolumeAccess(Path root, Opener opener, MonotonicClock clock) {
    this.root = root;
    this.opener = opener;
    this.clock = clock;
    this.refusals = new BackOff(FIRST_WAIT, LONGEST_WAIT, clock);
  }

  private boolean isDue() {
    return state.opened == null && refusals.leftNanos() <= 0;
  }

  /** Opens the volume if that was not tried yet, or failed and is due again. */
  public void openIfDue() {
    if (!isDue()) {
      return;
    }
    synchronized (opening) {
      if (isDue()) {
        openingSince = clock.nanos();
        try {
          open();
        } finally {
          openingSince = null;
        }
      }
    }
  }

  @GuardedBy("opening")
  private void open() {
    try {
      Opened opened = opener.open();
      looked = clock.nanos();
      state = new State(opened, null);
      LOG.info("Grants on {}: {}", root, opened.device());
    } catch (FallbackException e) {
      refused(e);
    } catch (IOException e) {
      refused(
          new FallbackException(FallbackReason.PIN_FAILED, "pin directory or witness: " + e, e));
    } catch (Throwable e) {
      refused(new FallbackException(FallbackReason.INTERNAL_ERROR, e.toString(), e));
      throw e;
    }
  }

  /**
   * Has grants name the device by its new size if it has grown, for clients look for it by that. It
   * is another one for them then; maps of before go on by the one that they have open.
   */
  public void lookIfDue() {
    if (state.opened == null || clock.nanos() - looked < LOOK_NANOS) {
      return;
    }
    synchronized (opening) {
      Opened opened = state.opened;
      if (opened == null || clock.nanos() - looked < LOOK_NANOS) {
        return;
      }
      looked = clock.nanos();
      try {
        DeviceIdentity device = opener.look(opened.device);
        if (device.hasGrownFrom(opened.device)) {
          state = new State(new Opened(device, opened.witness), null);
          LOG.info("Grants on {}: {}, which has grown", root, device);
        }
      } catch (FallbackException e) {
        // Whatever became of the volume, its next grant, or HDFS, will say so.
        LOG.debug("{} cannot be looked at", root, e);
      }
    }
  }

  @GuardedBy("opening")
  private void refused(FallbackException why) {
    State before = state;
    refusals.failed(0);
    state = new State(null, why);
    if (before.refusal == null || !before.refusal.detail().equals(why.detail())) {
      LOG.warn(
          "No grants on {}: {} ({}); fix: {}. It is looked at again from time to time",
          root,
          why.reason().text(),
          why.detail(),
          why.reason().fix());
    }
  }

  /**
   * Refuses at once where the volume is known not to serve.
   *
   * @throws FallbackException why not
   */
  public void check() throws FallbackException {
    FallbackException refusal = refusal();
    if (refusal != null) {
      throw refusal;
    }
  }

  /** Why nothing is granted now; null also before the volume was looked at. */
  public @Nullable FallbackException refusal() {
    if (stalled || isOpeningStalled()) {
      return new FallbackException(
          FallbackReason.VOLUME_STALLED, root + " did not answer a grant or its opening in time");
    }
    FallbackException refusal = state.refusal;
    return refusal != null ? refusal : opener.obstacle();
  }

  /**
   * Refuses where another host may have been given the volume's device. Touches no volume.
   *
   * @throws FallbackException VOLUME_UNFENCED
   */
  public void checkFence() throws FallbackException {
    FallbackException obstacle = opener.obstacle();
    if (obstacle != null) {
      throw obstacle;
    }
  }

  /** Whether leases on the volume may be renewed. Touches no volume. */
  public boolean mayRenew() {
    return opener.obstacle() == null;
  }

  /** Whether its device refuses other hosts' writes; null where nobody asked for that. */
  public @Nullable FenceStatus fence() {
    return opener.fence();
  }

  /** False as long as nobody can say whether the volume serves. */
  public boolean isKnown() {
    State now = state;
    return now.opened != null || now.refusal != null || stalled || isOpeningStalled();
  }

  private boolean isOpeningStalled() {
    Long since = openingSince;
    return since != null && clock.nanos() - since > OPENING_MAX_NANOS;
  }

  /** The device, or null while the volume is not open. */
  public @Nullable DeviceIdentity deviceOrNull() {
    Opened opened = state.opened;
    return opened == null ? null : opened.device;
  }

  /**
   * What the volume was opened to, or the reason why it was not.
   *
   * @throws FallbackException why it is not open
   */
  public Opened opened() throws FallbackException {
    State now = state;
    if (now.opened != null) {
      return now.opened;
    }
    throw now.refusal != null
        ? now.refusal
        : new FallbackException(FallbackReason.DATANODE_NOT_READY, root + " is not open yet");
  }

  /** A grant waited for the volume in vain: the next ones do not wait, until something moves. */
  public void stalls() {
    stalled = true;
  }

  /** Something on the volume came to its end. */
  public void moves() {
    stalled = false;
  }

  /** Tries whether a volume that stalled takes writes again; hangs as long as it does not. */
  public void probe() {
    Opened opened = state.opened;
    if (stalled && opened != null) {
      try {
        opened.witness.advance();
        LOG.info("{} answers again", root);
      } catch (IOException e) {
        LOG.warn("{} answers again, but with an error", root, e);
      }
      stalled = false;
    }
  }
}
