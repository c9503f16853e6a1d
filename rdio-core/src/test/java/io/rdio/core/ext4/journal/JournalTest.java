// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logs that debugfs wrote: what the journal shows is what debugfs makes of it by replaying. */
final class JournalTest {
  private static final String PLAIN = "-t ext4 -b 1024 -J size=1";

  @TempDir(factory = InMemory.class)
  static Path directory;

  private static Path content;

  @BeforeAll
  static void makeContent() throws IOException {
    Ext4Image.requireTools();
    content = Files.createDirectory(directory.resolve("content"));
    Files.createDirectory(content.resolve("a"));
    byte[] bytes = new byte[50_000];
    new Random(5).nextBytes(bytes);
    Files.write(content.resolve("a/old"), bytes);
    Files.write(content.resolve("new"), Arrays.copyOf(bytes, 20_000));
  }

  private static LogImage image(String options, int blockSize, String open) throws IOException {
    Path file = Files.createTempFile(directory, "image", "");
    return new LogImage(Ext4Image.make(file, content, "16M", options), blockSize, open);
  }

  /** Every block but those that debugfs itself changes by replaying: superblock and journal. */
  private static void assertLikeReplayed(LogImage log, byte[] bytes) throws Exception {
    assertLike(log.replayed().open(), bytes);
  }

  private static void assertLike(Ext4Volume replayed, byte[] bytes) throws Exception {
    Ext4Volume device = LogImage.volume(bytes);
    Ext4Volume seen = Journal.over(device);
    Set<Long> except = new HashSet<>(List.of(1024L / device.blocks().blockSize()));
    for (FileExtent extent : device.extents(device.inode(8))) {
      for (long i = 0; i < extent.length(); i++) {
        except.add(extent.physical() + i);
      }
    }
    for (long i = 0; i < device.superblock().blockCount(); i++) {
      if (!except.contains(i)) {
        assertThat(seen.blocks().block(i)).as("block %d", i).isEqualTo(replayed.blocks().block(i));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-t ext4 -b 1024, 1024, jo -c -v 3",
    "-t ext4 -b 1024, 1024, jo -c -v 2",
    "-t ext4 -b 1024 -O ^metadata_csum, 1024, jo",
    "-t ext4 -b 1024 -O ^64bit, 1024, jo -c -v 2",
    "-t ext4 -b 1024 -O ^64bit, 1024, jo -c -v 3",
    "-t ext4 -b 1024 -O ^64bit^metadata_csum, 1024, jo",
    "-t ext4 -b 4096, 4096, jo -c",
    "-t ext4 -b 4096 -O bigalloc, 4096, jo -c",
    "-t ext3 -b 1024, 1024, jo",
  })
  void likeReplayed(String options, int blockSize, String open) throws Exception {
    LogImage log = image(options.replace("^64bit^", "^64bit,^"), blockSize, open);
    log.commit("mkdir /made", "write /proc/version /a/written");
    log.commit("rm /a/old", "mkdir /made/again");
    byte[] bytes = log.bytes();
    Ext4Volume device = LogImage.volume(bytes);
    Ext4Volume seen = Journal.over(device);

    assertLikeReplayed(log, bytes);
    assertThat(seen.resolve("/made/again").number()).isPositive();
    assertThatThrownBy(() -> seen.resolve("/a/old")).hasMessageContaining("NOT_FOUND");
    assertThat(device.resolve("/a/old").size()).isEqualTo(50_000);
    assertThatThrownBy(() -> device.resolve("/made")).hasMessageContaining("NOT_FOUND");
  }

  @Test
  void copiesThatWereRevokedAreVoid() throws Exception {
    LogImage log = image(PLAIN, 1024, "jo -c");
    Ext4Volume before = LogImage.volume(log.bytes());
    Inode file = before.resolve("/new");
    int block = (int) before.extents(file).get(0).physical();
    byte[] other = log.bytes();
    other[block * 1024 + 5] = 7;
    log.commitBlocks(new int[] {block, block + 1}, other);
    log.revoke(block);
    assertThat(LogImage.journal(log.bytes()).size()).isEqualTo(1);
    assertThat(LogImage.journal(log.bytes()).block(block).get(5)).isNotEqualTo((byte) 7);
    assertLikeReplayed(log, log.bytes());

    // It is metadata again.
    log.commitBlocks(new int[] {block}, other);
    assertThat(LogImage.journal(log.bytes()).block(block).get(5)).isEqualTo((byte) 7);
    assertLikeReplayed(log, log.bytes());
  }

  @Test
  void blocksThatStartLikeTheLogsOwn() throws Exception {
    LogImage log = image(PLAIN, 1024, "jo -c");
    byte[] bytes = log.bytes();
    Ext4Volume before = LogImage.volume(bytes);
    int block = (int) before.extents(before.resolve("/new")).get(0).physical();
    ByteBuffer.wrap(bytes).putInt(block * 1024, LogFormat.MAGIC);
    log.commitBlocks(new int[] {block}, bytes);

    assertLikeReplayed(log, log.bytes());
    ByteBuffer seen = LogImage.journal(log.bytes()).block(block);
    assertThat(Integer.reverseBytes(seen.getInt(0))).isEqualTo(LogFormat.MAGIC);
  }

  @ParameterizedTest
  @CsvSource({"jo -c", "jo -c -v 2"})
  void aLogThatGoesRoundTheEnd(String open) throws Exception {
    LogImage log = image(PLAIN, 1024, open);
    log.commit("mkdir /made", "rm /a/old");
    log.commit("mkdir /made/again");
    byte[] bytes = log.bytes();
    Ext4Volume replayed = log.replayed().open();
    for (long start = 1024 - 30; start < 1024; start++) {
      byte[] rotated = bytes.clone();
      LogImage.rotate(rotated, start);
      assertThat(LogImage.journal(rotated).size()).isEqualTo(LogImage.journal(bytes).size());
      assertLike(replayed, rotated);
    }
  }

  @Test
  void aTransactionOfSeveralDescriptors() throws Exception {
    LogImage log = image(PLAIN, 1024, "jo -c");
    byte[] bytes = log.bytes();
    Ext4Volume before = LogImage.volume(bytes);
    FileExtent old = before.extents(before.resolve("/a/old")).get(0);
    FileExtent other = before.extents(before.resolve("/new")).get(0);
    List<Integer> numbers = new ArrayList<>();
    for (FileExtent extent : List.of(old, other)) {
      for (long i = 0; i < extent.length(); i++) {
        numbers.add((int) (extent.physical() + i));
        bytes[(int) (extent.physical() + i) * 1024] = (byte) i;
      }
    }
    int[] blocks = numbers.stream().mapToInt(Integer::intValue).toArray();
    assertThat(blocks.length).isGreaterThan(1024 / 16);
    log.commitBlocks(blocks, bytes);

    assertThat(LogImage.journal(log.bytes()).size()).isEqualTo(blocks.length);
    assertLikeReplayed(log, log.bytes());
  }

  @Test
  void aJournalThatIsNotInOnePiece() throws Exception {
    Path many = Files.createDirectory(directory.resolve("many"));
    for (int i = 0; i < 2000; i++) {
      Files.write(many.resolve("f" + i), new byte[] {1, 2, 3});
    }
    Path file = directory.resolve("pieces");
    Ext4Image image = Ext4Image.make(file, many, "6M", "-t ext4 -b 1024 -N 2100 -O ^has_journal");
    List<String> removals = new ArrayList<>();
    for (int i = 0; i < 2000; i += 2) {
      removals.add("rm /f" + i);
    }
    image.change(removals.toArray(String[]::new));
    Command.run("tune2fs", "-J", "size=1", file.toString());
    LogImage log = new LogImage(image, 1024, "jo -c");
    log.commit("mkdir /made", "rm /f1");

    Ext4Volume device = LogImage.volume(log.bytes());
    assertThat(device.extents(device.inode(8)).size()).isGreaterThan(3);
    byte[] bytes = log.bytes();
    LogImage.rotate(bytes, 1000);
    assertLikeReplayed(log, bytes);
    assertThat(Journal.over(LogImage.volume(bytes)).resolve("/made").number()).isPositive();
  }

  @Test
  void aLogThatGoesOnAndIsEmptiedAndStartsAgain() throws Exception {
    LogImage log = image(PLAIN, 1024, "jo -c");
    log.commit("mkdir /one");
    byte[] bytes = log.bytes();
    Ext4Volume device = LogImage.volume(bytes);
    Journal journal = Journal.open(device);
    Ext4Volume seen = device.seenBy(journal);
    assertThat(seen.resolve("/one").number()).isPositive();
    assertThat(journal.catchUp()).isEqualTo(LogEnd.SEQUENCE);

    log.commit("mkdir /one/two");
    replace(bytes, log.bytes());
    assertThatThrownBy(() -> seen.resolve("/one/two")).hasMessageContaining("NOT_FOUND");
    assertThat(journal.catchUp()).isEqualTo(LogEnd.SEQUENCE);
    assertThat(seen.resolve("/one/two").number()).isPositive();

    new Ext4Image(log.file()).change("jr");
    replace(bytes, log.bytes());
    assertThat(journal.catchUp()).isEqualTo(LogEnd.EMPTY);
    assertThat(journal.size()).isZero();
    assertThat(seen.resolve("/one/two").number()).isPositive();

    log.commit("mkdir /one/three");
    replace(bytes, log.bytes());
    assertThat(journal.catchUp()).isEqualTo(LogEnd.SEQUENCE);
    assertThat(seen.resolve("/one/three").number()).isPositive();

    // Behind its back: checkpointed, and another transaction from the beginning of the log.
    new Ext4Image(log.file()).change("jr");
    log.commit("rmdir /one/three");
    replace(bytes, log.bytes());
    journal.catchUp();
    assertThatThrownBy(() -> seen.resolve("/one/three")).hasMessageContaining("NOT_FOUND");
  }

  private static void replace(byte[] bytes, byte[] by) {
    System.arraycopy(by, 0, bytes, 0, bytes.length);
  }

  @Test
  void aLookWhenNothingHasChangedReadsTwoBlocks() throws Exception {
    LogImage log = image(PLAIN, 1024, "jo -c");
    log.commit("mkdir /made");
    log.commit("rm /a/old");
    MemoryDevice device = new MemoryDevice(log.bytes(), 512);
    Journal journal = Journal.open(Ext4Volume.open(device));
    int before = device.reads();

    assertThat(journal.catchUp()).isEqualTo(LogEnd.SEQUENCE);
    assertThat(device.reads() - before).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"0x4, journal_async_commit", "0x20, fast_commit", "0x100, FEATURE_I8"})
  void featuresThatAreNotReadAreRefusedByName(String bits, String name) throws Exception {
    LogImage log = image(PLAIN + " -O ^metadata_csum", 1024, "jo");
    log.commit("mkdir /made");
    byte[] bytes = log.bytes();
    ByteBuffer first = LogImage.logBlock(bytes, 0);
    first.putInt(0x28, first.getInt(0x28) | Integer.decode(bits));

    assertThatThrownBy(() -> LogImage.journal(bytes))
        .hasMessageContaining("UNSUPPORTED: feature " + name);
  }
}
