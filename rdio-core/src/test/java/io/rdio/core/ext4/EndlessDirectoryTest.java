// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.testing.Allocation;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that have more names than anybody should take into memory. */
final class EndlessDirectoryTest {
  private static final int BLOCK = 1024;
  private static final int DIRECT = 12;
  private static final int NUMBERS = BLOCK / Integer.BYTES;

  /** Of a directory that uses the room of a block of numbers, and of a block of such blocks. */
  private static final long BLOCKS = DIRECT + NUMBERS + (long) NUMBERS * NUMBERS;

  private static final int LARGE_BLOCK = 4096;
  private static final int LONG_NAME = 255;
  private static final int SHORT_NAME = 4;
  private static final int MAX_NAMES = 1 << 20;
  private static final int MAX_NAME_BYTES = 16 << 20;
  private static final int SOME_INODE = 11;

  /** Much less than the names of a directory with a million of them. */
  private static final long ALLOCATED_MAX = 16L << 20;

  @TempDir(factory = InMemory.class)
  Path directory;

  private Path content;

  @BeforeEach
  void makeContent() throws IOException {
    Ext4Image.requireTools();
    content = Files.createDirectory(directory.resolve("content"));
  }

  private Ext4Image image(String options) throws IOException {
    return Ext4Image.make(directory.resolve("image"), content, "32M", options);
  }

  private Path outside(byte[] bytes) throws IOException {
    return Files.write(Files.createTempFile(directory, "outside", ""), bytes);
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Writes a block of numbers, all the same; where it lies then. */
  private long writeNumbers(Ext4Image image, String name, long number) throws Exception {
    byte[] block = new byte[BLOCK];
    ByteBuffer numbers = littleEndian(block);
    while (numbers.hasRemaining()) {
      numbers.putInt((int) number);
    }
    image.change("write " + outside(block) + " " + name);
    return place(image, name);
  }

  private static long place(Ext4Image image, String path) throws Exception {
    Ext4Volume volume = image.open();
    return volume.extents(volume.resolve(path)).get(0).physical();
  }

  private static Ext4Exception refusal(Ext4Volume volume, boolean list) throws Exception {
    Inode endless = volume.resolve("/endless");
    return catchThrowableOfType(
        Ext4Exception.class,
        () -> {
          if (list) {
            volume.list(endless);
          } else {
            volume.child(endless, "none");
          }
        });
  }

  @Test
  void oneBlockInAllPlacesIsDamage() throws Exception {
    Ext4Image image = image("-t ext2 -b " + BLOCK);
    image.change("mkdir /endless");
    long names = place(image, "/endless");
    long numbers = writeNumbers(image, "numbers", names);
    long numbersOfNumbers = writeNumbers(image, "more", numbers);
    List<String> requests = new ArrayList<>();
    for (int i = 1; i < DIRECT; i++) {
      requests.add("sif /endless block[" + i + "] " + names);
    }
    requests.add("sif /endless block[IND] " + numbers);
    requests.add("sif /endless block[DIND] " + numbersOfNumbers);
    requests.add("sif /endless size " + BLOCKS * BLOCK);
    image.change(requests.toArray(String[]::new));

    Ext4Volume volume = image.open();
    Allocation.assertBelow(
        ALLOCATED_MAX,
        () -> {
          for (boolean list : new boolean[] {true, false}) {
            Ext4Exception refusal = refusal(volume, list);
            assertThat(refusal.kind()).isEqualTo(Ext4Exception.Kind.DAMAGED);
            assertThat(refusal)
                .hasMessageContaining("block " + names + " is in the directory more than once");
          }
        });
  }

  /** Names of one length that a block has room for. */
  private static int namesInBlock(int nameLength) {
    return LARGE_BLOCK / entryLength(nameLength);
  }

  private static int entryLength(int nameLength) {
    return (DirectoryBlock.FIXED + nameLength + 3) & ~3;
  }

  /** A directory of blocks that are full of names of one length, made of a file. */
  private Ext4Volume fullOfNames(int blocks, int nameLength) throws Exception {
    byte[] all = new byte[blocks * LARGE_BLOCK];
    ByteBuffer names = littleEndian(all);
    int entry = entryLength(nameLength);
    int inBlock = namesInBlock(nameLength);
    for (int i = 0; i < blocks * inBlock; i++) {
      boolean isLast = i % inBlock == inBlock - 1;
      int length = isLast ? LARGE_BLOCK - (inBlock - 1) * entry : entry;
      int end = names.position() + length;
      names.putInt(SOME_INODE).putShort((short) length).put((byte) nameLength).put((byte) 1);
      names.put(name(i, nameLength)).position(end);
    }
    Ext4Image image = image("-t ext2 -b " + LARGE_BLOCK);
    image.change("write " + outside(all) + " endless", "sif /endless mode 040755");
    return image.open();
  }

  private static byte[] name(int number, int length) {
    byte[] name = new byte[length];
    int left = number;
    for (int i = length - 1; i >= 0; i--) {
      name[i] = (byte) Character.forDigit(left % Character.MAX_RADIX, Character.MAX_RADIX);
      left /= Character.MAX_RADIX;
    }
    return name;
  }

  private Ext4Volume tooManyBytesOfNames() throws Exception {
    return fullOfNames(1 + MAX_NAME_BYTES / (namesInBlock(LONG_NAME) * LONG_NAME), LONG_NAME);
  }

  @Test
  void namesOfTooManyBytesAreNoListAndAreHandedOutOneByOne() throws Exception {
    Ext4Volume volume = tooManyBytesOfNames();
    Ext4Exception refusal = refusal(volume, true);
    assertThat(refusal.kind()).isEqualTo(Ext4Exception.Kind.UNSUPPORTED);
    assertThat(refusal).hasMessageContaining(MAX_NAME_BYTES + " bytes of names");

    AtomicInteger bytes = new AtomicInteger();
    volume.visit(volume.resolve("/endless"), entry -> bytes.addAndGet(entry.name().length()) > 0);
    assertThat(bytes.get()).isGreaterThan(MAX_NAME_BYTES);
  }

  @Test
  void noMoreNamesAreHandedOutThanAreWanted() throws Exception {
    Ext4Volume volume = tooManyBytesOfNames();
    int wanted = 2 * namesInBlock(LONG_NAME);
    List<String> first = new ArrayList<>();
    volume.visit(
        volume.resolve("/endless"),
        entry -> {
          first.add(entry.name());
          return first.size() < wanted;
        });
    assertThat(first).hasSize(wanted).doesNotHaveDuplicates();
  }

  @Test
  void tooManyNamesAreRefusedOneByOneAsWell() throws Exception {
    Ext4Volume volume = fullOfNames(1 + MAX_NAMES / namesInBlock(SHORT_NAME), SHORT_NAME);
    Inode endless = volume.resolve("/endless");
    AtomicInteger handedOut = new AtomicInteger();
    Ext4Exception refusal =
        catchThrowableOfType(
            Ext4Exception.class,
            () -> volume.visit(endless, entry -> handedOut.incrementAndGet() > 0));
    assertThat(refusal.kind()).isEqualTo(Ext4Exception.Kind.UNSUPPORTED);
    assertThat(refusal).hasMessageContaining("more than " + MAX_NAMES + " names");
    assertThat(handedOut).hasValue(MAX_NAMES);
  }
}
