// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackReason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Which bytes are in which block, and which stock HDFS is to write. */
final class FirstBlocksTest {
  private static final int BLOCK = 300_000;
  private static final int SMALL = 100_000;
  private static final byte[] BYTES = new byte[4 * BLOCK];

  static {
    new Random(1).nextBytes(BYTES);
  }

  private final FakeBlocks agent = new FakeBlocks();
  private final FakeFile file = new FakeFile(BLOCK, 1, 2);
  private final FirstBlocks blocks = blocks(agent, file);

  private static FirstBlocks blocks(FakeBlocks agent, FakeFile file) {
    return new FirstBlocks(file, new NewBlocks(file, new Choices(agent).choice), SMALL);
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
    assertThat(blocks.write(BYTES, 0, SMALL - 1)).isEqualTo(SMALL - 1);
    assertThat(blocks.write(BYTES, SMALL - 1, 1)).isEqualTo(1);
    assertThat(blocks.isSmall()).isFalse();
    assertThat(file.added).isEqualTo(1);
    blocks.end();

    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, SMALL));
    assertThat(blocks.last()).isNotNull();
    assertThat(blocks.last().getNumBytes()).isEqualTo(SMALL);
    assertThat(blocks.leftOver()).isEmpty();
    assertThat(file.ticks).isPositive();
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
    assertThat(blocks.write(BYTES, BLOCK + SMALL, 10)).isEqualTo(10);
    agent.answering = FakeBlocks.refusal(FallbackReason.AGENT_UNAVAILABLE);

    int rest = BLOCK - SMALL + 200_000;
    int taken = blocks.write(BYTES, BLOCK + SMALL + 10, rest);

    assertThat(taken).isEqualTo(BLOCK - SMALL - 10);
    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, 2 * BLOCK));
    assertThat(blocks.leftOver()).isEmpty();
    assertThat(file.blocks).hasSize(2);
  }

  @Test
  void whatWasKeptIsLeftOverWhereTheFirstBlockIsRefused() throws Exception {
    agent.opening = FakeBlocks.refusal(FallbackReason.AGENT_BUSY);
    assertThat(blocks.write(BYTES, 0, 10)).isEqualTo(10);

    assertThat(blocks.write(BYTES, 10, SMALL)).isZero();

    assertThat(blocks.leftOver()).isEqualTo(Arrays.copyOf(BYTES, 10));
    assertThat(blocks.last()).isNull();
    assertThat(file.blocks).isEmpty();
  }

  @Test
  void whatIsLostIsLost() throws Exception {
    blocks.write(BYTES, 0, SMALL + 5);
    agent.writing = FakeBlocks.refusal(FallbackReason.AGENT_UNAVAILABLE);

    assertThatThrownBy(() -> blocks.write(BYTES, 0, SMALL)).isInstanceOf(IOException.class);

    assertThat(agent.open).isEqualTo(1);
    blocks.close();
    blocks.close();
    assertThat(agent.open).isZero();
    assertThat(blocks.last()).isNull();
    assertThat(file.abandoned).as("lease recovery finds what there is of it").isZero();
  }

  @Test
  void smallPiecesAreWrittenTogether() throws Exception {
    blocks.write(BYTES, 0, SMALL);
    int ticks = file.ticks;
    for (int i = 0; i < FirstBlocks.PIECE_BYTES - 1; i++) {
      blocks.write(BYTES, SMALL + i, 1);
    }
    assertThat(file.ticks).isEqualTo(ticks);
    blocks.end();
    assertThat(committed()).isEqualTo(Arrays.copyOf(BYTES, SMALL + FirstBlocks.PIECE_BYTES - 1));
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
