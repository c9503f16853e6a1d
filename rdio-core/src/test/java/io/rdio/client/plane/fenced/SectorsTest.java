// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sets of sectors against plain ones, and what dumps say that they have. */
final class SectorsTest {
  private static final int SECTORS = 200;

  private static Sectors random(Random random, BitSet plain) {
    Sectors sectors = new Sectors();
    for (int i = 0; i < 30; i++) {
      int from = random.nextInt(SECTORS);
      int to = Math.min(SECTORS, from + 1 + random.nextInt(8));
      sectors.add(from, to);
      plain.set(from, to);
    }
    return sectors;
  }

  private static void assertSame(Sectors sectors, BitSet plain) {
    List<Map.Entry<Long, Long>> runs = new ArrayList<>();
    for (int at = plain.nextSetBit(0); at >= 0; ) {
      int end = plain.nextClearBit(at);
      runs.add(Map.entry((long) at, (long) end));
      at = plain.nextSetBit(end);
    }
    assertThat(List.copyOf(sectors.runs().entrySet())).isEqualTo(runs);
    assertThat(sectors.isEmpty()).isEqualTo(plain.isEmpty());
    assertThat(sectors.blocks(8)).isEqualTo(plain.stream().map(at -> at / 8).distinct().count());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void likePlainSets(long seed) {
    Random random = new Random(seed);
    BitSet plain = new BitSet();
    BitSet others = new BitSet();
    Sectors sectors = random(random, plain);
    Sectors other = random(random, others);
    assertSame(sectors, plain);
    BitSet rest = (BitSet) plain.clone();
    rest.andNot(others);
    assertSame(sectors.without(other), rest);
    sectors.addAll(other);
    plain.or(others);
    assertSame(sectors, plain);
    for (int i = 0; i < SECTORS; i++) {
      assertThat(sectors.has(i)).as("sector %d", i).isEqualTo(plain.get(i));
    }
  }

  /** A block of places, and the sectors behind it. */
  private static void put(ByteBuffer dump, int magic, long... sectors) {
    int at = dump.position();
    dump.putInt(magic).putShort((short) sectors.length).put((byte) 9).put((byte) 0);
    for (long sector : sectors) {
      dump.putLong(sector);
    }
    dump.position(at + 512 * (1 + sectors.length));
  }

  private static Sectors read(ByteBuffer dump) throws IOException {
    byte[] bytes = new byte[dump.position()];
    dump.get(0, bytes);
    return Sectors.ofDump(new DataInputStream(new ByteArrayInputStream(bytes)));
  }

  @Test
  void ofDump() throws Exception {
    long[] full = new long[63];
    for (int i = 0; i < full.length; i++) {
      full[i] = 100L + i;
    }
    ByteBuffer dump = ByteBuffer.allocate(100 * 512);
    put(dump, 0x5846534D, full);
    put(dump, 0x5846534D, 1, 2, 1L << 33);
    assertThat(read(dump).runs()).isEqualTo(Map.of(1L, 3L, 100L, 163L, 1L << 33, (1L << 33) + 1));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE / 512})
  void sectorThatNoDeviceHasIsRefused(long sector) {
    ByteBuffer dump = ByteBuffer.allocate(100 * 512);
    put(dump, 0x5846534D, 1, sector);
    assertThatThrownBy(() -> read(dump))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("sector " + Long.toUnsignedString(sector));
  }

  @Test
  void dumpThatIsNone() {
    ByteBuffer other = ByteBuffer.allocate(100 * 512);
    put(other, 0x584D4432, 1, 2); // "XMD2", the second form
    assertThatThrownBy(() -> read(other)).hasMessageContaining("not known");
    ByteBuffer cut = ByteBuffer.allocate(100 * 512);
    put(cut, 0x5846534D, new long[63]);
    assertThatThrownBy(() -> read(cut)).hasMessageContaining("ends early");
  }
}
