// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackReason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bytes are in which block, and which stock HDFS is to write. */
final class FirstBlocksTest {
  private static final int BLOCK = 300_000;
  private static final int SMALL = 50_000;
  private static final int WHOLE = 120_000;
  private static final byte[] BYTES = new byte[4 * BLOCK];

  static {
    new Random(1).nextBytes(BYTES);
  }

  private final FakeBlocks agent = new FakeBlocks();
  private final FakeFile file = new FakeFile(BLOCK, 1, 2);
  private final FirstBlocks blocks = blocks(agent, file);

  private WriteChoice choice() {
    return new Choices(agent).choice;
  }

  private static FirstBlocks blocks(FakeBlocks agent, FakeFile file) {
    return new FirstBlocks(
        file, new NewBlocks(file, new Choices(agent).choice), SMALL, WHOLE, Runnable::run);
  }

  private byte[] committed() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    agent.committed.forEach(all::writeBytes);
    return all.toByteArray();
  }

  @Test
  void nobodyIsAskedForASmallFile() throws Exception {
    assertThat(blocks.write(BYTES, 0, SMALL - 1)).isEqualTo(SMALL - 1);
    assertThat(blocks.isSmall()).isTrue();
    blocks.end();

    assertThat(agent.asked).isZero();
    assertThat(file.added).isZero();
    assertThat(blocks.last()).isNull();
    assertThat(blocks.leftOver()).isEqualTo(Arrays.copyOf(BYTES, SMALL - 1));
  }

  @Test
  void fileThatIsLargeEnoughBeginsABlock() throws Exception {
    assertThat(blocks.write(BYTES, 0, WHOLE)).isEqualTo(WHOLE);
    assertThat(blocks.isSmall()).isFalse();
    assertThat(file.added).isZero();
    assertThat(blocks.write(BYTES, WHOLE, 1)).isEqualTo(1);
    assertThat(file.added).isEqualTo(1);
    blocks.end();

    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, WHOLE + 1));
    assertThat(agent.slots).containsExactly((long) BLOCK);
    assertThat(blocks.last()).isNotNull();
    assertThat(blocks.last().getNumBytes()).isEqualTo(WHOLE + 1);
    assertThat(blocks.leftOver()).isEmpty();
    assertThat(file.ticks).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {SMALL, WHOLE})
  void fileThatEndsBeforeAsksForItsLength(int length) throws Exception {
    for (int at = 0; at < length; at += 1000) {
      assertThat(blocks.write(BYTES, at, 1000)).isEqualTo(1000);
    }
    assertThat(file.added).isZero();
    blocks.end();

    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, length));
    assertThat(agent.slots).containsExactly((long) length);
    assertThat(blocks.leftOver()).isEmpty();
  }

  @Test
  void lastBlockIsAskedForAsLongAsItIs() throws Exception {
    assertThat(blocks.write(BYTES, 0, BLOCK + 1)).isEqualTo(BLOCK + 1);
    assertThat(blocks.write(BYTES, BLOCK + 1, 10)).isEqualTo(10);
    blocks.end();

    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, BLOCK + 11));
    assertThat(agent.slots).containsExactly((long) BLOCK, 11L);
  }

  /** No slot of such a pool is smaller than the block but larger than half of it. */
  @Test
  void ofShortBlocksHalfIsKept() throws Exception {
    FakeFile shorter = new FakeFile(WHOLE, 1, 2);
    FirstBlocks some = blocks(agent, shorter);
    some.write(BYTES, 0, WHOLE / 2);
    assertThat(shorter.added).isZero();
    some.write(BYTES, WHOLE / 2, 1);
    assertThat(shorter.added).isEqualTo(1);
    some.end();
    assertThat(agent.slots).containsExactly((long) WHOLE);
  }

  @Test
  void fileIsSmallAsLongAsItIsSaidToBe() throws Exception {
    FirstBlocks some =
        new FirstBlocks(file, new NewBlocks(file, choice()), 2 * WHOLE, WHOLE, Runnable::run);
    some.write(BYTES, 0, 2 * WHOLE - 1);
    assertThat(some.isSmall()).isTrue();
    some.write(BYTES, 2 * WHOLE - 1, 1);
    assertThat(some.isSmall()).isFalse();
    assertThat(file.added).isZero();
    some.end();
    assertThat(agent.slots).containsExactly(2L * WHOLE);
  }

  @Test
  void emptyFileIsSmallWhateverThatIs() throws Exception {
    FirstBlocks some =
        new FirstBlocks(file, new NewBlocks(file, choice()), 0, WHOLE, Runnable::run);
    assertThat(some.isSmall()).isTrue();
    some.end();
    assertThat(file.added).isZero();
    some.write(BYTES, 0, 1);
    assertThat(some.isSmall()).isFalse();
    some.end();
    assertThat(agent.slots).containsExactly(1L);
  }

  @Test
  void fullBlockIsCommittedAtOnce() throws Exception {
    assertThat(blocks.write(BYTES, 0, BLOCK)).isEqualTo(BLOCK);
    assertThat(agent.committed).hasSize(1);
    assertThat(agent.open).isZero();
    assertThat(file.added).as("the next one is asked for when there is a byte for it").isEqualTo(1);
    blocks.end();
    assertThat(agent.committed).hasSize(1);
  }

  @Test
  void stockHdfsGoesOnBehindTheLastBlock() throws Exception {
    assertThat(blocks.write(BYTES, 0, BLOCK + SMALL)).isEqualTo(BLOCK + SMALL);
    agent.answering = FakeBlocks.refusal(FallbackReason.AGENT_UNAVAILABLE);

    assertThat(blocks.write(BYTES, BLOCK + SMALL, WHOLE)).isZero();

    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, BLOCK));
    assertThat(blocks.leftOver()).isEqualTo(Arrays.copyOfRange(BYTES, BLOCK, BLOCK + SMALL));
    assertThat(file.blocks).hasSize(1);
  }

  @Test
  void stockHdfsTakesOverInTheMiddleOfAWrite() throws Exception {
    assertThat(blocks.write(BYTES, 0, BLOCK - 10)).isEqualTo(BLOCK - 10);
    agent.answering = FakeBlocks.refusal(FallbackReason.AGENT_UNAVAILABLE);

    assertThat(blocks.write(BYTES, BLOCK - 10, BLOCK)).isEqualTo(10);

    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, BLOCK));
    assertThat(blocks.leftOver()).isEmpty();
  }

  @Test
  void whatWasKeptIsLeftOverWhereTheFirstBlockIsRefused() throws Exception {
    agent.opening = FakeBlocks.refusal(FallbackReason.AGENT_BUSY);
    assertThat(blocks.write(BYTES, 0, 10)).isEqualTo(10);

    assertThat(blocks.write(BYTES, 10, WHOLE)).isZero();

    assertThat(blocks.leftOver()).isEqualTo(Arrays.copyOf(BYTES, 10));
    assertThat(blocks.last()).isNull();
    assertThat(file.blocks).isEmpty();
  }

  /** As of an array of nearly 2 GiB, of which nothing is taken here. */
  @Test
  void bytesThatAreNoIntTogetherWithWhatIsKeptAreNotKept() throws Exception {
    agent.opening = FakeBlocks.refusal(FallbackReason.AGENT_BUSY);
    assertThat(blocks.write(BYTES, 0, 10)).isEqualTo(10);

    assertThat(blocks.write(BYTES, 10, Integer.MAX_VALUE)).isZero();

    assertThat(blocks.leftOver()).isEqualTo(Arrays.copyOf(BYTES, 10));
  }

  @Test
  void whatWasKeptIsLeftOverWhereTheEndIsRefused() throws Exception {
    blocks.write(BYTES, 0, WHOLE);
    agent.opening = FakeBlocks.refusal(FallbackReason.SLOTS_EXHAUSTED);

    blocks.end();

    assertThat(blocks.leftOver()).isEqualTo(Arrays.copyOf(BYTES, WHOLE));
    assertThat(file.blocks).isEmpty();
  }

  @Test
  void whatIsLostIsLost() throws Exception {
    blocks.write(BYTES, 0, WHOLE + 5);
    agent.writing = FakeBlocks.refusal(FallbackReason.AGENT_UNAVAILABLE);

    assertThatThrownBy(() -> blocks.write(BYTES, 0, SMALL + WHOLE)).isInstanceOf(IOException.class);

    assertThat(agent.open).isEqualTo(1);
    blocks.close();
    blocks.close();
    assertThat(agent.open).isZero();
    assertThat(blocks.last()).isNull();
    assertThat(file.abandoned).as("lease recovery finds what there is of it").isZero();
  }

  @Test
  void smallPiecesAreWrittenTogether() throws Exception {
    blocks.write(BYTES, 0, WHOLE + 1);
    int ticks = file.ticks;
    for (int i = 0; i < FirstBlocks.PIECE_BYTES - 1; i++) {
      blocks.write(BYTES, WHOLE + 1 + i, 1);
    }
    assertThat(file.ticks).isEqualTo(ticks);
    blocks.end();
    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, WHOLE + FirstBlocks.PIECE_BYTES));
  }

  /** One whose Commits are done when the test does them. */
  private FirstBlocks heldUp(Queue<Runnable> commits) {
    return new FirstBlocks(file, new NewBlocks(file, choice()), SMALL, WHOLE, commits::add);
  }

  @Test
  void bytesAreTakenWhileTheBlockBeforeIsCommitted() throws Exception {
    Queue<Runnable> commits = new ArrayDeque<>();
    FirstBlocks some = heldUp(commits);
    assertThat(some.write(BYTES, 0, BLOCK + SMALL)).isEqualTo(BLOCK + SMALL);
    assertThat(some.write(BYTES, BLOCK + SMALL, WHOLE - SMALL)).isEqualTo(WHOLE - SMALL);
    assertThat(agent.committed).isEmpty();
    assertThat(file.added).as("the next one is not asked for before").isEqualTo(1);

    commits.remove().run();
    assertThat(some.write(BYTES, BLOCK + WHOLE, 5)).isEqualTo(5);
    assertThat(file.added).isEqualTo(2);
    some.end();

    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, BLOCK + WHOLE + 5));
    assertThat(commits).as("who ends has nothing else to do").isEmpty();
    assertThat(agent.open).isZero();
  }

  @Test
  void commitThatFailsIsToldByTheNextWrite() throws Exception {
    Queue<Runnable> commits = new ArrayDeque<>();
    FirstBlocks some = heldUp(commits);
    agent.committing = FakeBlocks.refusal(FallbackReason.CHECKSUM_MISMATCH);
    some.write(BYTES, 0, BLOCK);
    some.write(BYTES, 0, 1);
    commits.remove().run();

    assertThatThrownBy(() -> some.write(BYTES, 0, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is lost as it was to be committed");
    assertThat(some.last()).isNull();
    some.close();
    some.close();
    assertThat(agent.open).isZero();
  }

  @Test
  void commitThatFailsIsToldByTheEnd() throws Exception {
    agent.committing = FakeBlocks.refusal(FallbackReason.CHECKSUM_MISMATCH);
    blocks.write(BYTES, 0, BLOCK);

    assertThatThrownBy(blocks::end).hasMessageContaining("is lost as it was to be committed");
    blocks.close();
    assertThat(agent.open).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void endAndCloseWaitForTheCommit(boolean ends) throws Exception {
    Queue<Runnable> commits = new ArrayDeque<>();
    FirstBlocks some = heldUp(commits);
    some.write(BYTES, 0, BLOCK);
    FutureTask<Void> waiting =
        new FutureTask<>(
            () -> {
              if (ends) {
                some.end();
              } else {
                some.close();
              }
              return null;
            });
    Thread other = new Thread(waiting);
    other.start();
    await().until(() -> other.getState() == Thread.State.WAITING);
    other.interrupt();
    commits.remove().run();
    waiting.get(60, TimeUnit.SECONDS);

    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, BLOCK));
    assertThat(some.last() != null).isEqualTo(ends);
  }

  @Test
  void writerWithoutAThreadCommitsByItself() throws Exception {
    Executor full =
        work -> {
          throw new RejectedExecutionException();
        };
    FirstBlocks some = new FirstBlocks(file, new NewBlocks(file, choice()), SMALL, WHOLE, full);
    some.write(BYTES, 0, BLOCK);
    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, BLOCK));
  }

  /** Whatever the pieces, and whenever nobody writes on: no byte is lost, none is twice. */
  @Property(tries = 300)
  void bytesAreInBlocksOrLeftOver(
      @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 150_000) Integer> pieces,
      @ForAll @IntRange(max = 12) int refusedFrom)
      throws Exception {
    FakeBlocks some = new FakeBlocks();
    FakeFile written = new FakeFile(BLOCK, 1, 2);
    FirstBlocks first = blocks(some, written);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    ByteArrayOutputStream byStock = new ByteArrayOutputStream();
    boolean stock = false;
    for (int i = 0; i < pieces.size(); i++) {
      int count = pieces.get(i);
      int at = (i * 7919) % BLOCK;
      expected.write(BYTES, at, count);
      if (i == refusedFrom) {
        some.opening = FakeBlocks.refusal(FallbackReason.SLOTS_EXHAUSTED);
      }
      int taken = stock ? 0 : first.write(BYTES, at, count);
      if (taken < count && !stock) {
        stock = true;
        byStock.writeBytes(first.leftOver());
      }
      byStock.write(BYTES, at + taken, count - taken);
    }
    if (!stock) {
      first.end();
      byStock.writeBytes(first.leftOver());
    }

    ByteArrayOutputStream all = new ByteArrayOutputStream();
    some.committed.forEach(all::writeBytes);
    assertThat(some.committed).allMatch(block -> block.length <= BLOCK);
    assertThat(some.committed.stream().limit(Math.max(0, some.committed.size() - 1)))
        .allMatch(block -> block.length == BLOCK);
    all.writeBytes(byStock.toByteArray());
    assertThat(Arrays.mismatch(all.toByteArray(), expected.toByteArray())).isEqualTo(-1);
    assertThat(some.open).isZero();
    assertThat(written.blocks).hasSize(some.committed.size());
  }
}
