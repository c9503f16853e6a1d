// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import org.junit.jupiter.api.Test;

/** Runs of which some bytes come by another way. */
final class RunElsewhereTest {
  private static final int LENGTH = 8 << 20;
  private static final int RUN = 2 << 20;
  private static final int READ = 64 << 10;
  private static final int ELSEWHERE = 512 << 10;

  private final TestBlock block =
      new TestBlock(6, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, Integer.MAX_VALUE);
  private final ReadFixture fixture = new ReadFixture(block, 512);

  private void read(ExtentReader reader, int from, int to) throws FallbackException {
    byte[] got = new byte[READ];
    for (int at = from; at < to; at += READ) {
      reader.read(at, got, 0, READ);
      assertThat(got).isEqualTo(block.range(at, READ));
    }
  }

  @Test
  void whatWasReadAheadOutlivesThem() throws Exception {
    try (ExtentReader reader = fixture.reader()) {
      read(reader, 0, RUN);
      long ahead = fixture.windows.lentBytes();
      assertThat(ahead).isGreaterThan(RUN / 2);

      reader.cameElsewhere(RUN, ELSEWHERE);
      read(reader, RUN + ELSEWHERE, RUN + ELSEWHERE + READ);
      assertThat(fixture.windows.lentBytes()).isGreaterThan(ahead / 2);

      read(reader, RUN + ELSEWHERE + READ, LENGTH);
    }
    assertThat(fixture.counters.deviceBytes.sum())
        .as("no byte twice, but for what shares a block with others")
        .isLessThan(LENGTH + LENGTH / 16);
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  /** So the case before is not one that holds anyway. */
  @Test
  void aReaderThatGoesElsewhereByItselfKeepsNothing() throws Exception {
    try (ExtentReader reader = fixture.reader()) {
      read(reader, 0, RUN);
      read(reader, RUN + ELSEWHERE, RUN + ELSEWHERE + READ);
      assertThat(fixture.windows.lentBytes()).isZero();
    }
  }

  @Test
  void bytesFromOtherPlacesSayNothingOfTheRun() throws Exception {
    try (ExtentReader reader = fixture.reader()) {
      read(reader, 0, RUN);
      long ahead = fixture.windows.lentBytes();
      reader.cameElsewhere(RUN + READ, ELSEWHERE);
      read(reader, RUN, RUN + READ);
      assertThat(fixture.windows.lentBytes()).isGreaterThan(ahead / 2);
    }
  }
}
