// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What memory is counted. */
class FootprintTest {
  private static final String MAP =
      "pos:\t0\nflags:\t02000002\nmap_type:\t27\nmemlock:\t%d\nmap_id:\t%d\nfrozen:\t0\n";

  private static void write(Path folder, String descriptor, String text) throws IOException {
    Files.writeString(folder.resolve(descriptor), text);
  }

  @Test
  void eachBpfMapIsCountedOnceAndNothingElse(@TempDir Path folder) throws IOException {
    write(folder, "3", MAP.formatted(1_052_672, 10));
    write(folder, "4", MAP.formatted(8192, 11));
    write(folder, "5", MAP.formatted(8192, 11));
    write(folder, "6", "prog_type:\t26\nmemlock:\t4096\nprog_id:\t11\n");
    write(folder, "7", "pos:\t0\nflags:\t0100002\n");
    assertThat(Footprint.mapBytes(folder)).isEqualTo(1_052_672 + 8192);
  }

  @Test
  void whatIsKeptShowsOnTheHeap() throws IOException {
    byte[] kept = new byte[8 << 20];
    Footprint with = Footprint.now();
    kept[kept.length - 1] = 1; // It is still there.
    kept = new byte[0];
    Footprint without = Footprint.now();
    assertThat(kept).isEmpty();
    assertThat(with.since(without).heapBytes()).isBetween(7L << 20, 10L << 20);
    assertThat(with.since(without).mapBytes()).isZero();
  }
}
