// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** What is made of a target's Reservation Report, whose layout is NVMe's. */
final class ReservationReportTest {
  private static final int BYTES = 4096;

  private static ByteBuffer head(int type, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(0, 7).put(4, (byte) type).putShort(5, (short) count);
    return bytes;
  }

  private static void extended(ByteBuffer bytes, int index, int status, long key, int host) {
    int at = 64 + 64 * index;
    bytes.putShort(at, (short) 0xFFFF).put(at + 2, (byte) status).putLong(at + 8, key);
    for (int i = 0; i < 16; i++) {
      bytes.put(at + 16 + i, (byte) host);
    }
  }

  @Test
  void tellsWhoHoldsItAndWhoIsRegistered() {
    ByteBuffer bytes = head(1, 2);
    extended(bytes, 0, 0, 0x1234, 0xCC);
    extended(bytes, 1, 1, 0xFEDCBA9876543210L, 0xDD);

    ReservationReport report = ReservationReport.parse(bytes, true).orElseThrow();

    assertThat(report.generation()).isEqualTo(7);
    assertThat(report.isOf(ReservationType.WRITE_EXCLUSIVE)).isTrue();
    assertThat(report.isHeldBy(0xFEDCBA9876543210L)).isTrue();
    assertThat(report.isHeldBy(0x1234)).isFalse();
    assertThat(report.hasKey(0x1234)).isTrue();
    assertThat(report.hasKey(0x1235)).isFalse();
    assertThat(report.persistent()).isFalse();
    assertThat(report.toString())
        .contains("Write Exclusive", "0xfedcba9876543210", "dddddddddddddddd", "which holds it");
  }

  @Test
  void shorterHostIdentifiersAreElsewhere() {
    ByteBuffer bytes = head(1, 1).put(9, (byte) 1);
    bytes.put(24 + 2, (byte) 1).putLong(24 + 8, 0x1122334455667788L).putLong(24 + 16, 0xABCD);

    ReservationReport report = ReservationReport.parse(bytes, false).orElseThrow();

    assertThat(report.registrants())
        .containsExactly(new Registrant("8877665544332211", 0xABCD, true));
    assertThat(report.persistent()).isTrue();
  }

  @Test
  void nothingIsReservedWhereThereIsNoType() {
    ByteBuffer bytes = head(0, 1);
    extended(bytes, 0, 0, 5, 1);

    ReservationReport report = ReservationReport.parse(bytes, true).orElseThrow();

    assertThat(report.isReserved()).isFalse();
    assertThat(report.isHeldBy(5)).isFalse();
    assertThat(report.hasKey(5)).isTrue();
    assertThat(ReservationReport.parse(head(0, 0), true).orElseThrow()).hasToString("not reserved");
  }

  /** Two hosts with a name that both made up by chance: neither is believed to be the one. */
  @Test
  void agentIsFoundByItsName() {
    long name = AgentKey.name(1L << 20);
    ByteBuffer bytes = head(5, 3);
    extended(bytes, 0, 1, HostKey.of("dn1"), 0xCC);
    extended(bytes, 1, 1, name + 7, 0xDD);
    extended(bytes, 2, 1, AgentKey.name(1L << 21) + 7, 0xEE);
    ReservationReport report = ReservationReport.parse(bytes, true).orElseThrow();

    assertThat(report.keyOf(name)).hasValue(name + 7);
    assertThat(report.keyOf(name + 7)).isEmpty();
    assertThat(report.keyOf(0)).isEmpty();
    assertThat(report.keyOf(HostKey.of("dn1"))).isEmpty();

    extended(bytes, 2, 1, name + 7, 0xDD);
    assertThat(ReservationReport.parse(bytes, true).orElseThrow().keyOf(name))
        .as("named once for each of its controllers")
        .hasValue(name + 7);

    extended(bytes, 2, 1, name + 8, 0xEE);
    assertThat(ReservationReport.parse(bytes, true).orElseThrow().keyOf(name)).isEmpty();
  }

  @Test
  void moreThanThereIsRoomForMakesNoSense() {
    assertThat(ReservationReport.parse(head(1, (BYTES - 64) / 64), true)).isPresent();
    assertThat(ReservationReport.parse(head(1, (BYTES - 64) / 64 + 1), true)).isEmpty();
    assertThat(ReservationReport.parse(head(1, 0xFFFF), true)).isEmpty();
    assertThat(ReservationReport.parse(ByteBuffer.allocate(8), false)).isEmpty();
  }
}
