// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.WritersFixture.reasonOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A replica that was written is committed: once, however often that is asked, or not at all. */
final class BlockWriterCommitTest {
  private static final int UNIT = WritersFixture.UNIT;
  private static final int EIO = 5;

  private final WritersFixture fixture = new WritersFixture();
  private final FakeDataNode node = fixture.dataNode("a");
  private final ByteBuffer bytes = WritersFixture.bytes(5 * UNIT, 1);
  private final ByteBuffer crcs = ByteBuffer.wrap(new byte[] {1, 2, 3, 4});

  @AfterEach
  void close() {
    fixture.close();
  }

  private long at(int offset) {
    return WritersFixture.address(bytes) + offset;
  }

  private BlockWriter written() throws FallbackException {
    BlockWriter writer = fixture.open(node, 1);
    writer.write(0, at(0), 5 * UNIT, false);
    return writer;
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "METADATA_PLANE_UNREACHABLE",
        "METADATA_PLANE_BACKOFF",
        "SESSION_UNKNOWN",
        "DATANODE_BUSY",
        "DATANODE_NOT_READY"
      })
  void commitWithoutAnAnswerIsAskedAgain(FallbackReason silence) throws Exception {
    BlockWriter writer = written();
    node.commitRefusals.add(new FallbackException(silence, "no answer"));
    node.commitRefusals.add(new FallbackException(silence, "no answer"));

    writer.commit(5 * UNIT, crcs, new CommitPatience(1));
    writer.close();

    assertThat(node.commits).containsExactly(5 * UNIT, 5 * UNIT, 5 * UNIT);
    fixture.tend();
    assertThat(node.aborted).isEmpty();
  }

  @Test
  void commitIsNotAskedAgainForEver() throws Exception {
    BlockWriter writer = written();
    for (int i = 0; i < 20; i++) {
      node.commitRefusals.add(
          new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no answer"));
    }
    fixture.plane.before = () -> fixture.standStill(WritersFixture.TRIES.within().dividedBy(4));

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(node.commits).hasSize(4);
    writer.close();
    fixture.requireToldQuiet(node, true);
  }

  /** One that was heard tells of it by how long its answer was waited for. */
  @ParameterizedTest(name = "{0} ns longer than a silent one is waited for: {1} tries")
  @CsvSource({"0,1", "1,2"})
  void oneThatWasHeardIsAskedOnceMoreThoughEnoughAreMade(long longer, int tries) throws Exception {
    BlockWriter writer = written();
    for (int i = 0; i < 3; i++) {
      node.commitRefusals.add(
          new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no answer"));
    }
    Queue<Duration> takes = new ArrayDeque<>();
    takes.add(WritersFixture.TRIES.silent().plusNanos(longer));
    takes.add(WritersFixture.TRIES.silent());
    fixture.plane.before = () -> fixture.standStill(takes.remove());
    CommitPatience patience = new CommitPatience(1);
    patience.made();

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, patience)))
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(node.commits).hasSize(tries);
    fixture.plane.before = () -> {};
    writer.close();
  }

  @Test
  void commitIsNotAskedAgainOnceAllIsClosed() throws Exception {
    BlockWriter writer = written();
    node.commitRefusals.add(new FallbackException(FallbackReason.DATANODE_BUSY, "busy"));
    fixture.plane.before =
        () -> {
          fixture.plane.before = () -> {};
          fixture.writers.close();
        };

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DATANODE_BUSY);
    assertThat(node.commits).hasSize(1);
    writer.close();
  }

  @Test
  void refusedCommitIsNotAskedAgain() throws Exception {
    BlockWriter writer = written();
    node.commitRefusals.add(new FallbackException(FallbackReason.CHECKSUM_MISMATCH, "no"));

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(node.commits).hasSize(1);
    writer.close();
    fixture.requireToldQuiet(node, true);
  }

  @Test
  void interruptedCommitSaysSo() throws Exception {
    BlockWriter writer = written();
    node.commitRefusals.add(new FallbackException(FallbackReason.DATANODE_BUSY, "busy"));
    fixture.plane.before = () -> Thread.currentThread().interrupt();

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.INTERRUPTED);
    assertThat(Thread.interrupted()).isTrue();
    fixture.plane.before = () -> {};
    writer.close();
  }

  @Test
  void failedFlushPreventsAllCommitsOfWhatWasWrittenBefore() throws Exception {
    BlockWriter first = written();
    BlockWriter second = fixture.open(node, 2);
    second.write(0, at(0), UNIT, false);
    node.open(0).flushError = -EIO;

    assertThat(reasonOf(() -> first.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    node.open(0).flushError = 0; // the kernel tells of an error once
    assertThat(reasonOf(() -> second.commit(UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    first.close();
    second.close();

    fixture.tend();
    assertThat(node.aborted).hasSize(2).allMatch(ended -> ended.quiet());
    assertThat(node.commits).isEmpty();
    assertThat(node.open(0).isClosed).isTrue();
    try (BlockWriter third = fixture.open(node, 3)) {
      third.write(0, at(0), UNIT, false);
      third.commit(UNIT, crcs, new CommitPatience(1));
    }
    assertThat(node.opened).hasSize(2);
  }

  @Test
  void errorOfAWriteThatTheLibraryAloneHasSeenPreventsTheCommit() throws Exception {
    BlockWriter writer = written();
    node.leaseOn(node.lent.get(0)).saysAtEnd = WriteEnd.FAILED;

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    writer.close();
    fixture.requireToldQuiet(node, true);
    assertThat(node.commits).isEmpty();
  }

  @Test
  void writeThatIsNotAnsweredPreventsTheCommitAndIsNotQuiet() throws Exception {
    BlockWriter writer = written();
    MemorySlotDevice.Lease lease = node.leaseOn(node.lent.get(0));
    lease.saysAtEnd = WriteEnd.UNDER_WAY;

    assertThat(reasonOf(() -> writer.commit(5 * UNIT, crcs, new CommitPatience(1))))
        .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    writer.close();
    fixture.requireToldQuiet(node, false);
    assertThat(node.commits).isEmpty();

    fixture.run(SlotDevices.IDLE.multipliedBy(2));
    assertThat(node.open(0).isClosed).as("a write is under way on it").isFalse();
    lease.saysAtEnd = null;
    fixture.run(SlotDevices.IDLE.multipliedBy(2));
    assertThat(node.open(0).isClosed).isTrue();
    assertThat(node.aborted).as("told once").hasSize(1);
  }

  @Test
  void emptyBlockCannotBeCommitted() throws Exception {
    try (BlockWriter writer = fixture.open(node, 1)) {
      assertThatThrownBy(() -> writer.commit(0, crcs, new CommitPatience(1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    fixture.requireToldQuiet(node, true);
  }
}
