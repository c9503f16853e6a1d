// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a device that is played has behind a loss of power. */
final class ReplayedCacheTest {
  private static final int SECTOR = 512;
  private static final int LOSSES = 64;

  /** Sectors of the first 4 KiB, which stay together. */
  private static final int FIRST = 8;

  @TempDir Path folder;
  private final DeviceLog log = new DeviceLog();
  private final HangingFile.WriteQueue one = log.by("one");
  private final HangingFile.WriteQueue other = log.by("other");

  private static void write(HangingFile.WriteQueue by, int sector, int sectors, int value) {
    byte[] bytes = new byte[sectors * SECTOR];
    Arrays.fill(bytes, (byte) value);
    by.begins((long) (FIRST + sector) * SECTOR, ByteBuffer.wrap(bytes));
  }

  /** The values of three sectors behind the first 4 KiB that losses leave, each as a text. */
  private Set<String> left(Set<String> deaf) throws IOException {
    return left(deaf, FIRST, 3);
  }

  private Set<String> left(Set<String> deaf, int from, int sectors) throws IOException {
    return left(deaf, from, sectors, new Random(LOSSES));
  }

  private Set<String> left(Set<String> deaf, int from, int sectors, RandomGenerator random)
      throws IOException {
    Path medium = folder.resolve("medium");
    Path copy = folder.resolve("copy");
    Files.write(medium, new byte[(FIRST + 3) * SECTOR]);
    Set<String> left = new TreeSet<>();
    try (FileChannel of =
        FileChannel.open(medium, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ReplayedCache cache = new ReplayedCache(of, deaf);
      for (DeviceLog.Entry entry : log.entries()) {
        cache.tell(entry);
      }
      for (int i = 0; i < LOSSES; i++) {
        Files.write(copy, Files.readAllBytes(medium));
        try (FileChannel to = FileChannel.open(copy, StandardOpenOption.WRITE)) {
          cache.losePower(to, random);
        }
        byte[] bytes = Files.readAllBytes(copy);
        left.add(values(Arrays.copyOfRange(bytes, from * SECTOR, (from + sectors) * SECTOR)));
      }
    }
    return left;
  }

  private static String values(byte[] bytes) {
    StringBuilder values = new StringBuilder();
    for (int at = 0; at < bytes.length; at += SECTOR) {
      values.append(bytes[at]);
    }
    return values.toString();
  }

  @Test
  void flushedSectorsAreThere() throws IOException {
    log.begin();
    write(one, 0, 3, 1);
    one.flushes();
    assertThat(left(Set.of())).containsExactly("111");
  }

  @Test
  void anyOfTheOthersAreLost() throws IOException {
    log.begin();
    write(one, 0, 1, 1);
    one.flushes();
    write(one, 0, 2, 2);
    assertThat(left(Set.of())).containsExactly("100", "120", "200", "220");
  }

  @Test
  void sectorIsAsAtAnyMomentSinceItsFlush() throws IOException {
    log.begin();
    write(one, 0, 1, 1);
    one.flushes();
    write(one, 0, 1, 2);
    write(one, 0, 1, 3);
    assertThat(left(Set.of())).containsExactly("100", "200", "300");
  }

  @Test
  void flushIsOfItsOwnWayAlone() throws IOException {
    log.begin();
    write(one, 0, 1, 1);
    write(other, 1, 1, 2);
    other.flushes();
    assertThat(left(Set.of())).containsExactly("020", "120");
    one.flushes();
    assertThat(left(Set.of())).containsExactly("120");
  }

  @Test
  void flushCoversWhatAnotherWayWroteToTheSameSectorBefore() throws IOException {
    log.begin();
    write(one, 0, 1, 1);
    write(other, 0, 1, 2);
    write(one, 0, 1, 3);
    other.flushes();
    assertThat(left(Set.of())).containsExactly("200", "300");
  }

  @Test
  void flushByADeafWayDoesNothing() throws IOException {
    log.begin();
    write(one, 0, 1, 1);
    one.flushes();
    write(other, 1, 1, 2);
    other.flushes();
    assertThat(left(Set.of("one"))).containsExactly("020", "120");
  }

  @Test
  void allOfTheOthersAreLostWhereTheChoiceIsZero() throws IOException {
    log.begin();
    write(one, 0, 1, 1);
    one.flushes();
    write(one, 0, 3, 2);
    assertThat(left(Set.of(), FIRST, 3, () -> 0)).containsExactly("100");
  }

  /** As the superblock is, which is of two sectors. */
  @Test
  void firstOnesStayTogether() throws IOException {
    log.begin();
    write(one, -FIRST, FIRST, 1);
    write(one, -FIRST, FIRST, 2);
    assertThat(left(Set.of(), 0, FIRST)).containsExactly("00000000", "11111111", "22222222");
  }

  @Test
  void nothingIsNotedBeforeTheBeginAndBehindTheEnd() {
    write(one, 0, 1, 1);
    log.begin();
    log.mark("between");
    log.end();
    one.flushes();
    assertThat(log.entries()).isEqualTo(List.of(new DeviceLog.Mark("between")));
  }
}
