// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.client.read.ReplicatedBlock.LENGTH;
import static io.rdio.client.read.ReplicatedBlock.READ;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.RangeReads;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ranges of a block with replicas on three devices. */
final class SpreadRangesTest {
  private final List<FileMap> suspects = new ArrayList<>();
  private ReplicatedBlock replicas;

  @BeforeEach
  void placeReplicas() throws FallbackException {
    replicas = new ReplicatedBlock();
  }

  /** One after the other, each told where it was wrong. */
  private int readAll() throws FallbackException {
    int refused = 0;
    for (int at = 0; at < LENGTH; at += READ) {
      ByteBuffer target = ByteBuffer.allocate(READ);
      try (RangeReads ranges =
          Objects.requireNonNull(
              ExtentRanges.open(
                  replicas.context,
                  replicas.block.request,
                  true,
                  LENGTH,
                  (map, from, count) -> suspects.add(map)))) {
        assertThat(ranges.begin(at, target, 0, READ)).isEqualTo(READ);
        ranges.complete();
        assertThat(target.array()).isEqualTo(replicas.block.range(at, READ));
      } catch (FallbackException e) {
        refused++;
      }
    }
    return refused;
  }

  @Test
  void rangesGoWhereTheyAreBackFirst() throws Exception {
    replicas.take(4_000_000, 1_000_000, 4_000_000);
    assertThat(readAll() + readAll() + readAll()).isZero();
    assertThat(replicas.reads(1)).isGreaterThan(replicas.reads(0) + replicas.reads(2));
  }

  @Test
  void theReplicaThatIsCorruptIsToldOfAndNoOther() throws Exception {
    replicas.take(4_000_000, 1_000_000, 4_000_000);
    replicas.corrupt(1);
    for (int tries = 0; tries < 20 && suspects.isEmpty(); tries++) {
      readAll();
    }
    assertThat(suspects).containsExactly(replicas.maps.get(1));
    assertThat(replicas.rejections()).containsExactly(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(readAll()).isZero();
  }
}
