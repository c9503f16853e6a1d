// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.fence.DeviceFence;
import io.rdio.core.fence.FenceRecord;
import io.rdio.core.fence.FenceRecords;
import io.rdio.core.fence.FenceState;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.Namespaces;
import io.rdio.core.fence.Namespaces.Namespace;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.fence.ReservationReport;
import io.rdio.core.fence.ReservationType;
import io.rdio.core.fence.Reservations;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code rdio fence --status}: changes nothing. For one thread. */
final class FenceView {
  private final Namespaces namespaces;
  private final FenceRecords records;
  private final PrintWriter out;

  FenceView(Namespaces namespaces, FenceRecords records, PrintWriter out) {
    this.namespaces = namespaces;
    this.records = records;
    this.out = out;
  }

  /**
   * Says who has reserved what, and whether what was fenced still is.
   *
   * @param host whose key is of interest; null for none
   */
  boolean print(@Nullable String host) throws IOException {
    if (host != null) {
      out.println("Key of " + HostKey.name(host) + ": " + HostKey.text(HostKey.of(host)));
    }
    List<Namespace> here = namespaces.all();
    for (Namespace namespace : here) {
      try (Reservations reservations = namespaces.open(namespace)) {
        out.println(namespace + ": " + line(reservations.report()));
      } catch (ReservationException e) {
        throwIfDenied(e);
        out.println(namespace + ": the fence is missing: " + Failures.message(e));
      }
    }
    if (here.isEmpty()) {
      out.println("This host has no NVMe namespace.");
    }
    boolean complete = true;
    for (FenceRecord record : records.all()) {
      complete &= status(record, withWwid(here, record.wwid()));
    }
    return complete;
  }

  private static String line(ReservationReport report) {
    boolean forgets = report.isReserved() && !report.persistent();
    return report + (forgets ? "; its target forgets that when it is started again" : "");
  }

  private boolean status(FenceRecord record, Optional<Namespace> namespace) throws IOException {
    String what = record.host() + " out of " + record.wwid() + ": ";
    if (!record.state().mayFree()) {
      out.println(
          what
              + (record.state() == FenceState.LOST ? "NO MORE (" : "NOT DONE (")
              + record.state()
              + " since "
              + record.since()
              + "); fix: repeat it; if the target cannot shut it out, "
              + turnOff(record));
      return false;
    }
    if (namespace.isEmpty()) {
      out.println(
          what + "fenced since " + record.since() + "; not connected here to see if it still is");
      return false;
    }
    try (Reservations reservations = namespaces.open(namespace.get())) {
      boolean still = isShutOut(record, reservations);
      out.println(
          what
              + (still
                  ? "fenced since " + record.since()
                  : "NO MORE, since its target was started again or somebody ended it; fix: repeat"
                      + " it before anything else is done; if the host is not registered anew, "
                      + turnOff(record)));
      return still;
    }
  }

  /** What is left where the target cannot shut a host out. */
  private static String turnOff(FenceRecord record) {
    return "turn that host off, and then 'rdio fence --undo " + record.host() + "'";
  }

  private static boolean isShutOut(FenceRecord record, Reservations reservations)
      throws IOException {
    return new DeviceFence(reservations, HostKey.of(record.by()), ReservationType.WRITE_EXCLUSIVE)
        .isShutOut(HostKey.of(record.host()));
  }

  static Optional<Namespace> withWwid(List<Namespace> here, String wwid) {
    return here.stream().filter(namespace -> namespace.wwid().equals(wwid)).findFirst();
  }

  /** Where this process may not ask, it need not ask of the next one. */
  static void throwIfDenied(IOException failure) throws ReservationException {
    if (failure instanceof ReservationException refused && refused.obstacle() == Obstacle.DENIED) {
      throw refused;
    }
  }
}
