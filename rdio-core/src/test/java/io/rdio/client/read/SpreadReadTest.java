// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.client.read.ReplicatedBlock.LENGTH;
import static io.rdio.client.read.ReplicatedBlock.READ;
import static io.rdio.client.read.ReplicatedBlock.REPLICAS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Readers of a block with replicas on three devices that read by all of them. */
final class SpreadReadTest {
  /** Small: with -Xcheck:jni each read copies the whole array that it writes to. */
  private final byte[] got = new byte[READ];

  private ReplicatedBlock replicas;
  private TestBlock block;
  private ReadFixture fixture;
  private ReadContext context;

  @BeforeEach
  void placeReplicas() throws FallbackException {
    replicas = new ReplicatedBlock();
    block = replicas.block;
    fixture = replicas.fixture;
    context = replicas.context;
  }

  private void readAll() throws FallbackException {
    try (ExtentReader reader = ExtentReader.open(context, block.request, true, LENGTH)) {
      readAll(reader);
    }
  }

  private void readAll(ExtentReader reader) throws FallbackException {
    for (int at = 0; at < LENGTH; at += READ) {
      reader.read(at, got, 0, READ);
      assertThat(Arrays.equals(got, 0, READ, block.bytes, at, at + READ)).isTrue();
    }
  }

  private void assertRejected(FallbackReason... reasons) {
    assertThat(replicas.rejections()).containsExactly(reasons);
  }

  @Test
  void windowsGoWhereTheyAreBackFirst() throws Exception {
    replicas.take(4_000_000, 1_000_000, 4_000_000);
    readAll();
    assertThat(replicas.reads(1)).isGreaterThan(3 * (replicas.reads(0) + replicas.reads(2)));
    assertRejected();
  }

  @Test
  void aDeviceThatIsNotKnownYetIsTried() throws Exception {
    replicas.take(1_000_000);
    readAll();
    assertThat(replicas.reads(1) + replicas.reads(2)).isPositive();
  }

  /** So that it is not taken for the device's, which may have had to be opened. */
  @Test
  void readerTellsWhatItsSearchesTook() throws Exception {
    try (ExtentReader reader = ExtentReader.open(context, block.request, true, LENGTH)) {
      assertThat(reader.searchNanos()).isZero();
      reader.read(0, got, 0, READ);
      long found = reader.searchNanos();
      assertThat(found).isPositive();
      readAll(reader);
      assertThat(reader.searchNanos()).as("all are known").isEqualTo(found);
    }
  }

  @Test
  void oneOfEachBlockIsReadByOne() throws Exception {
    fixture.maps.reject(replicas.maps.get(1), FallbackReason.LEASE_EXPIRED);
    fixture.maps.reject(replicas.maps.get(2), FallbackReason.LEASE_EXPIRED);
    readAll();
    assertThat(replicas.reads(1) + replicas.reads(2)).isZero();
  }

  @Test
  void theReplicaThatIsCorruptIsBlamedAndNoOther() throws Exception {
    replicas.take(4_000_000, 1_000_000, 4_000_000);
    replicas.corrupt(1);
    ExtentReader reader = ExtentReader.open(context, block.request, true, LENGTH);
    readAll(reader);
    assertRejected(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(reader.takeSuspect()).isSameAs(replicas.maps.get(1));
    reader.close();
  }

  @Test
  void oneGoodReplicaIsEnough() throws Exception {
    replicas.take(1_000_000, 1_000_000, 1_000_000);
    replicas.corrupt(0);
    replicas.corrupt(1);
    byte[] chunk = new byte[512];
    List<FileMap> suspects = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      try (ExtentReader reader =
          ExtentReader.open(context, block.request, true, LENGTH / 2 + chunk.length)) {
        reader.read(LENGTH / 2, chunk, 0, chunk.length);
        for (FileMap map = reader.takeSuspect(); map != null; map = reader.takeSuspect()) {
          suspects.add(map);
        }
      }
      assertThat(chunk).isEqualTo(block.range(LENGTH / 2, chunk.length));
    }
    assertThat(replicas.reads(2)).isPositive();
    assertThat(suspects)
        .as("each that was wrong is told")
        .hasSize((int) context.counters().checksumMismatches.sum())
        .doesNotHaveDuplicates()
        .doesNotContain(replicas.maps.get(2));
  }

  @Test
  void whereAllLookBadNobodyIsSuspected() throws Exception {
    for (int i = 0; i < 3; i++) {
      replicas.corrupt(i);
    }
    byte[] chunk = new byte[512];
    try (ExtentReader reader =
        ExtentReader.open(context, block.request, true, LENGTH / 2 + chunk.length)) {
      assertThatThrownBy(() -> reader.read(LENGTH / 2, chunk, 0, chunk.length))
          .isInstanceOf(FallbackException.class);
      assertThat(context.counters().checksumMismatches.sum()).isGreaterThan(1);
      assertThat(reader.takeSuspect()).isNull();
    }
  }

  @Test
  void aDeviceThatDoesNotAnswerIsLeftAtOnce() throws Exception {
    replicas.take(4_000_000, 1_000_000, 4_000_000);
    replicas.devices.get(1).answers(false);
    readAll();
    assertRejected(FallbackReason.DEVICE_TIMEOUT);
    assertThat(replicas.reads(1)).isZero();
  }

  @Test
  void theReadersOwnDeviceMayBeTheOneThatDoesNotAnswer() throws Exception {
    replicas.devices.get(0).answers(false);
    readAll();
    assertRejected(FallbackReason.DEVICE_TIMEOUT);
    assertThat(replicas.reads(0)).isZero();
  }

  @Test
  void positionalReadsSeeEachReplica() throws Exception {
    replicas.take(1_000_000, 1_000_000, 1_000_000);
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      int at = random.nextInt(LENGTH - 4096);
      try (ExtentReader reader = ExtentReader.open(context, block.request, true, at + 4096)) {
        reader.read(at, got, 0, 4096);
      }
      assertThat(Arrays.equals(got, 0, 4096, block.bytes, at, at + 4096)).isTrue();
    }
    int all = replicas.reads(0) + replicas.reads(1) + replicas.reads(2);
    for (int i = 0; i < REPLICAS; i++) {
      assertThat((double) replicas.reads(i) / all).isEqualTo(1.0 / REPLICAS, within(0.1));
    }
  }

  /** Of another length, it would be of another version of the block. */
  @Test
  void aReplicaThatIsNotLikeTheFirstIsNotReadBy() throws Exception {
    fixture.maps.reject(replicas.maps.get(1), FallbackReason.LEASE_EXPIRED);
    fixture.maps.reject(replicas.maps.get(2), FallbackReason.LEASE_EXPIRED);
    long now = fixture.clock.nanos();
    Lease lease = new Lease(9, 1, now, now + TestBlock.LEASE.toNanos());
    int longer = LENGTH + 512;
    fixture.maps.then(
        block.map(
            replicas.maps.get(2).device(),
            longer,
            ExtentList.of(new long[] {0}, new long[] {longer}),
            lease));
    readAll();
    assertThat(replicas.reads(2)).isZero();
  }
}
