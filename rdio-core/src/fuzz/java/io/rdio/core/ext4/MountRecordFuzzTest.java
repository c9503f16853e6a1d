// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Allocation;
import io.rdio.fuzz.Damage;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a mount record's file holds is the one record that has these bytes, or none. */
final class MountRecordFuzzTest {
  static final List<byte[]> WHOLE =
      List.of(
          record(0, "Linux 6.18", List.of()).encode(),
          record(1_800_000_000, "Linux 6.18", List.of("rw", "barrier", "data=ordered")).encode(),
          record(Long.MIN_VALUE, "\u00e4\r", List.of("", "x".repeat(3800))).encode());

  private static final long ALLOCATED_MAX = 1L << 20;

  private static MountRecord record(long made, String kernel, List<String> options) {
    return new MountRecord("DS-1", new UUID(1, 2), made, kernel, options);
  }

  @Property
  void anyBytesAreTheirRecordOrNone(@ForAll("contents") byte[] content) {
    check(content);
  }

  static void check(byte[] content) {
    Allocation.assertBelow(ALLOCATED_MAX, () -> parse(content));
  }

  private static void parse(byte[] content) {
    Optional<MountRecord> found = MountRecord.parse(content);
    if (found.isPresent()) {
      MountRecord record = found.get();
      assertThat(record.encode()).isEqualTo(content);
      assertThat(content.length).isLessThanOrEqualTo(MountRecord.MAX_BYTES);
      assertThat(record.whyUnfit()).isNotNull();
    }
  }

  @Provide
  Arbitrary<byte[]> contents() {
    return Damage.of(WHOLE);
  }
}
