// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Patience;
import io.rdio.nativeio.HugeMemory;
import io.rdio.nativeio.NativeLibrary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order of stripes, what waits for them, and where their memory goes. */
@Timeout(180)
final class ParityLineTest {
  private static final StripeLayout LAYOUT = new StripeLayout(2, 1, 4096);

  private final StripeMemory memory = new StripeMemory(8L * HugeMemory.PAGE);
  private final Queue<Runnable> threads = new ArrayDeque<>();

  /** Answers that they owe. */
  private final Queue<Runnable> devices = new ArrayDeque<>();

  private final List<Integer> made = new ArrayList<>();
  private final ParityLine line =
      new ParityLine(threads::add, memory, LAYOUT, filled -> made.add(filled.bytes()));

  @BeforeEach
  void requireLibrary() {
    assertThat(NativeLibrary.availability().isAvailable()).isTrue();
  }

  @AfterEach
  void requireNothingLent() {
    assertThat(memory.lent()).isZero();
  }

  private static ParityLine.Filled filled(Stripe stripe, int bytes) {
    return new ParityLine.Filled(stripe, bytes, new CellWrites(Runnable::run));
  }

  private void runAll() {
    for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
      next.run();
    }
  }

  @Test
  void stripesAreMadeInTheirOrderAndTheLastWorkBehindThem() throws Exception {
    Stripe stripe = memory.first(LAYOUT, 0);
    for (int i = 1; i <= 3; i++) {
      line.add(filled(stripe, i));
      stripe = line.next(false);
    }
    line.add(filled(stripe, 4));
    line.whenEmpty(() -> made.add(5));
    assertThat(threads).as("one thread at a time").hasSize(1);
    runAll();
    assertThat(made).containsExactlyElementsOf(IntStream.rangeClosed(1, 5).boxed().toList());
    line.close(null);
  }

  @Test
  void halfOfTheMemoryIsForOtherGroupsFirstStripes() throws Exception {
    Stripe stripe = memory.first(LAYOUT, 0);
    for (int i = 0; i < 3; i++) {
      line.add(filled(stripe, 1));
      stripe = line.next(false);
    }
    assertThat(memory.further(LAYOUT)).isNull();
    List<Stripe> others = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      others.add(memory.first(LAYOUT, 0));
    }
    assertThat(memory.lent()).isEqualTo(8L * HugeMemory.PAGE);
    others.forEach(memory::give);
    runAll();
    line.close(filled(stripe, 0));
  }

  @Test
  void oneStripeStaysTheGroups() throws Exception {
    Stripe first = memory.first(LAYOUT, 0);
    line.add(filled(first, 1));
    Stripe second = line.next(false);
    line.add(filled(second, 2));
    runAll();
    assertThat(memory.lent()).isEqualTo(Stripe.bytesOf(LAYOUT));
    assertThat(line.next(true)).isIn(first, second);
    line.close(filled(first, 0));
  }

  @Test
  void behindTheEndNoStripeIsKept() throws Exception {
    line.add(filled(memory.first(LAYOUT, 0), 1));
    line.add(filled(memory.first(LAYOUT, 0), 2));
    threads.remove().run();
    assertThat(memory.lent()).as("for the next one").isEqualTo(Stripe.bytesOf(LAYOUT));
    line.add(filled(memory.first(LAYOUT, 0), 3));
    line.end();
    assertThat(memory.lent()).as("what is under way").isEqualTo(Stripe.bytesOf(LAYOUT));
    runAll();
    assertThat(memory.lent()).isZero();
    assertThat(made).containsExactly(1, 2, 3);
  }

  @Test
  void stripeThatFailsKeepsNoOtherFromBeingMade() throws Exception {
    List<Integer> tried = new ArrayList<>();
    ParityLine failing =
        new ParityLine(
            threads::add,
            memory,
            LAYOUT,
            filled -> {
              tried.add(filled.bytes());
              throw new IllegalStateException("for the test");
            });
    failing.add(filled(memory.first(LAYOUT, 0), 1));
    failing.add(filled(memory.first(LAYOUT, 0), 2));
    runAll();
    failing.awaitEmpty();
    assertThat(tried).containsExactly(1, 2);
    failing.close(null);
  }

  @Test
  void callerMakesThemWhereThereIsNoThread() throws Exception {
    ParityLine alone =
        new ParityLine(
            work -> {
              throw new RejectedExecutionException();
            },
            memory,
            LAYOUT,
            filled -> made.add(filled.bytes()));
    alone.add(filled(memory.first(LAYOUT, 0), 1));
    assertThat(made).containsExactly(1);
    alone.close(null);
  }

  /** A stripe that a device reads from until its answer is asked for. */
  private ParityLine.Filled readFrom(Stripe stripe) {
    CellWrites cells = new CellWrites(devices::add);
    cells.begin(1, () -> {});
    return new ParityLine.Filled(stripe, 1, cells);
  }

  @Test
  void stripeThatADeviceReadsFromIsNobodysUntilItHasAnswered() throws Exception {
    Stripe first = memory.first(LAYOUT, 0);
    line.add(readFrom(first));
    runAll();
    Stripe second = line.next(true);
    assertThat(second).isNotSameAs(first);
    line.add(readFrom(second));
    runAll();
    Stripe third = line.next(false);
    assertThat(third).isNotIn(first, second);
    assertThat(memory.lent()).isEqualTo(3 * Stripe.bytesOf(LAYOUT));

    line.close(readFrom(third));
    assertThat(memory.lent()).as("nor when the group is over").isEqualTo(3L * HugeMemory.PAGE);
    for (int left = 2; left >= 0; left--) {
      devices.remove().run();
      assertThat(memory.lent()).isEqualTo(left * Stripe.bytesOf(LAYOUT));
    }
  }

  @Test
  void oneThatIsDroppedIsNobodysEither() throws Exception {
    line.add(filled(memory.first(LAYOUT, 0), 1));
    line.add(readFrom(memory.first(LAYOUT, 0)));
    Thread closing = new Thread(() -> line.close(null));
    closing.start();
    await().until(() -> closing.getState() == Thread.State.WAITING);
    runAll();
    Patience.join(closing);
    assertThat(made).containsExactly(1);
    assertThat(memory.lent()).isEqualTo(Stripe.bytesOf(LAYOUT));
    devices.remove().run();
  }

  @Test
  void groupFailsRatherThanUseWhatADeviceReads() throws Exception {
    List<Stripe> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(memory.first(LAYOUT, 0));
    }
    line.add(readFrom(all.get(0)));
    runAll();
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> line.next(true));
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    assertThat(refusal.detail()).contains("16777216 of 16777216 bytes");

    memory.give(all.get(7));
    assertThat(line.next(true)).as("another one is to be had").isSameAs(all.get(7));
    all.subList(1, 8).forEach(memory::give);
    line.close(null);
    devices.remove().run();
  }

  @Test
  void whatNobodyHasBegunIsDropped() throws Exception {
    line.add(filled(memory.first(LAYOUT, 0), 1));
    line.add(filled(memory.first(LAYOUT, 0), 2));
    line.add(filled(memory.first(LAYOUT, 0), 3));
    Thread closing = new Thread(() -> line.close(null));
    closing.start();
    await().until(() -> memory.lent() == Stripe.bytesOf(LAYOUT));
    runAll();
    Patience.join(closing);
    assertThat(made).containsExactly(1);
  }
}
