// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.fence.Namespaces.Namespace;
import io.rdio.core.fence.ReservationException.Obstacle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The registration of this host with NVMe namespaces. Thread-safe. */
public final class HostRegistration implements AgentRegistration {
  private final Namespaces namespaces;

  /** By the kernel of this host. */
  public HostRegistration() {
    this(new HostNamespaces());
  }

  HostRegistration(Namespaces namespaces) {
    this.namespaces = namespaces;
  }

  @Override
  public boolean isRegistered(Path node, String wwid, long key) throws IOException {
    try (Reservations device = namespaces.open(namespace(node, wwid))) {
      return own(device, device.report()).filter(each -> each.key() == key).isPresent();
    }
  }

  @Override
  public void register(Path node, String wwid, long key) throws IOException {
    Namespace namespace = namespace(node, wwid);
    requireUnused(namespace);
    try (Reservations device = namespaces.open(namespace)) {
      ReservationReport before = device.report();
      requireForAll(namespace, before);
      Optional<Registrant> own = own(device, before);
      if (own.isPresent()) {
        requireAgents(namespace, own.get());
        device.replaceKey(key);
      } else {
        device.register(key);
      }
      ReservationReport after = device.report();
      requireForAll(namespace, after);
      if (own(device, after).filter(each -> each.key() == key).isEmpty()) {
        throw refusal(
            Obstacle.FAILED,
            namespace,
            "the target did as it was told, and this host is not registered by "
                + HostKey.text(key)
                + ": "
                + after);
      }
    }
  }

  private Namespace namespace(Path node, String wwid) throws IOException {
    Namespace namespace = namespaces.of(node);
    if (!namespace.wwid().equals(wwid)) {
      throw refusal(Obstacle.CONFLICT, namespace, "it is not " + wwid);
    }
    return namespace;
  }

  private static Optional<Registrant> own(Reservations device, ReservationReport report)
      throws ReservationException {
    String host = device.hostId();
    if (host.isEmpty()) {
      throw new ReservationException(
          Obstacle.FAILED,
          device.name()
              + ": this host's NVMe host identifier is not known; fix: see that its controllers in"
              + " /sys/class/nvme have a hostid");
    }
    return report.registrants().stream().filter(each -> each.hostId().equals(host)).findFirst();
  }

  /**
   * A target knows hosts, not programs: as a registered host's, the writes of a file system that it
   * has mounted would pass, too. So the DataNode's own host is no agent's for its volumes.
   */
  private void requireUnused(Namespace namespace) throws IOException {
    for (Namespace way : namespaces.all()) {
      if (way.wwid().equals(namespace.wwid())) {
        if (namespaces.isMounted(way)) {
          throw refusal(
              Obstacle.CONFLICT,
              way,
              "a file system of it is mounted on this host, whose writes could not be told from an"
                  + " agent's");
        }
        List<String> holders = namespaces.holders(way);
        if (!holders.isEmpty()) {
          throw refusal(
              Obstacle.CONFLICT, way, String.join(", ", holders) + " lies on it on this host");
        }
      }
    }
  }

  private static void requireForAll(Namespace namespace, ReservationReport report)
      throws ReservationException {
    if (!report.isOf(ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS)) {
      throw refusal(
          Obstacle.CONFLICT,
          namespace,
          "no DataNode has reserved it for all registered hosts: " + report);
    }
  }

  private static void requireAgents(Namespace namespace, Registrant own)
      throws ReservationException {
    if (!AgentKey.isAgents(own.key())) {
      throw refusal(
          Obstacle.CONFLICT,
          namespace,
          "this host is registered by "
              + HostKey.text(own.key())
              + ", which is no agent's key; fix: if no DataNode of this host needs it any more,"
              + " 'rdio fence --release HOST' for this device, by the name that the key is of");
    }
  }

  private static ReservationException refusal(
      Obstacle obstacle, Namespace namespace, String detail) {
    return new ReservationException(obstacle, namespace + ": " + detail);
  }
}
