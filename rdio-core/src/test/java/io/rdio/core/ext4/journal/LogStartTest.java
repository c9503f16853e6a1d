// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The start of the log, which moves between two looks (R2 of docs/metadata-plane.md): what that
 * says of the copies that were known, and of the history.
 */
final class LogStartTest {
  private static final int BLOCK_SIZE = 1024;

  /** Blocks of a transaction with one copy: its descriptor, the copy, its commit. */
  private static final int TRANSACTION = 3;

  private static final int KNOWN = 3;

  @TempDir(factory = InMemory.class)
  Path directory;

  private LogImage log;
  private byte[] bytes;
  private Journal journal;

  /** Place and sequence of the first transaction. */
  private long start;

  private int sequence;

  /** Blocks of a file, which serve as metadata here: transaction i writes the block first + i. */
  private int first;

  private long before;

  @BeforeEach
  void readThreeTransactions() throws Exception {
    Ext4Image.requireTools();
    Path content = Files.createDirectory(directory.resolve("content"));
    Files.write(content.resolve("file"), "o".repeat(27_000).getBytes(US_ASCII));
    Path file = directory.resolve("image");
    String options = "-t ext4 -b " + BLOCK_SIZE + " -J size=1";
    log = new LogImage(Ext4Image.make(file, content, "16M", options), BLOCK_SIZE, "jo -c");
    log.checked();
    bytes = log.bytes();
    Ext4Volume volume = LogImage.volume(bytes);
    first = (int) volume.extents(volume.resolve("/file")).get(0).physical();
    for (int i = 0; i < KNOWN; i++) {
      commit(i);
    }
    start = LogImage.logBlock(bytes, 0).getInt(0x1C);
    sequence = LogImage.logBlock(bytes, 0).getInt(0x18);
    journal = Journal.open(LogImage.volume(bytes));
    before = journal.position();
    assertThat(copies()).isEqualTo("012");
  }

  /** Commits a copy of one block, filled with the transaction's number. */
  private void commit(int transaction) throws IOException {
    byte[] content = log.bytes();
    Arrays.fill(
        content,
        (first + transaction) * BLOCK_SIZE,
        (first + transaction + 1) * BLOCK_SIZE,
        (byte) transaction);
    log.commitBlocks(new int[] {first + transaction}, content);
    byte[] now = log.bytes();
    System.arraycopy(now, 0, bytes, 0, now.length);
  }

  /** The start moves to where a transaction begins. */
  private void moveTo(int transaction) throws Exception {
    move(start + (long) TRANSACTION * transaction, transaction);
  }

  private void move(long place, int transaction) throws Exception {
    LogImage.moveStart(bytes, place, sequence + transaction);
  }

  /** Transactions whose copies the log has. */
  private String copies() throws Exception {
    StringBuilder copies = new StringBuilder();
    for (int i = 0; i < 2 * KNOWN; i++) {
      if (journal.has(first + i)) {
        assertThat(journal.block(first + i).get(5)).isEqualTo((byte) i);
        copies.append(i);
      }
    }
    return copies.toString();
  }

  private void assertHistoryKnown(boolean known) {
    for (int i = 0; i < KNOWN; i++) {
      assertThat(journal.isUntouched(first + i, before)).isEqualTo(known);
    }
    assertThat(journal.isUntouched(1, before)).as("a block of no transaction").isEqualTo(known);
    assertThat(journal.isUntouched(1, journal.position())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void forwardItTakesAwayCopiesAndLeavesTheHistory(int to) throws Exception {
    moveTo(to);
    assertThat(journal.catchUp()).isEqualTo(LogEnd.SEQUENCE);

    assertThat(copies()).isEqualTo("012".substring(to));
    assertThat(journal.block(first).get(5)).as("from its place").isEqualTo((byte) 'o');
    assertThat(journal.position()).isEqualTo(before);
    assertHistoryKnown(true);
  }

  @Test
  void forwardWithWhatWasCommittedMeanwhile() throws Exception {
    commit(3);
    commit(4);
    moveTo(2);
    assertThat(journal.catchUp()).isEqualTo(LogEnd.SEQUENCE);

    assertThat(copies()).isEqualTo("234");
    assertThat(journal.position()).isEqualTo(before + 2);
    assertHistoryKnown(true);
    assertThat(journal.isUntouched(first + 3, before)).isFalse();
    assertThat(journal.isUntouched(first + 4, before + 1)).isFalse();
  }

  @Test
  void forwardToTheFirstThatWasNotRead() throws Exception {
    commit(3);
    moveTo(3);
    journal.catchUp();

    assertThat(copies()).isEqualTo("3");
    assertHistoryKnown(true);
    assertThat(journal.isUntouched(first + 3, before)).isFalse();
  }

  @Test
  void pastTheReaderNobodyKnowsWhatWasThere() throws Exception {
    commit(3);
    commit(4);
    moveTo(4);
    assertThat(journal.catchUp()).isEqualTo(LogEnd.SEQUENCE);

    assertThat(copies()).isEqualTo("4");
    assertThat(journal.position()).isGreaterThan(before);
    assertHistoryKnown(false);
  }

  @Test
  void pastTheReaderWhereTheLogWentRound() throws Exception {
    commit(3);
    commit(4);
    commit(5);
    moveTo(4);
    // So that the last one has its commit at the beginning of the room.
    LogImage.rotate(bytes, BLOCK_SIZE - 5);
    assertThat(journal.catchUp()).isEqualTo(LogEnd.SEQUENCE);

    assertThat(copies()).isEqualTo("45");
    assertHistoryKnown(false);
  }

  @Test
  void anEmptyLogThatGoesOnWhereItEnded() throws Exception {
    move(0, KNOWN);
    assertThat(journal.catchUp()).isEqualTo(LogEnd.EMPTY);
    assertThat(copies()).isEmpty();
    assertHistoryKnown(true);

    assertThat(journal.catchUp()).isEqualTo(LogEnd.EMPTY);
    commit(3);
    moveTo(3);
    assertThat(journal.catchUp()).isEqualTo(LogEnd.SEQUENCE);
    assertThat(copies()).isEqualTo("3");
    assertHistoryKnown(true);
    assertThat(journal.isUntouched(first + 3, before)).isFalse();
  }

  @Test
  void anEmptyLogThatGoesOnLater() throws Exception {
    move(0, KNOWN + 1);
    assertThat(journal.catchUp()).isEqualTo(LogEnd.EMPTY);

    assertThat(copies()).isEmpty();
    assertHistoryKnown(false);
  }

  @Test
  void anEmptyLogThatIsFilledAndEmptiedBetweenTwoLooks() throws Exception {
    move(0, KNOWN);
    journal.catchUp();
    assertHistoryKnown(true);

    move(0, KNOWN + 1);
    assertThat(journal.catchUp()).isEqualTo(LogEnd.EMPTY);
    assertHistoryKnown(false);
  }

  @Test
  void elsewhereWithWhatWasDue() throws Exception {
    move(700, KNOWN);
    journal.catchUp();

    assertThat(copies()).isEmpty();
    assertHistoryKnown(false);
  }
}
