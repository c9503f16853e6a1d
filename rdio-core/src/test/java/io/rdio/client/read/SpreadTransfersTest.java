// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.client.read.ReplicatedBlock.LENGTH;
import static io.rdio.client.read.ReplicatedBlock.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pieces of a block with replicas on three devices, for somebody else. */
final class SpreadTransfersTest {
  private static final int CRC_AT = 4 << 20;
  private static final int MOST = 4;

  private final ByteBuffer memory = ByteBuffer.allocateDirect((5 << 20) + 4096).alignedSlice(4096);
  private ReplicatedBlock replicas;
  private TransferBlock block;
  private TransferQueue queue;

  @BeforeEach
  void open() throws FallbackException {
    replicas = new ReplicatedBlock();
    block = TransferBlock.open(replicas.context, replicas.block.request);
    queue = TransferQueue.open(replicas.context, () -> new DeferredQueue(MOST), MOST);
  }

  @AfterEach
  void close() {
    assertThat(queue.close()).isTrue();
  }

  private void readAll() throws FallbackException {
    for (int at = 0; at < LENGTH; at += MOST * READ) {
      for (int i = 0; i < MOST; i++) {
        begin(at + i * READ, i);
      }
      for (int i = 0; i < MOST; i++) {
        complete(at + i * READ);
      }
    }
  }

  private void begin(int from, int place) throws FallbackException {
    queue.begin(block, from, READ, TransferQueue.Crcs.ONCE, memory, place << 20);
  }

  private void complete(int from) throws FallbackException {
    int at = queue.complete(memory, CRC_AT);
    byte[] got = new byte[READ];
    memory.clear().get(at, got);
    assertThat(got).isEqualTo(replicas.block.range(from, READ));
  }

  @Test
  void piecesGoWhereTheyAreBackFirst() throws Exception {
    replicas.take(4_000_000, 1_000_000, 4_000_000);
    readAll();
    assertThat(replicas.reads(1)).isGreaterThan(3 * (replicas.reads(0) + replicas.reads(2)));
    assertThat(replicas.rejections()).isEmpty();
  }

  @Test
  void allOfThemAreReadBy() throws Exception {
    replicas.take(1_000_000, 1_000_000, 1_000_000);
    for (int i = 0; i < 20; i++) {
      readAll(); // those that are as fast are visited only
    }
    for (int i = 0; i < ReplicatedBlock.REPLICAS; i++) {
      assertThat(replicas.reads(i)).as("replica %d", i).isPositive();
    }
  }

  @Test
  void eachReplicaThatIsWrongIsFoundAndOnlyThose() throws Exception {
    replicas.take(1_000_000, 1_000_000, 1_000_000);
    replicas.corrupt(0);
    replicas.corrupt(2);
    assertThat(block.recheck(LENGTH / 2 + 7))
        .containsExactlyInAnyOrder(replicas.maps.get(0), replicas.maps.get(2));
    assertThat(replicas.rejections())
        .containsExactly(FallbackReason.CHECKSUM_MISMATCH, FallbackReason.CHECKSUM_MISMATCH);
    int before = replicas.reads(0) + replicas.reads(2);
    readAll();
    assertThat(replicas.reads(0) + replicas.reads(2)).isEqualTo(before);
  }

  @Test
  void whatIsRightIsNotBelievedToBeWrong() {
    assertThat(block.recheck(LENGTH / 2)).isEmpty();
    assertThat(block.recheck(-1)).isEmpty();
    assertThat(block.recheck(LENGTH)).isEmpty();
    assertThat(replicas.rejections()).isEmpty();
  }

  @Test
  void aDeviceThatDoesNotAnswerCostsOnePieceAtMost() throws Exception {
    replicas.take(4_000_000, 1_000_000, 4_000_000);
    begin(0, 0);
    complete(0);
    replicas.devices.get(1).answers(false);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                begin(READ, 0);
                complete(READ);
              }
            })
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT));
    assertThat(replicas.rejections()).containsExactly(FallbackReason.DEVICE_TIMEOUT);
    readAll();
  }

  /** A device that is opened is waited for: what time it was before that does not matter. */
  @Test
  void leaseThatRunsOutWhileAnotherDeviceIsOpenedHasNoneRead() {
    replicas.whileOpening(() -> replicas.fixture.clock.advance(TestBlock.LEASE));
    assertThatThrownBy(() -> begin(0, 0))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED));
    for (int i = 0; i < ReplicatedBlock.REPLICAS; i++) {
      assertThat(replicas.reads(i)).as("replica %d", i).isZero();
    }
  }

  @Test
  void whoBeginsToReadHasTheOthersLookedForAnew() throws Exception {
    replicas.take(4_000_000, 1_000_000, 4_000_000);
    readAll();
    replicas.fixture.maps.reject(replicas.maps.get(1), FallbackReason.LEASE_EXPIRED);
    int before = replicas.reads(1);
    block.admit();
    readAll();
    assertThat(replicas.reads(1)).isEqualTo(before);
  }
}
