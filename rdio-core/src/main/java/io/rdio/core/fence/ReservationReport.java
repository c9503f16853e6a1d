// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Who may write to a namespace, as its target says: NVMe's Reservation Report.
 *
 * @param generation of 32 bits; more by each registration and each key that was taken away or
 *     cleared, and 0 again where a target has forgotten all
 * @param type by number; 0 where there is no reservation
 * @param persistent whether the target remembers over a loss of power
 * @param registrants that are registered
 */
public record ReservationReport(
    long generation, int type, boolean persistent, List<Registrant> registrants) {
  private static final int TYPE_AT = 4;
  private static final int COUNT_AT = 5;
  private static final int PERSISTENT_AT = 9;
  private static final int STATUS_AT = 2;

  /** Where registrants are, and what is where in one; host identifiers are 16 or 8 bytes long. */
  private enum Form {
    EXTENDED(64, 64, 16, 16, 8),
    PLAIN(24, 24, 8, 8, 16);

    private final int headBytes;
    private final int entryBytes;
    private final int hostAt;
    private final int hostBytes;
    private final int keyAt;

    Form(int headBytes, int entryBytes, int hostAt, int hostBytes, int keyAt) {
      this.headBytes = headBytes;
      this.entryBytes = entryBytes;
      this.hostAt = hostAt;
      this.hostBytes = hostBytes;
      this.keyAt = keyAt;
    }
  }

  public ReservationReport {
    registrants = List.copyOf(registrants);
  }

  /**
   * What a target has sent.
   *
   * @param extended whether with host identifiers of 128 bits, as every host over fabrics has them
   * @return empty where it makes no sense, or has more registrants than there is room for
   */
  static Optional<ReservationReport> parse(ByteBuffer bytes, boolean extended) {
    Form form = extended ? Form.EXTENDED : Form.PLAIN;
    ByteBuffer in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (in.limit() < form.headBytes) {
      return Optional.empty();
    }
    int count = Short.toUnsignedInt(in.getShort(COUNT_AT));
    if (form.headBytes + (long) count * form.entryBytes > in.limit()) {
      return Optional.empty();
    }
    List<Registrant> registrants = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      registrants.add(
          registrant(in.slice(form.headBytes + i * form.entryBytes, form.entryBytes), form));
    }
    return Optional.of(
        new ReservationReport(
            Integer.toUnsignedLong(in.getInt(0)),
            Byte.toUnsignedInt(in.get(TYPE_AT)),
            in.get(PERSISTENT_AT) != 0,
            registrants));
  }

  private static Registrant registrant(ByteBuffer entry, Form form) {
    ByteBuffer in = entry.order(ByteOrder.LITTLE_ENDIAN);
    byte[] host = new byte[form.hostBytes];
    in.get(form.hostAt, host);
    return new Registrant(
        HexFormat.of().formatHex(host), in.getLong(form.keyAt), (in.get(STATUS_AT) & 1) == 1);
  }

  /** Whether there is a reservation. */
  public boolean isReserved() {
    return type != 0;
  }

  /**
   * Whether a host with this key holds the reservation; others may, too, where all registrants do.
   */
  public boolean isHeldBy(long key) {
    return isReserved() && registrants.stream().anyMatch(each -> each.holds() && each.key() == key);
  }

  /** Whether a host is registered by this key, whether it holds the reservation or not. */
  public boolean hasKey(long key) {
    return registrants.stream().anyMatch(each -> each.key() == key);
  }

  /**
   * By which key the host of an agent is registered.
   *
   * @param agent name of its process, as {@link AgentKey#name} makes it
   * @return empty if no host is by one of its keys, or it is by several: nobody knows which counts
   */
  public OptionalLong keyOf(long agent) {
    List<Long> keys =
        registrants.stream()
            .map(Registrant::key)
            .filter(key -> AgentKey.isOf(key, agent))
            .distinct() // a target may name a host once for each of its controllers
            .toList();
    return keys.size() == 1 ? OptionalLong.of(keys.get(0)) : OptionalLong.empty();
  }

  /**
   * Whether a certain host holds the reservation by this key, and not another one of its name.
   *
   * @param hostId as {@link Reservations#hostId} says; empty where that is not known
   */
  boolean isHeldBy(long key, String hostId) {
    return isReserved()
        && registrants.stream()
            .anyMatch(
                each ->
                    each.holds()
                        && each.key() == key
                        && (hostId.isEmpty() || each.hostId().equals(hostId)));
  }

  /** By what a certain host holds the reservation; others may, too, where all registrants do. */
  Optional<Registrant> heldBy(String hostId) {
    return registrants.stream()
        .filter(each -> isReserved() && each.holds() && each.hostId().equals(hostId))
        .findFirst();
  }

  boolean isOf(ReservationType wanted) {
    return type == wanted.number();
  }

  /** For people, in one line. */
  @Override
  public String toString() {
    if (!isReserved() && registrants.isEmpty()) {
      return "not reserved";
    }
    return (isReserved() ? "reserved, " + ReservationType.text(type) : "not reserved")
        + "; registered: "
        + registrants.stream().map(Registrant::toString).collect(Collectors.joining("; "));
  }
}
