// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.fence.DeviceFence;
import io.rdio.core.fence.FenceRecord;
import io.rdio.core.fence.FenceRecords;
import io.rdio.core.fence.FenceState;
import io.rdio.core.fence.HostFence;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.Namespaces;
import io.rdio.core.fence.Namespaces.Namespace;
import io.rdio.core.fence.OwnReservation;
import io.rdio.core.fence.RecordedFence;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.fence.ReservationReport;
import io.rdio.core.fence.ReservationType;
import io.rdio.core.fence.Reservations;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What {@code rdio fence} does, namespace by namespace: one that fails keeps it from no other. Each
 * answers whether all is as was asked for, and throws a {@link ReservationException} with DENIED
 * where this process may not ask at all. For one thread.
 */
final class FenceWork {
  private final Namespaces namespaces;
  private final FenceRecords records;
  private final Here here;
  private final PrintWriter out;

  FenceWork(Namespaces namespaces, FenceRecords records, Here here, PrintWriter out) {
    this.namespaces = namespaces;
    this.records = records;
    this.here = here;
    this.out = out;
  }

  /**
   * This host.
   *
   * @param name as the NameNode would list it
   * @param clock for people only
   * @param pause lets time pass
   */
  record Here(String name, Clock clock, Pause pause) {}

  /** Lets time pass. */
  @FunctionalInterface
  interface Pause {
    void take(Duration time) throws InterruptedException;
  }

  /** What is done to one namespace; says whether it is as was asked for. */
  private interface Step {
    boolean on(Namespace namespace, Reservations reservations) throws IOException;
  }

  /** One after the other, each with its failure, if there is one, in a line. */
  private boolean each(List<Namespace> chosen, Step step) throws IOException {
    boolean complete = true;
    for (Namespace namespace : chosen) {
      try (Reservations reservations = namespaces.open(namespace)) {
        complete &= step.on(namespace, reservations);
      } catch (IOException e) {
        FenceView.throwIfDenied(e);
        complete = false;
        out.println(namespace + ": FAILED: " + Failures.message(e));
      }
      out.flush();
    }
    return complete;
  }

  private List<Namespace> named(List<Path> devices) throws IOException {
    Set<Namespace> chosen = new LinkedHashSet<>();
    for (Path device : devices) {
      chosen.add(namespaces.of(device));
    }
    return new ArrayList<>(chosen);
  }

  /**
   * Shuts a host out of the devices, or of all that it has reserved.
   *
   * @throws IOException also if there is none
   */
  boolean fence(String host, List<Path> devices) throws IOException {
    List<Namespace> chosen = devices.isEmpty() ? reservedBy(host) : named(devices);
    if (chosen.isEmpty()) {
      throw new IOException(
          "no NVMe namespace of this host is reserved by "
              + host
              + " (key "
              + HostKey.text(HostKey.of(host))
              + "): the fence is missing; fix: name the host as the NameNode lists it, and see"
              + " 'rdio fence --status'; where it reserved nothing, only turning it off keeps it"
              + " from writing");
    }
    List<Namespace> begun = new ArrayList<>();
    boolean complete =
        each(
            chosen,
            (namespace, reservations) -> {
              if (fence(host, namespace, reservations).shutOut()) {
                begun.add(namespace);
              } else {
                out.println(namespace + ": " + host + " was shut out before, and still is");
              }
              return true;
            });
    return confirm(host, begun) && complete;
  }

  /** Not before {@code host} has given up what it was shut out of, wherever it is. */
  private boolean confirm(String host, List<Namespace> begun) throws IOException {
    if (begun.isEmpty()) {
      return true;
    }
    out.println(
        "Waiting "
            + OwnReservation.BELIEVED.toSeconds()
            + " s, in which a target that is started again could let it back in.");
    out.flush();
    try {
      here.pause.take(OwnReservation.BELIEVED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted; it is not fenced; fix: repeat it");
    }
    return each(
        begun,
        (namespace, reservations) -> {
          fence(host, namespace, reservations).confirm();
          out.println(namespace + ": " + host + " is shut out");
          return true;
        });
  }

  private RecordedFence fence(String host, Namespace namespace, Reservations reservations) {
    return new RecordedFence(
        records, device(reservations), host, namespace.wwid(), here.name, here.clock);
  }

  private HostFence device(Reservations reservations) {
    return new DeviceFence(reservations, HostKey.of(here.name), ReservationType.WRITE_EXCLUSIVE);
  }

  /** Also those where this was begun before, for then it may be reserved by it no more. */
  private List<Namespace> reservedBy(String host) throws IOException {
    List<Namespace> found = new ArrayList<>();
    for (Namespace namespace : namespaces.all()) {
      try (Reservations reservations = namespaces.open(namespace)) {
        if (records.find(host, namespace.wwid()).isPresent()
            || reservations.report().hasKey(HostKey.of(host))) {
          found.add(namespace);
        }
      } catch (ReservationException e) {
        FenceView.throwIfDenied(e);
        out.println(namespace + " is left out: " + Failures.message(e));
      }
    }
    return found;
  }

  /** Gives back what was taken from a host, and forgets it. */
  boolean undo(String host, List<Path> devices) throws IOException {
    List<Namespace> chosen = devices.isEmpty() ? recorded(host) : named(devices);
    if (chosen.isEmpty()) {
      throw new IOException(
          "nothing of "
              + host
              + " was fenced by this host, by the records in "
              + records.folder()
              + "; fix: see 'rdio fence --status'");
    }
    return each(
        chosen,
        (namespace, reservations) -> {
          FenceRecord record =
              records
                  .find(host, namespace.wwid())
                  .orElseThrow(
                      () -> new IOException(host + " was not shut out of it by this host"));
          boolean isTaken = record.state() != FenceState.RECALLED;
          if (isTaken) {
            requireUnmounted(namespace);
            if (report(reservations).isPresent()) {
              giveBack(record, reservations);
            }
          }
          records.remove(host, namespace.wwid());
          out.println(
              namespace
                  + (isTaken ? ": given back; " : ": forgotten, nothing was taken; ")
                  + report(reservations)
                      .map(ReservationReport::toString)
                      .orElse("it takes no reservations"));
          return true;
        });
  }

  /** What was this host's alone may be its agents', too, by now: a DataNode was here. */
  private static void giveBack(FenceRecord record, Reservations reservations)
      throws ReservationException {
    long key = HostKey.of(record.by());
    if (record.state() == FenceState.FENCED) {
      OwnReservation.release(reservations, key);
    }
    OwnReservation.giveBack(reservations, key);
  }

  /** Empty for a target that takes no reservations, or none any more, and so keeps none. */
  private static Optional<ReservationReport> report(Reservations reservations)
      throws ReservationException {
    try {
      return Optional.of(reservations.report());
    } catch (ReservationException e) {
      if (e.obstacle() != Obstacle.UNSUPPORTED) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private List<Namespace> recorded(String host) throws IOException {
    List<Namespace> found = new ArrayList<>();
    List<Namespace> here = namespaces.all();
    for (FenceRecord record : records.all()) {
      if (record.host().equals(host)) {
        found.add(
            FenceView.withWwid(here, record.wwid())
                .orElseThrow(
                    () ->
                        new IOException(
                            record.wwid()
                                + ", which "
                                + host
                                + " was shut out of, is not connected here; fix: connect it")));
      }
    }
    return found;
  }

  private void requireUnmounted(Namespace namespace) throws IOException {
    if (namespaces.isMounted(namespace)) {
      throw new IOException(
          "a file system of it is mounted here, and another host could write to it; fix: unmount"
              + " it");
    }
  }

  /** Reserves devices for this host; what its DataNode has let agents' hosts write to stays so. */
  boolean hold(String host, List<Path> devices) throws IOException {
    long key = HostKey.of(host);
    return each(
        named(devices),
        (namespace, reservations) -> {
          ReservationReport before = reservations.report();
          boolean isHeld =
              OwnReservation.isHeld(before, key, ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS);
          ReservationType type =
              isHeld
                  ? ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS
                  : ReservationType.WRITE_EXCLUSIVE;
          out.println(namespace + ": " + OwnReservation.take(reservations, key, type));
          return true;
        });
  }

  /** Gives up what this host has reserved. */
  boolean release(String host, List<Path> devices) throws IOException {
    return each(
        named(devices),
        (namespace, reservations) -> {
          requireUnmounted(namespace);
          OwnReservation.release(reservations, HostKey.of(host));
          out.println(namespace + ": " + reservations.report());
          return true;
        });
  }
}
