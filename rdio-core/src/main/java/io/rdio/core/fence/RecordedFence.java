// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.fence.ReservationException.Obstacle;
import java.io.IOException;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Shuts one host out of one device, with a record of how far that has come. Whoever dies on the way
 * does it again: each step finds what those before it have done. For one thread at a time.
 *
 * <p>In two steps, with {@link OwnReservation#BELIEVED} between them: a target that is started
 * again forgets, and a host that was cut off meanwhile may take its reservation again for as long.
 */
public final class RecordedFence {
  private final FenceRecords records;
  private final HostFence device;
  private final String host;
  private final String wwid;
  private final String by;
  private final Clock clock;

  /**
   * @param device that the host is shut out of
   * @param host that is shut out
   * @param wwid of the device
   * @param by this host
   * @param clock for the records' times, which are for people only
   */
  public RecordedFence(
      FenceRecords records, HostFence device, String host, String wwid, String by, Clock clock) {
    this.records = records;
    this.device = device;
    this.host = HostKey.name(host);
    this.wwid = wwid;
    this.by = HostKey.name(by);
    this.clock = clock;
  }

  /**
   * Goes on from wherever the record is until the host is shut out. What is recorded as more than
   * {@link FenceState#RECALLED} is never recorded as that again: this host may have the device, and
   * a file system of it mounted, since.
   *
   * @return whether it is to be confirmed: false where the device shows that all was done before
   * @throws IOException if the device cannot shut it out, or the record cannot be kept; the record
   *     then says how far it came, also that a fence is {@link FenceState#LOST}, and is there no
   *     more if this was the first try, and a mistake: of this host itself, of a device that this
   *     host holds, or of one that takes no reservations
   */
  public boolean shutOut() throws IOException {
    long key = HostKey.of(host);
    FenceRecord record = records.find(host, wwid).orElse(null);
    if (record == null || record.state() == FenceState.RECALLED) {
      begin(record, key);
    } else {
      requireOurs(record);
      if (record.state() == FenceState.FENCED) {
        if (isStanding(key)) {
          return false;
        }
        // Whatever comes of this try: who believes the record alone must not go on doing so.
        records.write(record.to(FenceState.LOST, clock.instant()));
      }
      if (record.state() != FenceState.FENCING) {
        recordFencing(record, key);
      }
    }
    device.shutOut(key);
    return true;
  }

  /** Not where a target forgot, somebody ended it, or the device takes no reservations any more. */
  private boolean isStanding(long key) throws IOException {
    try {
      return device.isShutOut(key);
    } catch (ReservationException e) {
      if (e.obstacle() != Obstacle.UNSUPPORTED) {
        throw e;
      }
      return false;
    }
  }

  private void begin(@Nullable FenceRecord before, long key) throws IOException {
    FenceRecord record = before;
    if (record == null || !record.by().equals(by)) {
      record = new FenceRecord(host, wwid, by, FenceState.RECALLED, clock.instant());
      records.write(record);
    }
    try {
      recordFencing(record, key);
    } catch (ReservationException e) {
      // One that was there before has its own reason.
      if (before == null && isMistake(e)) {
        forget(e);
      }
      throw e;
    }
  }

  /** Ahead of the record: from there on a registration that is gone counts as taken away. */
  private void recordFencing(FenceRecord record, long key) throws IOException {
    device.requireRegistered(key);
    records.write(record.to(FenceState.FENCING, clock.instant()));
  }

  /**
   * Nothing of another host's is at stake, so no record is to keep this host from its device. That
   * a host is not registered is none: its target may have been started again before this try.
   */
  private boolean isMistake(ReservationException refusal) {
    if (host.equals(by)) {
      return true;
    }
    try {
      return device.isOwn();
    } catch (IOException e) {
      refusal.addSuppressed(e);
      return e instanceof ReservationException said && said.obstacle() == Obstacle.UNSUPPORTED;
    }
  }

  private void forget(ReservationException why) {
    try {
      records.remove(host, wwid);
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  /** Under another name this host has another key, and holds the device by the one before. */
  private void requireOurs(FenceRecord record) throws ReservationException {
    if (!record.by().equals(by)) {
      throw new ReservationException(
          Obstacle.CONFLICT,
          wwid
              + ": by its record ("
              + record.state()
              + " since "
              + record.since()
              + ") "
              + host
              + " was to be shut out by "
              + record.by()
              + ", and this host is "
              + by
              + "; fix: if this host had that name, repeat it with --as "
              + record.by()
              + ", or end that fence first: 'rdio fence --undo "
              + host
              + "'");
    }
  }

  /**
   * Records that the host is shut out, if it still is {@link OwnReservation#BELIEVED} behind {@link
   * #shutOut}.
   *
   * @throws IOException if it is not, or the device does not say; it is not fenced then
   */
  public void confirm() throws IOException {
    if (!device.isShutOut(HostKey.of(host))) {
      throw new ReservationException(
          Obstacle.FAILED,
          wwid
              + ": "
              + host
              + " was shut out, and "
              + OwnReservation.BELIEVED.toSeconds()
              + " s later is no more: the target was started again, or somebody ended it; fix:"
              + " repeat it; if the host is not registered anew, turn it off");
    }
    FenceRecord record =
        records
            .find(host, wwid)
            .orElseThrow(() -> new IOException("the fence record of " + host + " is gone"));
    records.write(record.to(FenceState.FENCED, clock.instant()));
  }
}
