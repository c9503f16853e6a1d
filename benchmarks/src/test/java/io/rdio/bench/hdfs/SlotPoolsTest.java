// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.hdfs.SlotPools.Free;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlotPoolsTest {
  @Test
  void slotsAreFoundByNumber(@TempDir Path pool) throws IOException {
    assertThat(SlotPools.slots(pool.resolve("not-there"))).isEmpty();
    Path size = Files.createDirectory(pool.resolve("4096"));
    Files.createFile(size.resolve("00000000000000a1.00000000000000ff"));
    Files.createDirectory(pool.resolve("8192"));
    assertThat(SlotPools.slots(pool)).containsExactly(Map.entry("00000000000000a1", 4096L));
  }

  @Test
  void slotsThatComeBackAreNotNew() {
    Free before = new Free(List.of(Map.of("a", 4096L, "b", 4096L), Map.of("a", 8192L)));
    Free behind = new Free(List.of(Map.of("a", 4096L, "c", 8192L), Map.of("a", 8192L, "b", 1L)));
    assertThat(behind.newBytes(before)).isEqualTo(8193);
    assertThat(before.newBytes(before)).isZero();
    assertThat(behind.leastBytes()).isEqualTo(8193);
  }

  @Test
  void aPoolIsFullWithAsManyOfEachSizeAndMore() {
    List<Map<Long, Integer>> wanted = List.of(Map.of(1L, 2, 4L, 1), Map.of(1L, 1));
    assertThat(SlotPools.hasAll(wanted, wanted)).isTrue();
    assertThat(SlotPools.hasAll(List.of(Map.of(1L, 3, 4L, 1), Map.of(1L, 1)), wanted)).isTrue();
    assertThat(SlotPools.hasAll(List.of(Map.of(1L, 9), Map.of(1L, 1)), wanted)).isFalse();
    assertThat(SlotPools.hasAll(List.of(Map.of(1L, 2, 4L, 1), Map.of()), wanted)).isFalse();
  }
}
