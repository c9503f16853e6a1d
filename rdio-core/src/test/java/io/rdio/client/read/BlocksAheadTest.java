// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.ReadGeometry;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A file that has one block again and again: the block behind it is itself. */
class BlocksAheadTest {
  private static final int LENGTH = 4 << 20;
  private static final int READ = 256 << 10;

  private final TestBlock block =
      new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private final ReadFixture fixture = new ReadFixture(block, 4096);

  @BeforeEach
  void anotherBlockFollows() throws Exception {
    fixture.maps.followedBy(fixture.maps.get(block.request));
  }

  /** Reads all of the block from its start, and closes. */
  private void readThrough(ReadFixture in) throws FallbackException {
    try (ExtentReader reader = in.reader()) {
      byte[] got = new byte[READ];
      for (int at = 0; at < LENGTH; at += READ) {
        reader.read(at, got, 0, READ);
        assertThat(got).isEqualTo(block.range(at, READ));
      }
    }
  }

  private long begun() {
    return fixture.counters.blocksAhead.sum();
  }

  private long used() {
    return fixture.counters.blocksAheadUsed.sum();
  }

  @Test
  void nextReaderTakesUpWhatTheLastOneBegan() throws Exception {
    readThrough(fixture);
    assertThat(begun()).isEqualTo(1);
    assertThat(fixture.windows.lentBytes()).isGreaterThanOrEqualTo(ReadGeometry.NEXT_BLOCK);
    long before = fixture.counters.deviceBytes.sum();
    readThrough(fixture);
    assertThat(used()).isEqualTo(1);
    // Its own end has begun the third.
    assertThat(begun()).isEqualTo(2);
    assertThat(fixture.counters.deviceBytes.sum() - before)
        .as("nothing is read twice")
        .isLessThan(LENGTH + LENGTH / 8);
  }

  /** Though most of them ask for nothing that is not here. */
  @Test
  void smallReadsOfALongRunBeginItToo() throws Exception {
    byte[] got = new byte[4096];
    try (ExtentReader reader = fixture.reader()) {
      for (int at = 0; at < LENGTH; at += got.length) {
        reader.read(at, got, 0, got.length);
      }
    }
    assertThat(begun()).isEqualTo(1);
  }

  @Test
  void soDoesARunWhoseEndCameByAnotherWay() throws Exception {
    byte[] got = new byte[READ];
    try (ExtentReader reader = fixture.reader()) {
      for (int at = 0; at < LENGTH / 2; at += READ) {
        reader.read(at, got, 0, READ);
      }
      assertThat(begun()).isZero();
      reader.cameElsewhere(LENGTH / 2, LENGTH / 2);
    }
    assertThat(begun()).isEqualTo(1);
  }

  @Test
  void aRunThatGoesOnByAnotherWayBeginsNothing() throws Exception {
    byte[] got = new byte[READ];
    try (ExtentReader reader = fixture.reader()) {
      reader.goesOnByDevice(false);
      for (int at = 0; at < LENGTH - 2 * READ; at += READ) {
        reader.read(at, got, 0, READ);
      }
      reader.cameElsewhere(LENGTH - 2L * READ, READ);
      assertThat(begun()).isZero();
      reader.goesOnByDevice(true);
      reader.cameElsewhere(LENGTH - READ, READ);
      assertThat(begun()).as("it has changed its mind").isEqualTo(1);
    }
  }

  @Test
  void shortReadsBeginNothing() throws Exception {
    byte[] got = new byte[READ];
    try (ExtentReader positional = fixture.reader()) {
      positional.read(LENGTH - READ, got, 0, READ);
    }
    try (ExtentReader shortRun = fixture.reader()) {
      shortRun.read(LENGTH - READ, got, 0, 1000);
      shortRun.read(LENGTH - READ + 1000, got, 0, READ - 1000);
    }
    try (ExtentReader stopsEarly =
        ExtentReader.open(fixture.context, block.request, true, LENGTH - 1)) {
      for (int at = 0; at < LENGTH - READ; at += READ) {
        stopsEarly.read(at, got, 0, READ);
      }
      stopsEarly.read(LENGTH - READ, got, 0, READ - 1);
    }
    assertThat(begun()).isZero();
  }

  @Test
  void positionalReadLeavesItToWhoReadsInOrder() throws Exception {
    readThrough(fixture);
    byte[] got = new byte[1000];
    try (ExtentReader positional =
        ExtentReader.open(fixture.context, block.request, true, got.length)) {
      positional.read(0, got, 0, got.length);
    }
    assertThat(used()).isZero();
    fixture.reader().close();
    assertThat(used()).isEqualTo(1);
  }

  @Test
  void whatWasReadByAnotherMapIsNotUsed() throws Exception {
    readThrough(fixture);
    FileMap first = fixture.maps.get(block.request);
    fixture.maps.then(block.map(fixture.clock));
    Lease.of(first).end();
    readThrough(fixture);
    assertThat(used()).isZero();
  }

  @Test
  void leaseThatEndsMeanwhileMakesTheReaderReadAnew() throws Exception {
    readThrough(fixture);
    fixture.maps.then(block.map(fixture.clock));
    try (ExtentReader reader = fixture.reader()) {
      assertThat(used()).isEqualTo(1);
      Lease.of(fixture.maps.get(block.request)).end();
      byte[] got = new byte[READ];
      reader.read(0, got, 0, READ);
      assertThat(got).isEqualTo(block.range(0, READ));
    }
  }

  @Test
  void whatNobodyTakesUpIsGivenBack() throws Exception {
    readThrough(fixture);
    await().until(() -> fixture.windows.lentBytes() == 0);
    assertThat(used()).isZero();
  }

  @Test
  void closeGivesBackWhatIsThereAndBeginsNothingMore() throws Exception {
    readThrough(fixture);
    fixture.context.blocksAhead().close();
    assertThat(fixture.windows.lentBytes()).isZero();
    readThrough(fixture);
    assertThat(begun()).isEqualTo(1);
  }

  @Test
  void nothingIsBegunWhereMemoryIsScarce() throws Exception {
    ReadFixture scarce = new ReadFixture(block, 4096, 8L << 20);
    scarce.maps.followedBy(scarce.maps.get(block.request));
    readThrough(scarce);
    assertThat(scarce.counters.blocksAhead.sum()).isZero();
  }

  @Test
  void nothingIsBegunWithoutAQueue() throws Exception {
    ReadFixture plain = new ReadFixture(block, 4096, ReadPools.withoutQueues(ReadFixture.MEMORY));
    plain.maps.followedBy(plain.maps.get(block.request));
    readThrough(plain);
    assertThat(plain.counters.blocksAhead.sum()).isZero();
    assertThat(plain.windows.lentBytes()).isZero();
  }
}
