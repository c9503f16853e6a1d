// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.journal.LogBlocks.Copied;
import io.rdio.core.testing.ScratchFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What jbd2 sends to a device, made up: transactions on some blocks of a file, which serve as
 * metadata here, their way home and the log's start behind them. Its order and its flushes are
 * those of commit.c and checkpoint.c in fs/jbd2 of Linux, with barriers and without asynchronous
 * commits; what it sends between two flushes may reach the device in any order.
 */
final class MadeUpLog {
  /** That a journal shows something that never was. */
  static final int NONE = -1;

  private static final int BLOCKS = 12;

  /** In a state, of a block: it was freed, and is somebody's data. */
  private static final int DATA = -1;

  /** So that the log goes round again and again. */
  private static final int ROOM_END = 48;

  private static final int COPIES_MAX = 5;

  /** Blocks of a transaction: one that revokes, a descriptor, copies, a commit block. */
  private static final int LONGEST = 3 + COPIES_MAX;

  private final byte[] image;
  private final Random random;
  private final JournalFile file;
  private final LogBlocks blocks;
  private final long first;
  private final List<Write> writes = new ArrayList<>();

  /** What each block has in each state: the number of the transaction that wrote it last. */
  private final List<int[]> states = new ArrayList<>();

  private final Deque<Logged> logged = new ArrayDeque<>();
  private boolean empty = true;
  private long head = 1;
  private int sequence;

  /**
   * A request to the device.
   *
   * @param barrier whether all that was acknowledged before is durable before it reaches the
   *     device, and it is when it is acknowledged (preflush and FUA); else it may stay in a cache
   * @param commits whether a transaction is committed by it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Write(long at, byte[] bytes, boolean barrier, boolean commits) {}

  /** A transaction that the log has, from a block on. */
  private record Logged(int number, int sequence, long start, int length) {}

  /**
   * Makes up a history.
   *
   * @param made by {@link #image()}
   */
  MadeUpLog(byte[] made, int transactions, Random random) throws Ext4Exception {
    this.image = made.clone();
    this.random = random;
    this.sequence = random.nextInt();
    ByteBuffer superblock = LogImage.logBlock(image, 0);
    this.blocks = new LogBlocks(superblock, ROOM_END);
    superblock.put(0, blocks.superblock(0, sequence));
    Ext4Volume volume = LogImage.volume(image);
    this.file = new JournalFile(volume);
    this.first = volume.extents(volume.resolve("/file")).get(0).physical();
    states.add(new int[BLOCKS]);
    for (int number = 1; number <= transactions; number++) {
      while (logged.stream().mapToInt(Logged::length).sum() + LONGEST >= ROOM_END - 1) {
        checkpoint();
      }
      commit(number);
      writeBehind();
      if (random.nextInt(3) == 0) {
        checkpoint();
      }
    }
  }

  /** A file system whose journal was never used. */
  static byte[] image() throws IOException {
    try (ScratchFolder scratch = ScratchFolder.make("made-up-log")) {
      Path content = Files.createDirectory(scratch.path().resolve("content"));
      byte[] bytes = new byte[BLOCKS * LogBlocks.BYTES];
      Arrays.fill(bytes, (byte) 'o');
      Files.write(content.resolve("file"), bytes);
      Path file = scratch.path().resolve("image");
      String options = "-t ext4 -b " + LogBlocks.BYTES + " -J size=1";
      return Files.readAllBytes(Ext4Image.make(file, content, "4M", options).file());
    }
  }

  /** The device in front of the first write. */
  byte[] start() {
    return image.clone();
  }

  /** In the order in which they are sent, each when the one before it was acknowledged. */
  List<Write> writes() {
    return writes;
  }

  /** The state that a journal shows, by the number of its last transaction, or {@link #NONE}. */
  int shownBy(Journal journal) throws Ext4Exception {
    List<ByteBuffer> shown = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      shown.add(journal.block(home(i)));
    }
    for (int number = states.size() - 1; number >= 0; number--) {
      if (shows(journal, shown, states.get(number))) {
        return number;
      }
    }
    return NONE;
  }

  private boolean shows(Journal journal, List<ByteBuffer> shown, int[] state) {
    for (int i = 0; i < BLOCKS; i++) {
      boolean right =
          state[i] == DATA
              ? !journal.has(home(i))
              : shown.get(i).equals(ByteBuffer.wrap(content(state[i], i)));
      if (!right) {
        return false;
      }
    }
    return true;
  }

  private long home(int block) {
    return first + block;
  }

  /** What a transaction writes to a block; each third starts like a block of the log. */
  private byte[] content(int number, int block) {
    if (number == 0) {
      int at = (int) place(first + block);
      return Arrays.copyOfRange(image, at, at + LogBlocks.BYTES);
    }
    ByteBuffer bytes = ByteBuffer.allocate(LogBlocks.BYTES);
    while (bytes.hasRemaining()) {
      bytes.putInt(number * BLOCKS + block);
    }
    if (number % 3 == 0) {
      bytes.putInt(0, LogFormat.MAGIC);
    }
    return bytes.array();
  }

  private int[] now() {
    return states.get(states.size() - 1);
  }

  private void commit(int number) {
    int[] next = now().clone();
    List<Integer> shuffled = new ArrayList<>(IntStream.range(0, BLOCKS).boxed().toList());
    Collections.shuffle(shuffled, random);
    int count = 1 + random.nextInt(COPIES_MAX);
    List<Integer> written = shuffled.subList(0, count);
    List<Integer> freed =
        shuffled.subList(count, count + random.nextInt(3)).stream()
            .filter(i -> next[i] != DATA)
            .toList();
    written.forEach(i -> next[i] = number);
    freed.forEach(i -> next[i] = DATA);
    long from = head;
    if (empty) {
      empty = false;
      send(file.physical(0), blocks.superblock(from, sequence));
    }
    List<Write> log = log(number, written, freed);
    int length = log.size() + 1;
    Collections.shuffle(log, random);
    writes.addAll(log);
    writes.add(new Write(place(nextInLog()), blocks.commit(sequence, number), true, true));
    logged.add(new Logged(number, sequence, from, length));
    sequence++;
    states.add(next);
  }

  /** A transaction's blocks but for its commit block. */
  private List<Write> log(int number, List<Integer> written, List<Integer> freed) {
    List<Copied> copies =
        written.stream().map(i -> Copied.of(home(i), content(number, i))).toList();
    List<byte[]> log = new ArrayList<>();
    if (!freed.isEmpty()) {
      log.add(blocks.revoke(sequence, freed.stream().map(this::home).toList()));
    }
    log.add(blocks.descriptor(sequence, copies));
    copies.forEach(copy -> log.add(copy.bytes()));
    List<Write> sent = new ArrayList<>();
    log.forEach(bytes -> sent.add(new Write(place(nextInLog()), bytes, false, false)));
    return sent;
  }

  private long nextInLog() {
    long block = head;
    head = block + 1 == ROOM_END ? 1 : block + 1;
    return file.physical(block);
  }

  private static long place(long block) {
    return block * LogBlocks.BYTES;
  }

  private void send(long block, byte[] bytes) {
    writes.add(new Write(place(block), bytes, false, false));
  }

  /** Some of what is committed goes home, and some of what was freed is written by its owner. */
  private void writeBehind() {
    for (int i = 0; i < BLOCKS; i++) {
      if (random.nextInt(4) == 0) {
        if (now()[i] == DATA) {
          byte[] data = new byte[LogBlocks.BYTES];
          Arrays.fill(data, (byte) 'd');
          send(home(i), data);
        } else {
          send(home(i), content(now()[i], i));
        }
      }
    }
  }

  /** Moves the log's start behind some transactions, when what they wrote is at home. */
  private void checkpoint() {
    if (logged.isEmpty()) {
      return;
    }
    int last = logged.remove().number();
    while (!logged.isEmpty() && random.nextBoolean()) {
      last = logged.remove().number();
    }
    for (int i = 0; i < BLOCKS; i++) {
      if (now()[i] > 0 && now()[i] <= last) {
        send(home(i), content(now()[i], i));
      }
    }
    Logged oldest = logged.peek();
    empty = oldest == null && random.nextBoolean();
    long from = oldest == null ? head : oldest.start();
    int due = oldest == null ? sequence : oldest.sequence();
    byte[] superblock = blocks.superblock(empty ? 0 : from, due);
    writes.add(new Write(place(file.physical(0)), superblock, true, false));
  }
}
