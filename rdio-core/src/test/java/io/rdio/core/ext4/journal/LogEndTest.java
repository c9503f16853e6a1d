// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.testing.InMemory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a log ends, and what in it is damage instead of its end. */
final class LogEndTest {
  private static final int OLD_BYTES = 50_000;
  private static final int COMMIT_SECONDS_AT = 48;
  private static final long FIRST_COMMIT = 1_700_000_000;
  private static final long MOUNTED_BEFORE = 60;

  @TempDir(factory = InMemory.class)
  Path directory;

  private LogImage log;
  private byte[] bytes;

  /** Block 1 has the first descriptor, and the commits are looked for. */
  @BeforeEach
  void commitTwoTransactions() throws Exception {
    Ext4Image.requireTools();
    Path content = Files.createDirectory(directory.resolve("content"));
    Files.createDirectory(content.resolve("a"));
    Files.write(content.resolve("a/old"), "o".repeat(OLD_BYTES).getBytes(US_ASCII));
    Path file = directory.resolve("image");
    String options = "-t ext4 -b 1024 -J size=1";
    log = new LogImage(Ext4Image.make(file, content, "16M", options), 1024, "jo -c");
    log.commit("mkdir /made");
    log.commit("rm /a/old");
    bytes = log.bytes();
  }

  private long commitOf(int transaction) throws Ext4Exception {
    for (long block = 1, seen = 0; ; block++) {
      ByteBuffer each = LogImage.logBlock(bytes, block);
      if (each.getInt(0) == LogFormat.MAGIC && each.getInt(4) == LogFormat.COMMIT) {
        if (++seen == transaction) {
          return block;
        }
      }
    }
  }

  private void assertEndsBehindTheFirst(LogEnd end) throws Ext4Exception {
    Ext4Volume device = LogImage.volume(bytes);
    Ext4Volume seen = Journal.over(device);
    assertThat(seen.resolve("/made").number()).isPositive();
    assertThat(seen.resolve("/a/old").size()).isEqualTo(OLD_BYTES);
    assertThat(LogImage.journal(bytes).catchUp()).isEqualTo(end);
  }

  @Test
  void theLogEndsWhereNothingWasCommitted() throws Exception {
    LogImage.logBlock(bytes, commitOf(2)).putInt(8, 99);

    assertEndsBehindTheFirst(LogEnd.SEQUENCE);
  }

  @Test
  void theLogEndsWhereACommitIsNotWhole() throws Exception {
    ByteBuffer commit = LogImage.logBlock(bytes, commitOf(2));
    commit.put(500, (byte) 1);

    assertEndsBehindTheFirst(LogEnd.CHECKSUM);
    assertThat(LogEnd.CHECKSUM.isProper()).isFalse();
  }

  /** What is left of a transaction whose writer died before it had written all of it. */
  @ParameterizedTest
  @ValueSource(ints = {12, 512, 900})
  void aTornDescriptorWithoutACommitIsOfNoTransaction(int whole) throws Exception {
    tear(LogImage.logBlock(bytes, commitOf(1) + 1), whole);
    LogImage.logBlock(bytes, commitOf(2)).putInt(8, 1);

    assertEndsBehindTheFirst(LogEnd.SEQUENCE);
  }

  private static void tear(ByteBuffer block, int whole) {
    byte[] other = new byte[block.capacity() - whole];
    new Random(11).nextBytes(other);
    block.put(whole, other);
  }

  /**
   * The file system was mounted a minute before the first transaction, and the second has a time of
   * commit so many seconds before that of the first.
   */
  private void setClockBack(long seconds) throws Exception {
    new Ext4Image(log.file()).change("ssv mtime @" + (FIRST_COMMIT - MOUNTED_BEFORE));
    bytes = log.bytes();
    // Not by debugfs's own times, which are in the wrong half of their field.
    commitAt(1, FIRST_COMMIT);
    commitAt(2, FIRST_COMMIT - seconds);
  }

  private void commitAt(int transaction, long seconds) throws Exception {
    ByteBuffer commit = LogImage.logBlock(bytes, commitOf(transaction));
    commit.putLong(COMMIT_SECONDS_AT, seconds);
    LogImage.signCommit(bytes, commit);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, MOUNTED_BEFORE})
  void aClockThatWasSetBackIsNoEnd(long seconds) throws Exception {
    setClockBack(seconds);
    Ext4Volume seen = Journal.over(LogImage.volume(bytes));

    assertThatThrownBy(() -> seen.resolve("/a/old")).hasMessageContaining("NOT_FOUND");
    assertThat(LogImage.journal(bytes).catchUp()).isEqualTo(LogEnd.SEQUENCE);
  }

  @Test
  void theLogEndsWhereTimeGoesBackBehindTheMount() throws Exception {
    setClockBack(MOUNTED_BEFORE + 1);

    assertEndsBehindTheFirst(LogEnd.COMMIT_TIME);
  }

  /** Whoever has followed the log knows when the transaction in front was committed. */
  @Test
  void norDoesItGoOnThereWhenItsStartHasComeThatFar() throws Exception {
    setClockBack(MOUNTED_BEFORE + 1);
    Journal journal = LogImage.journal(bytes);
    assertThat(journal.size()).isPositive();
    int sequence = JournalSuperblock.read(new JournalFile(LogImage.volume(bytes))).sequence();

    LogImage.moveStart(bytes, commitOf(1) + 1, sequence + 1);

    assertThat(journal.catchUp()).isEqualTo(LogEnd.COMMIT_TIME);
    assertThat(journal.size()).isZero();
  }

  @Test
  void whatWasCommittedAndIsDamagedIsAnError() throws Exception {
    LogImage.logBlock(bytes, 1).put(900, (byte) 1);

    assertThatThrownBy(() -> LogImage.journal(bytes))
        .isInstanceOf(Ext4Exception.class)
        .hasMessageContaining("it was committed as transaction 1");
  }

  @Test
  void alsoWhereItsTagsLeadBesideItsCommit() throws Exception {
    LogImage.logBlock(bytes, 1).put(12, new byte[900]); // tags without end

    assertThatThrownBy(() -> LogImage.journal(bytes))
        .isInstanceOf(Ext4Exception.class)
        .hasMessageContaining("it was committed as transaction 1");
  }

  @Test
  void aDamagedCopyIsAnErrorOnceItIsRead() throws Exception {
    long lastDescriptor = commitOf(1) + 1;
    LogImage.logBlock(bytes, lastDescriptor + 1).put(900, (byte) 77);
    Journal journal = LogImage.journal(bytes);
    int refused = 0;
    for (long i = 0; i < journal.blockCount(); i++) {
      try {
        journal.block(i);
      } catch (Ext4Exception e) {
        assertThat(e.kind()).isEqualTo(Ext4Exception.Kind.DAMAGED);
        refused++;
      }
    }
    assertThat(refused).isEqualTo(1);
  }
}
