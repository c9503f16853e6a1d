// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.fence.Namespaces.Namespace;
import io.rdio.core.fence.ReservationException.Obstacle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The NVMe namespaces that {@code rdio fence} has shut hosts out of, by its records and by what the
 * target says. Thread-safe.
 */
public final class HostFencedDevices implements FencedDevices {
  private static final ReservationType TYPE = ReservationType.WRITE_EXCLUSIVE;

  private final Namespaces namespaces;
  private final FenceRecords records;

  public HostFencedDevices(Namespaces namespaces, FenceRecords records) {
    this.namespaces = namespaces;
    this.records = records;
  }

  @Override
  public List<Path> recorded() throws IOException {
    List<String> fenced =
        records.all().stream()
            .filter(record -> record.state() == FenceState.FENCED)
            .map(FenceRecord::wwid)
            .toList();
    // Without multipath each path has nodes of its own, all of one device.
    Map<String, Namespace> devices = new LinkedHashMap<>();
    // Without a record no device is looked at.
    for (Namespace namespace : fenced.isEmpty() ? List.<Namespace>of() : namespaces.all()) {
      if (fenced.contains(namespace.wwid())) {
        devices.putIfAbsent(namespace.wwid(), namespace);
      }
    }
    List<Path> nodes = new ArrayList<>();
    for (Namespace device : devices.values()) {
      nodes.addAll(namespaces.nodes(device));
    }
    return nodes;
  }

  @Override
  public StandingFence look(Path node) throws IOException {
    Namespace namespace = namespaces.of(node);
    List<FenceRecord> ofDevice =
        records.all().stream().filter(record -> record.wwid().equals(namespace.wwid())).toList();
    if (ofDevice.isEmpty()) {
      throw refusal(Obstacle.FAILED, namespace, "no host was shut out of it by this one");
    }
    for (FenceRecord record : ofDevice) {
      if (record.state() != FenceState.FENCED) {
        throw refusal(
            Obstacle.FAILED,
            namespace,
            record.host() + " may still write to it; fix: run 'rdio fence " + record.host() + "'");
      }
    }
    List<Namespace> ways = ways(namespace);
    try (Reservations device = namespaces.open(namespace)) {
      String before = written(ways);
      ReservationReport report = device.report();
      for (FenceRecord record : ofDevice) {
        requireShutOut(namespace, device, report, record);
      }
      // Behind the report: what another mount of this host wrote is counted when it is unmounted.
      requireUnused(ways, before);
      return new StandingFence(ofDevice, report.generation(), before);
    }
  }

  /** By each of which this host could write to it: it may have several paths, without multipath. */
  private List<Namespace> ways(Namespace namespace) throws IOException {
    return namespaces.all().stream().filter(each -> each.wwid().equals(namespace.wwid())).toList();
  }

  private String written(List<Namespace> ways) throws IOException {
    StringBuilder all = new StringBuilder();
    for (Namespace way : ways) {
      all.append(way).append(": ").append(namespaces.written(way)).append("; ");
    }
    return all.toString();
  }

  private void requireUnused(List<Namespace> ways, String before) throws IOException {
    for (Namespace way : ways) {
      if (namespaces.isMounted(way)) {
        throw refusal(
            Obstacle.CONFLICT,
            way,
            "it is mounted on this host, which may write to it; fix: unmount it, or start the"
                + " DataNode on it");
      }
      List<String> holders = namespaces.holders(way);
      if (!holders.isEmpty()) {
        throw refusal(
            Obstacle.CONFLICT,
            way,
            String.join(", ", holders)
                + " lies on it on this host, which may write to it; fix: take it down");
      }
    }
    if (!written(ways).equals(before)) {
      throw new ReservationException(Obstacle.CONFLICT, ways + ": this host writes to it");
    }
  }

  private static void requireShutOut(
      Namespace namespace, Reservations device, ReservationReport report, FenceRecord record)
      throws ReservationException {
    // By its key alone the holder may be another host of this one's name.
    if (device.hostId().isEmpty()) {
      throw refusal(
          Obstacle.FAILED,
          namespace,
          "this host's NVMe host identifier is not known, so whoever holds it may be another one;"
              + " fix: see that its controllers in /sys/class/nvme have a hostid");
    }
    // Whoever is registered besides may not write: only the holder may.
    if (!report.isOf(TYPE) || !report.isHeldBy(HostKey.of(record.by()), device.hostId())) {
      throw refusal(
          Obstacle.FAILED,
          namespace,
          record.host()
              + " is shut out no more: "
              + report
              + "; fix: run 'rdio fence "
              + record.host()
              + "' again, which needs it registered anew; else turn it off, 'rdio fence --undo "
              + record.host()
              + "', and start the DataNode on the volume");
    }
  }

  private static ReservationException refusal(
      Obstacle obstacle, Namespace namespace, String detail) {
    return new ReservationException(obstacle, namespace + ": " + detail);
  }
}
