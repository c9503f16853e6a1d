// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Allocation;
import io.rdio.fuzz.Damage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a target sends is a report that has what the bytes have, or none. */
final class ReservationReportFuzzTest {
  /** What is checked of a registrant is in it, too. */
  private static final long ALLOCATED_PER_BYTE = 1000;

  private static final long ALLOCATED_FIXED = 1L << 20;

  /** Three registrants, the last one with the reservation. */
  static byte[] whole(boolean extended) {
    int entry = extended ? 64 : 24;
    ByteBuffer bytes = ByteBuffer.allocate(4 * entry).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(0, 7).put(4, (byte) 1).putShort(5, (short) 3).put(9, (byte) 1);
    for (int i = 1; i <= 3; i++) {
      bytes.put(i * entry + 2, (byte) (i / 3)).putLong(i * entry + (extended ? 8 : 16), i);
      bytes.put(i * entry + (extended ? 16 : 8), (byte) i);
    }
    return bytes.array();
  }

  @Property
  void anyBytesAreAReportOrNone(@ForAll("answers") byte[] answer) {
    check(answer);
  }

  static void check(byte[] answer) {
    long bound = ALLOCATED_FIXED + ALLOCATED_PER_BYTE * answer.length;
    for (boolean extended : new boolean[] {true, false}) {
      Allocation.assertBelow(bound, () -> parse(answer, extended));
    }
  }

  private static void parse(byte[] answer, boolean extended) {
    ByteBuffer bytes = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN);
    int head = extended ? 64 : 24;
    Optional<ReservationReport> found = ReservationReport.parse(bytes, extended);
    assertThat(bytes.position()).isZero();
    boolean hasRoom =
        answer.length >= head
            && head + head * Short.toUnsignedInt(bytes.getShort(5)) <= answer.length;
    assertThat(found.isPresent()).isEqualTo(hasRoom);
    if (found.isPresent()) {
      assertSame(found.get(), bytes, extended);
    }
  }

  private static void assertSame(ReservationReport report, ByteBuffer bytes, boolean extended) {
    assertThat((int) report.generation()).isEqualTo(bytes.getInt(0));
    assertThat(report.type()).isEqualTo(bytes.get(4) & 0xFF);
    assertThat(report.persistent()).isEqualTo(bytes.get(9) != 0);
    assertThat(report.registrants()).hasSize(Short.toUnsignedInt(bytes.getShort(5)));
    int at = extended ? 64 : 24;
    for (Registrant each : report.registrants()) {
      byte[] host = new byte[extended ? 16 : 8];
      bytes.get(at + (extended ? 16 : 8), host);
      assertThat(HexFormat.of().parseHex(each.hostId())).isEqualTo(host);
      assertThat(each.key()).isEqualTo(bytes.getLong(at + (extended ? 8 : 16)));
      assertThat(each.holds()).isEqualTo((bytes.get(at + 2) & 1) == 1);
      assertThat(report.hasKey(each.key())).isTrue();
      at += extended ? 64 : 24;
    }
    assertThat(report.toString()).doesNotContain("\n");
  }

  @Provide
  Arbitrary<byte[]> answers() {
    return Damage.of(List.of(whole(true), whole(false)));
  }
}
