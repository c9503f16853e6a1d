// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.fence.Namespaces.Namespace;
import io.rdio.core.fence.ReservationException.Obstacle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registration of this host with NVMe namespaces. Thread-safe. */
public final class HostRegistration implements AgentRegistration {
  private static final Logger LOG = LoggerFactory.getLogger(HostRegistration.class);

  private final Namespaces namespaces;
  private final HostClaims claims;

  /** By the kernel of this host. */
  public HostRegistration() {
    this(new HostNamespaces(), new HostClaims(HostClaims.DEFAULT));
  }

  HostRegistration(Namespaces namespaces, HostClaims claims) {
    this.namespaces = namespaces;
    this.claims = claims;
  }

  /**
   * What can be told of a registration without making one.
   *
   * @param node of the device here
   * @param key of an agent, by which this host is registered now; empty if it is not
   */
  public record Outlook(Path node, OptionalLong key) {}

  /**
   * Whether this host could be registered with a device, but for this process's right to do so; for
   * {@code rdio doctor}. Changes nothing, and takes no claim.
   *
   * @throws ReservationException why it could not be, as {@link #register} says it; DENIED if this
   *     process may not even ask
   */
  public Outlook outlook(String wwid) throws IOException {
    Namespace namespace =
        namespaces.all().stream()
            .filter(each -> each.wwid().equals(wwid))
            .findFirst()
            .orElseThrow(
                () ->
                    new ReservationException(
                        Obstacle.UNSUPPORTED, "no NVMe namespace of this host is " + wwid));
    requireUnused(namespace);
    try (Reservations device = namespaces.open(namespace)) {
      ReservationReport report = device.report();
      requireForAll(namespace, report);
      Optional<Registrant> own = own(device, report);
      if (own.isEmpty()) {
        return new Outlook(namespace.node(), OptionalLong.empty());
      }
      requireAgents(namespace, own.get());
      return new Outlook(namespace.node(), OptionalLong.of(own.get().key()));
    }
  }

  @Override
  public boolean claim(Path node, String wwid) throws IOException {
    try (Reservations device = namespaces.open(namespace(node, wwid))) {
      return claims.take(hostId(device), wwid);
    }
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
        LOG.info(
            "RDIO: {} had this host registered by {} until now, of this agent or one before",
            namespace,
            HostKey.text(own.get().key()));
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
    String host = hostId(device);
    return report.registrants().stream().filter(each -> each.hostId().equals(host)).findFirst();
  }

  private static String hostId(Reservations device) throws ReservationException {
    String host = device.hostId();
    if (host.isEmpty()) {
      throw new ReservationException(
          Obstacle.FAILED,
          device.name()
              + ": this host's NVMe host identifier is not known; fix: see that its controllers in"
              + " /sys/class/nvme have a hostid");
    }
    return host;
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
