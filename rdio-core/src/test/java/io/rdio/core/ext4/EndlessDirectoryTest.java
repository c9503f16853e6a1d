// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static java.nio.charset.StandardCharsets.US_ASCII;
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
  private static final int NAME_LENGTH = 255;
  private static final int ENTRY = 264;
  private static final int ENTRIES = LARGE_BLOCK / ENTRY;
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

  /** A file that becomes a directory: each block of it is full of the longest names there are. */
  private static byte[] names(int blocks) {
    byte[] all = new byte[blocks * LARGE_BLOCK];
    ByteBuffer names = littleEndian(all);
    for (int i = 0; i < blocks * ENTRIES; i++) {
      boolean isLast = i % ENTRIES == ENTRIES - 1;
      int length = isLast ? LARGE_BLOCK - (ENTRIES - 1) * ENTRY : ENTRY;
      int end = names.position() + length;
      names.putInt(SOME_INODE).putShort((short) length).put((byte) NAME_LENGTH).put((byte) 1);
      names.put(String.format("%0" + NAME_LENGTH + "d", i).getBytes(US_ASCII)).position(end);
    }
    return all;
  }

  @Test
  void namesOfTooManyBytesAreRefusedAndTheFirstOnesHandedOut() throws Exception {
    Ext4Image image = image("-t ext2 -b " + LARGE_BLOCK);
    byte[] names = names(1 + MAX_NAME_BYTES / (ENTRIES * NAME_LENGTH));
    image.change("write " + outside(names) + " endless", "sif /endless mode 040755");

    Ext4Volume volume = image.open();
    Ext4Exception refusal = refusal(volume, true);
    assertThat(refusal.kind()).isEqualTo(Ext4Exception.Kind.UNSUPPORTED);
    assertThat(refusal).hasMessageContaining(MAX_NAME_BYTES + " bytes of names");

    List<String> first = new ArrayList<>();
    volume.visit(
        volume.resolve("/endless"),
        entry -> {
          first.add(entry.name());
          return first.size() < 2 * ENTRIES;
        });
    assertThat(first).hasSize(2 * ENTRIES).doesNotHaveDuplicates();
  }
}
