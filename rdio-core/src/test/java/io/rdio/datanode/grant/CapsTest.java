// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No client and no deletion takes more than its share. */
final class CapsTest {
  @TempDir Path root;
  private GrantFixture fixture;

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
  }

  private static GrantConfig.Builder config() {
    return GrantConfig.builder().maxIoMillis(0).batchMax(16);
  }

  private void startWith(int pins, long deletedBytes, int leases) {
    fixture.start(
        config()
            .pinsPerVolume(pins)
            .pinnedDeletedBytesPerVolume(deletedBytes)
            .leasesPerAddress(leases)
            .build());
  }

  @Test
  void fullVolumeRecallsTheLeastRecentlyGranted() {
    startWith(2, 1 << 20, 100);
    BlockKey one = fixture.hdfs.write(1, 100);
    BlockKey two = fixture.hdfs.write(2, 100);
    BlockKey three = fixture.hdfs.write(3, 100);
    fixture.lease("a", one);
    long leaseOfTwo = fixture.lease("a", two);
    fixture.lease("b", one);
    List<Long> recalled = fixture.recallsOf("a");

    assertThat(fixture.refusal("b", three)).isEqualTo(FallbackReason.PIN_LIMIT);
    assertThat(recalled).containsExactly(leaseOfTwo);
    assertThat(fixture.refusal("b", two)).isEqualTo(FallbackReason.RECALL_PENDING);
    assertThat(fixture.service.volumes().get(0).pinnedDeletedBytes()).isZero();

    fixture.giveBack("a", leaseOfTwo);
    assertThat(fixture.lease("b", three)).isNotZero();
    assertThat(fixture.service.volumes().get(0).pins()).isEqualTo(2);
  }

  @Test
  void whoKeepsDeletedBlocksOnAVolumeFullOfThemGetsNoMoreThereAndOthersDo() {
    startWith(100, 1000, 100);
    BlockKey small = fixture.hdfs.write(1, 100);
    BlockKey large = fixture.hdfs.write(2, 1000);
    fixture.lease("b", small);
    long lease = fixture.lease("a", large);
    fixture.hdfs.delete(large);
    fixture.service.sweep();

    assertThat(fixture.refusal("a", small)).isEqualTo(FallbackReason.PIN_LIMIT);
    assertThat(fixture.refusal("a", fixture.hdfs.write(3, 1))).isEqualTo(FallbackReason.PIN_LIMIT);
    assertThat(fixture.lease("c", small)).isNotZero();
    assertThat(fixture.lease("c", fixture.hdfs.write(4, 1))).isNotZero();

    fixture.giveBack("a", lease);
    assertThat(fixture.lease("a", small)).isNotZero();
  }

  @Test
  void deletedLeftoversOfAnEarlierStartCount() {
    BlockKey block = fixture.hdfs.write(1, 2000);
    fixture.lease("a", block);
    fixture.hdfs.delete(block);

    startWith(100, 1000, 100);

    assertThat(fixture.refusal("a", fixture.hdfs.write(2, 1))).isEqualTo(FallbackReason.PIN_LIMIT);
  }

  @Test
  void clientWithAllItsLeasesGetsNoMore() {
    startWith(100, 1 << 20, 2);
    long first = fixture.lease("a", fixture.hdfs.write(1, 100));
    fixture.lease("a", fixture.hdfs.write(2, 100));
    BlockKey third = fixture.hdfs.write(3, 100);

    assertThat(fixture.refusal("a", third)).isEqualTo(FallbackReason.LEASE_LIMIT);
    assertThat(fixture.lease("b", third)).isNotZero();
    fixture.giveBack("a", first);
    assertThat(fixture.lease("a", third)).isNotZero();
  }

  @Test
  void clientThatCallsItselfByEverNewNamesGetsNoMore() {
    startWith(100, 1 << 20, 2);
    Holder first = new Holder("name 1", "10.0.0.1");
    fixture.grant(first, fixture.hdfs.write(1, 100));
    fixture.grant(new Holder("name 2", "10.0.0.1"), fixture.hdfs.write(2, 100));
    BlockKey third = fixture.hdfs.write(3, 100);

    assertThat(fixture.grant(new Holder("name 3", "10.0.0.1"), third))
        .isEqualTo(new GrantResult.Refused(FallbackReason.LEASE_LIMIT, "10.0.0.1 holds 2 leases"));
    assertThat(fixture.service.counters().refusals(FallbackReason.LEASE_LIMIT)).isEqualTo(1);
    assertThat(fixture.grant(new Holder("name 1", "10.0.0.2"), third))
        .isInstanceOf(GrantResult.Granted.class);
  }

  @Test
  void bytesUnderLeaseAreBoundedByAddress() {
    fixture.start(config().pinnedBytesPerAddress(1000).build());
    BlockKey large = fixture.hdfs.write(1, 2000);
    BlockKey small = fixture.hdfs.write(2, 10);
    long lease = fixture.lease("a", large);

    assertThat(fixture.grant("a", small))
        .isEqualTo(
            new GrantResult.Refused(
                FallbackReason.LEASE_LIMIT, "address of a holds leases on 2023 bytes of blocks"));
    assertThat(fixture.lease("b", small)).isNotZero();

    fixture.giveBack("a", lease);
    assertThat(fixture.lease("a", small)).isNotZero();
    fixture.lease("a", large);
    fixture.pass(120_000);
    fixture.service.sweep();
    assertThat(fixture.lease("a", small)).isNotZero();
  }

  @Test
  void pinnedBlocksOfARequestAreCountedOnce() {
    startWith(100, 1 << 20, 4);
    List<BlockAsk> asks =
        List.of(
            FakeHdfs.ask(fixture.hdfs.write(1, 1)),
            FakeHdfs.ask(fixture.hdfs.write(2, 1)),
            FakeHdfs.ask(fixture.hdfs.write(3, 1)),
            FakeHdfs.ask(fixture.hdfs.write(4, 1)));
    fixture.service.grant(GrantFixture.holder("b"), asks, () -> false);

    assertThat(fixture.service.grant(GrantFixture.holder("a"), asks, () -> false))
        .allMatch(GrantResult.Granted.class::isInstance);
  }

  @Test
  void oneRequestStaysWithinTheLeaseLimit() {
    startWith(100, 1 << 20, 2);
    List<BlockAsk> asks =
        List.of(
            FakeHdfs.ask(fixture.hdfs.write(1, 1)),
            FakeHdfs.ask(fixture.hdfs.write(2, 1)),
            FakeHdfs.ask(fixture.hdfs.write(3, 1)));

    assertThat(fixture.service.grant(GrantFixture.holder("a"), asks, () -> false))
        .map(GrantResult.Granted.class::isInstance)
        .containsExactly(true, true, false);
  }

  @Test
  void senselessLimitsAreRefusedWithTheirValue() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config().leaseMillis(5))
        .withMessageContaining("5 ms")
        .withMessageContaining("1s or more");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config().pinsPerVolume(0))
        .withMessageContaining("pins per volume is 0");
  }
}
