// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.SummedStripes.ALL;
import static io.rdio.client.write.SummedStripes.CELL;
import static io.rdio.client.write.SummedStripes.DATA;
import static io.rdio.client.write.SummedStripes.STRIPE;
import static io.rdio.client.write.SummedStripes.UNITS;
import static io.rdio.client.write.SummedStripes.passed;
import static io.rdio.client.write.SummedStripes.writeInPieces;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When parity is made, and who waits for it. */
@Timeout(180)
final class StripedWriterParityTest {
  private SummedStripes fixture = SummedStripes.withMuchMemory();

  @AfterEach
  void close() {
    fixture.close();
  }

  private void useLittleMemory() {
    fixture.close();
    fixture = SummedStripes.withLittleMemory();
  }

  @ParameterizedTest
  @EnumSource(names = {"AWAITED", "DEFERRED"})
  void dataDoesNotWaitForParity(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(9 * STRIPE, 2);
    CountDownLatch held = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(mode)) {
      CountDownLatch comes = fixture.holdParity(held);
      StripesFixture.write(writer, content, 0, 8 * STRIPE + 1024 * 4);
      passed(comes);
      assertThat(fixture.written(0, 8 * CELL))
          .isEqualTo(Arrays.copyOf(fixture.expected(content, 0), 8 * CELL));
      held.countDown();
      StripesFixture.write(writer, content, 8 * STRIPE + 1024 * 4, 9 * STRIPE);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
    }
    assertThat(fixture.awaitParity()).isTrue();
    fixture.requireBlock(content, DATA);
  }

  /** Immediate by its mode, and for want of memory. */
  @ParameterizedTest
  @EnumSource
  void nextStripeWaitsForParityWhereItMust(ParityMode mode) throws Exception {
    if (mode != ParityMode.IMMEDIATE) {
      useLittleMemory();
    }
    ByteBuffer content = StripesFixture.content(3 * STRIPE, 3);
    CountDownLatch held = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(mode)) {
      CountDownLatch comes = fixture.holdParity(held);
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(() -> unchecked(() -> writeInPieces(writer, content)));
      passed(comes);
      // All of the next stripe would be there by then if nobody waited.
      await()
          .during(Duration.ofMillis(300))
          .until(() -> fixture.written(0, 2 * CELL)[2 * CELL - 1] == 0 && !written.isDone());
      held.countDown();
      written.get(60, TimeUnit.SECONDS);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
    }
    assertThat(fixture.awaitParity()).isTrue();
    for (int unit = 0; unit < UNITS; unit++) {
      fixture.requireBlock(content, unit);
    }
  }

  private static void unchecked(ThrowingCallable call) {
    try {
      call.call();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void groupIsCommittedBeforeItsDeferredParity() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE + 77, 4);
    CountDownLatch held = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      fixture.holdParity(held);
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
    }
    assertThat(fixture.committed(0)).isNotNull();
    assertThat(fixture.committed(DATA)).isNull();
    assertThat(fixture.backlog.groups()).isEqualTo(1);
    assertThat(fixture.backlog.bytes()).isEqualTo(2 * STRIPE + 77);
    fixture.writers.run(Duration.ofSeconds(90)); // its leases are renewed
    assertThat(fixture.backlog.oldestSeconds()).isEqualTo(90);

    held.countDown();
    assertThat(fixture.awaitParity()).isTrue();
    for (int unit = 0; unit < UNITS; unit++) {
      fixture.requireBlock(content, unit);
    }
  }

  /** Its target is stuck in a write, and as long as it is, others wait for their parity. */
  @Test
  void parityThatTakesTooLongIsGivenUp() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 7);
    CountDownLatch held = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      CountDownLatch comes = fixture.holdParity(held);
      fixture.nodes.get(DATA).open(0).writesByWaiting = true;
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
      passed(comes);
    }
    fixture.writers.run(StripesFixture.PARITY_TIME_MAX.minusSeconds(1));
    fixture.backlog.look();
    assertThat(fixture.backlog.groupsGivenUp()).isZero();
    fixture.writers.run(Duration.ofSeconds(1));
    fixture.backlog.look();
    assertThat(fixture.backlog.groupsGivenUp()).isEqualTo(1);
    assertThat(fixture.backlog.admits()).isFalse();
    fixture.writers.run(Duration.ofMinutes(2)); // by a lease that goes on, or the timer would come

    held.countDown();
    assertThat(fixture.awaitParity()).isTrue();
    assertThat(fixture.backlog.admits()).isTrue();
    assertThat(fixture.backlog.lostBlocks()).isEqualTo(2);
    assertThat(fixture.committed(0)).isNotNull();
    assertThat(fixture.committed(DATA)).isNull();
    assertThat(fixture.memory.lent()).isZero();
  }

  /** Bytes of the CRCs of parity, for which a group asks as if it were full. */
  private long checksumsOfParity() {
    int ofOne = fixture.groupBytes() / DATA / StripesFixture.CHUNK * Integer.BYTES;
    return (long) (UNITS - DATA) * ofOne;
  }

  /** Others can have them then: a commit may wait for DataNodes. */
  @ParameterizedTest
  @EnumSource
  void groupThatHasItsEndKeepsNoStripeBehindItsParity(ParityMode mode) throws Exception {
    ByteBuffer content = StripesFixture.content(4 * STRIPE, 10);
    try (StripedWriter writer = fixture.open(mode)) {
      writeInPieces(writer, content);
      await().until(() -> fixture.memory.lent() == checksumsOfParity());
    }
  }

  @Test
  void deferredParityKeepsNoStripeWhileItIsCommitted() throws Exception {
    ByteBuffer content = StripesFixture.content(4 * STRIPE, 9);
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch comes = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      fixture.nodes.get(DATA).open(0).inFlush =
          () -> {
            comes.countDown();
            passed(held);
          };
      writeInPieces(writer, content);
      assertThat(StripesFixture.commit(writer, content)).isEqualTo(ALL);
      passed(comes);
    }
    assertThat(fixture.memory.lent())
        .as("but the checksums of parity")
        .isEqualTo(checksumsOfParity());
    assertThat(fixture.backlog.groups()).isEqualTo(1);

    held.countDown();
    assertThat(fixture.awaitParity()).isTrue();
    assertThat(fixture.memory.lent()).isZero();
    for (int unit = 0; unit < UNITS; unit++) {
      fixture.requireBlock(content, unit);
    }
  }

  @Test
  void groupWaitsForItsParityWhereOthersAreWithoutForLong() throws Exception {
    ParityBacklog.Late other = fixture.backlog.add(new BlockKey("BP-1", -3200, 1), 100, () -> {});
    fixture.writers.run(StripesFixture.PARITY_TIME_MAX.dividedBy(2));
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 8);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      writeInPieces(writer, content);
      StripesFixture.commit(writer, content);
    }
    fixture.requireBlock(content, DATA);
    fixture.requireBlock(content, DATA + 1);
    assertThat(fixture.backlog.groups()).as("only the other one").isEqualTo(1);
    assertThat(fixture.backlog.groupsAwaited()).isEqualTo(1);
    fixture.backlog.remove(other, 0);
  }

  @Test
  void whoAwaitsParityHasIt() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 5);
    try (StripedWriter writer = fixture.open(ParityMode.AWAITED)) {
      writeInPieces(writer, content);
      StripesFixture.commit(writer, content);
      fixture.requireBlock(content, DATA);
      fixture.requireBlock(content, DATA + 1);
      assertThat(fixture.backlog.groups()).isZero();
    }
  }

  /** The NameNode would make it at once. */
  @Test
  void groupWithoutAllBlocksHasItsParityAtOnce() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * CELL, 6);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      writeInPieces(writer, content);
      StripesFixture.commit(writer, content);
      fixture.requireBlock(content, DATA + 1);
      assertThat(fixture.backlog.groups()).isZero();
    }
  }

  @Test
  void agentThatEndsGivesItsDeferredParityUp() throws Exception {
    ByteBuffer content = StripesFixture.content(2 * STRIPE, 12);
    CountDownLatch held = new CountDownLatch(1);
    try (StripedWriter writer = fixture.open(ParityMode.DEFERRED)) {
      fixture.holdParity(held);
      writeInPieces(writer, content);
      StripesFixture.commit(writer, content);
    }
    CompletableFuture<Void> ends = CompletableFuture.runAsync(fixture.writers.writers::close);
    await().until(() -> fixture.nodes.get(DATA).open(0).leases.get(0).isEnded());
    held.countDown();
    ends.get(60, TimeUnit.SECONDS);
    assertThat(fixture.awaitParity()).isTrue();
    assertThat(fixture.backlog.lostBlocks()).isEqualTo(2);
    assertThat(fixture.committed(0)).isNotNull();
    assertThat(fixture.committed(DATA)).isNull();
  }
}
