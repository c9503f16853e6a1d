// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.fence.ReservationException.Obstacle;
import java.io.IOException;
import java.time.Clock;

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
   * Goes on from wherever the record is until the host is shut out.
   *
   * @return whether it is to be confirmed: false where the device shows that all was done before
   * @throws IOException if the device cannot shut it out, or the record cannot be kept; the record
   *     then says how far it came
   */
  public boolean shutOut() throws IOException {
    long key = HostKey.of(host);
    FenceRecord record = records.find(host, wwid).orElse(null);
    if (record != null && record.state() == FenceState.FENCED && record.by().equals(by)) {
      if (device.isShutOut(key)) {
        return false;
      }
      // A target that forgot, or somebody who ended it: what the record says is not so any more.
      record = null;
    }
    if (record == null || !record.by().equals(by)) {
      record = new FenceRecord(host, wwid, by, FenceState.RECALLED, clock.instant());
      records.write(record);
    }
    if (record.state() == FenceState.RECALLED) {
      // Ahead of the record: from there on a registration that is gone counts as taken away.
      device.requireRegistered(key);
      record = record.to(FenceState.FENCING, clock.instant());
      records.write(record);
    }
    device.shutOut(key);
    return true;
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
              + " repeat it");
    }
    FenceRecord record =
        records
            .find(host, wwid)
            .orElseThrow(() -> new IOException("the fence record of " + host + " is gone"));
    records.write(record.to(FenceState.FENCED, clock.instant()));
  }
}
