// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Allocation;
import io.rdio.fuzz.Damage;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Whatever a fence record's file holds is the one record that has these bytes, of hosts that have
 * keys, or none.
 */
final class FenceRecordFuzzTest {
  static final List<byte[]> WHOLE =
      Arrays.stream(FenceState.values())
          .map(state -> new FenceRecord("a", "uuid.1", "b", state, Instant.EPOCH.plusNanos(1)))
          .map(FenceRecord::encode)
          .toList();

  private static final long ALLOCATED_MAX = 1L << 20;

  @Property
  void anyBytesAreTheirRecordOrNone(@ForAll("contents") byte[] content) {
    check(content);
  }

  static void check(byte[] content) {
    Allocation.assertBelow(ALLOCATED_MAX, () -> parse(content));
  }

  private static void parse(byte[] content) {
    Optional<FenceRecord> found = FenceRecord.parse(content);
    if (found.isPresent()) {
      FenceRecord record = found.get();
      assertThat(record.encode()).isEqualTo(content);
      assertThat(content.length).isLessThanOrEqualTo(FenceRecord.MAX_BYTES);
      assertThat(HostKey.of(record.host())).isNotZero();
      assertThat(HostKey.of(record.by())).isNotZero();
    }
  }

  @Provide
  Arbitrary<byte[]> contents() {
    return Damage.of(WHOLE);
  }
}
