// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.SummedStripes.ALL;
import static io.rdio.client.write.SummedStripes.DATA;
import static io.rdio.client.write.SummedStripes.STRIPE;
import static io.rdio.client.write.SummedStripes.UNITS;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Groups by chance, whose devices, DataNodes, code and threads fail by chance: a group is committed
 * if as many of its blocks are as its data is made of again, what is promised of it is there, and
 * it fails only where that cannot be, as a block does only by its own target, or code. Each slot
 * becomes a block or is given back, once. That leases are ended in time, and blocks flushed before
 * they are committed, is checked by {@link WritersFixture} and {@link FakeWritePlane}; that all
 * memory comes back by {@link SummedStripes}. A seed is not all of a run: its threads race.
 */
final class GroupStatesTest {
  private static final int EIO = 5;
  private static final int MOST_STRIPES = 6;

  /** Bits of the blocks of parity. */
  private static final long PARITY = ALL & ~((1L << DATA) - 1);

  @Property(tries = 200)
  void whatIsPromisedIsThere(@ForAll long seed) throws Exception {
    try (Run run = new Run(new Random(seed))) {
      run.write();
      run.requireWhatIsPromised();
      run.requireEachSlotToBeSettled();
    }
  }

  private static FallbackException refusal(FallbackReason reason) {
    return new FallbackException(reason, "by chance");
  }

  private static final class Run implements AutoCloseable {
    private final Random random;
    private final SummedStripes fixture;
    private final ParityMode mode;
    private final ByteBuffer content;

    /** Bits of the blocks that there are, or will be; 0 if the group is lost. */
    private long promised;

    /** Bits of the blocks for whose failure there is a reason. */
    private long mayFail;

    Run(Random random) {
      this.random = random;
      this.fixture =
          random.nextInt(4) == 0
              ? SummedStripes.withLittleMemory()
              : SummedStripes.withMuchMemory();
      this.mode = List.of(ParityMode.values()).get(random.nextInt(ParityMode.values().length));
      int most = random.nextInt(3) == 0 ? STRIPE : MOST_STRIPES * STRIPE;
      this.content = StripesFixture.content(1 + random.nextInt(most), random.nextLong());
    }

    void write() throws FallbackException {
      try (StripedWriter writer = fixture.open(mode, "xor", this::execute)) {
        try {
          for (int at = 0; at < content.limit(); ) {
            breakSomething();
            int to = Math.min(content.limit(), at + WritersFixture.UNIT * (1 + random.nextInt(9)));
            StripesFixture.write(writer, content, at, to);
            at = to;
          }
          breakCommits();
          promised = StripesFixture.commit(writer, content);
        } catch (FallbackException e) {
          assertThat(Long.bitCount(writer.alive())).as("blocks that went on").isLessThan(DATA);
        }
      }
    }

    /** Now and then there is no thread. */
    private void execute(Runnable work) {
      if (random.nextInt(20) == 0) {
        throw new RejectedExecutionException("by chance");
      }
      fixture.threads.execute(work);
    }

    private void breakSomething() {
      int unit = random.nextInt(UNITS);
      FakeDataNode node = fixture.nodes.get(unit);
      switch (random.nextInt(30)) {
        case 0 -> {
          mayFail |= 1L << unit;
          node.failsWrites = true;
        }
        case 1 -> {
          mayFail |= 1L << unit;
          node.open(0).flushError = -EIO;
        }
        case 2 -> {
          mayFail |= 1L << unit;
          node.endsLeases = true;
          fixture.writers.run(Duration.ofSeconds(11)); // by when they are to be renewed
        }
        case 3 -> {
          mayFail |= PARITY;
          fixture.sums.failure = refusal(FallbackReason.INTERNAL_ERROR);
        }
        default -> {}
      }
    }

    private void breakCommits() {
      for (int unit = 0; unit < UNITS; unit++) {
        FakeDataNode node = fixture.nodes.get(unit);
        switch (random.nextInt(8)) {
          case 0 -> {
            mayFail |= 1L << unit;
            node.commitRefusals.add(refusal(FallbackReason.REPLICA_CHANGED));
          }
          case 1 -> { // which is asked again
            for (int i = random.nextInt(3); i >= 0; i--) {
              node.commitRefusals.add(refusal(FallbackReason.METADATA_PLANE_UNREACHABLE));
            }
          }
          default -> {}
        }
      }
    }

    private boolean isCommitted(int unit) {
      return fixture.committed(unit) != null;
    }

    /** Also if it has no bytes. */
    private boolean isThere(int unit) {
      return isCommitted(unit) || fixture.layout.blockBytes(unit, content.limit()) == 0;
    }

    void requireWhatIsPromised() throws InterruptedException {
      assertThat(fixture.awaitParity()).isTrue();
      long there = 0;
      for (int unit = 0; unit < UNITS; unit++) {
        if (isCommitted(unit)) {
          fixture.requireBlock(content, unit);
        }
        there |= isThere(unit) ? 1L << unit : 0;
      }
      if (promised == 0) {
        assertThat(Long.bitCount(mayFail)).as("why it is lost").isGreaterThan(UNITS - DATA);
      } else {
        requirePromised(there);
      }
    }

    private void requirePromised(long there) {
      long missing = promised & ~there;
      assertThat(there & ~promised).as("blocks of which it is not said").isZero();
      assertThat(missing & ~(mode == ParityMode.DEFERRED ? PARITY : 0)).as("missing").isZero();
      assertThat(ALL & ~there & ~mayFail).as("blocks that fail for no reason").isZero();
      assertThat(Long.bitCount(promised)).isGreaterThanOrEqualTo(DATA);
      assertThat(Long.bitCount(there)).isGreaterThanOrEqualTo(DATA);
      assertThat((long) Long.bitCount(missing)).isLessThanOrEqualTo(fixture.backlog.lostBlocks());
    }

    void requireEachSlotToBeSettled() {
      await()
          .untilAsserted(
              () -> {
                fixture.writers.tend();
                for (int unit = 0; unit < UNITS; unit++) {
                  int aborted = fixture.nodes.get(unit).aborted.size();
                  assertThat(aborted + (isCommitted(unit) ? 1 : 0))
                      .as("block " + unit)
                      .isEqualTo(1);
                }
              });
    }

    @Override
    public void close() {
      fixture.close();
    }
  }
}
