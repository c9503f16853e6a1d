// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static io.rdio.datanode.grant.GrantFixture.IO_MILLIS;
import static io.rdio.datanode.grant.GrantFixture.LEASE_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long leases and pins live, and what ends them. */
final class LeaseLifeTest {
  @TempDir Path root;
  private GrantFixture fixture;

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
  }

  @Test
  void pinOutlivesItsLastLeaseByTheLongestRead() {
    fixture.lease("a", fixture.hdfs.write(1, 100));

    fixture.pass(LEASE_MILLIS + IO_MILLIS);
    fixture.service.sweep();
    assertThat(fixture.links()).hasSize(2);

    fixture.pass(1);
    fixture.service.sweep();
    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.service.leaseCount()).isZero();
    assertThat(fixture.service.volumes().get(0).pinnedBytes()).isZero();
  }

  @Test
  void renewalGivesAWholeNewTerm() {
    long lease = fixture.lease("a", fixture.hdfs.write(1, 100));

    fixture.pass(LEASE_MILLIS - 1);
    assertThat(fixture.renew("a", lease)).isEqualTo(LEASE_MILLIS);
    fixture.pass(LEASE_MILLIS + IO_MILLIS);
    fixture.service.sweep();

    assertThat(fixture.links()).hasSize(2);
  }

  @Test
  void leaseThatRanOutIsNotRenewedThoughItsPinIsThere() {
    long lease = fixture.lease("a", fixture.hdfs.write(1, 100));

    fixture.pass(LEASE_MILLIS);

    assertThat(fixture.renew("a", lease)).isZero();
    assertThat(fixture.links()).hasSize(2);
  }

  @Test
  void onlyTheHolderRenewsAndReturns() {
    long lease = fixture.lease("a", fixture.hdfs.write(1, 100));

    assertThat(fixture.renew("b", lease)).isZero();
    assertThat(fixture.service.renew("a", fixture.service.incarnation() + 1, new long[] {lease}))
        .containsExactly(0);
    fixture.giveBack("b", lease);
    fixture.service.giveBack("a", fixture.service.incarnation() + 1, new long[] {lease});
    fixture.giveBack("a", lease + 1);

    assertThat(fixture.links()).hasSize(2);
    assertThat(fixture.renew("a", lease)).isEqualTo(LEASE_MILLIS);
  }

  @Test
  void pinGoesWithTheLastReturn() {
    BlockKey block = fixture.hdfs.write(1, 100);
    long first = fixture.lease("a", block);
    long second = fixture.lease("b", block);

    fixture.giveBack("a", first);
    fixture.giveBack("a", first);
    assertThat(fixture.links()).hasSize(2);
    fixture.giveBack("b", second);

    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.hdfs.replica(block).blockFile()).exists();
  }

  @Test
  void deletedBlockIsRecalledAndNotGrantedUntilItsPinIsGone() {
    BlockKey block = fixture.hdfs.write(1, 100);
    long lease = fixture.lease("a", block);
    List<Long> recalled = fixture.recallsOf("a");

    BlockKey appended = fixture.hdfs.append(block, 200);
    fixture.service.sweep();

    assertThat(recalled).containsExactly(lease);
    assertThat(fixture.renew("a", lease)).isZero();
    assertThat(fixture.refusal("b", block)).isEqualTo(FallbackReason.RECALL_PENDING);
    assertThat(fixture.refusal("b", appended)).isEqualTo(FallbackReason.RECALL_PENDING);
    assertThat(fixture.service.volumes().get(0).pinnedDeletedBytes()).isEqualTo(100 + 7 + 4);
    assertThat(fixture.links()).hasSize(2);

    fixture.giveBack("a", lease);
    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.service.volumes().get(0).pinnedDeletedBytes()).isZero();
    assertThat(fixture.lease("b", appended)).isNotZero();
  }

  @Test
  void requestForADeletedBlockRecallsItWithoutWaitingForTheSweep() {
    BlockKey block = fixture.hdfs.write(1, 100);
    long lease = fixture.lease("a", block);
    List<Long> recalled = fixture.recallsOf("a");
    fixture.hdfs.delete(block);

    assertThat(fixture.refusal("b", block)).isEqualTo(FallbackReason.RECALL_PENDING);
    assertThat(recalled).containsExactly(lease);
  }

  @Test
  void fileReplacedBehindTheDataNodesMemoryIsRecalled() {
    BlockKey block = fixture.hdfs.write(1, 100);
    long lease = fixture.lease("a", block);
    List<Long> recalled = fixture.recallsOf("a");

    fixture.hdfs.replaceFile(block);
    fixture.service.sweep();
    fixture.service.sweep();

    assertThat(recalled).containsExactly(lease);
  }

  @Test
  void recallsWaitForTheirClient() {
    BlockKey block = fixture.hdfs.write(1, 100);
    long lease = fixture.lease("a", block);
    fixture.lease("b", block);
    fixture.hdfs.delete(block);
    fixture.service.sweep();

    assertThat(fixture.recallsOf("a")).containsExactly(lease);
    assertThat(fixture.service.counters().recalls()).isEqualTo(2);
  }

  @Test
  void unansweredRecallEndsWithTheTerm() {
    BlockKey block = fixture.hdfs.write(1, 100);
    fixture.lease("a", block);
    fixture.hdfs.delete(block);
    fixture.service.sweep();

    fixture.pass(LEASE_MILLIS + IO_MILLIS + 1);
    fixture.service.sweep();

    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.refusal("b", block)).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
  }

  @Test
  void volumeThatGoesAwayIsRecalledAndItsPinsAreLeftoversWhenItComesBack() {
    BlockKey block = fixture.hdfs.write(1, 100);
    long lease = fixture.lease("a", block);
    List<Long> recalled = fixture.recallsOf("a");

    fixture.hdfs.unmount();
    fixture.service.sweep();
    assertThat(recalled).containsExactly(lease);
    assertThat(fixture.service.volumes()).isEmpty();

    fixture.hdfs.mount();
    fixture.service.sweep();
    assertThat(fixture.renew("a", lease)).isZero();
    assertThat(fixture.links()).hasSize(2);
    fixture.pass(LEASE_MILLIS + IO_MILLIS + 1);
    fixture.service.sweep();
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void nextIncarnationHonoursPinsForTheirOwnTermNotForItsOwn() throws IOException {
    BlockKey block = fixture.hdfs.write(1, 100);
    long lease = fixture.lease("a", block);
    long before = fixture.service.incarnation();
    Files.createLink(
        root.resolve("rdio/pins/90000/half-made.data"), fixture.hdfs.replica(block).blockFile());
    fixture.hdfs.delete(block);

    fixture.start(GrantConfig.builder().leaseMillis(1_000).maxIoMillis(0).build());

    assertThat(fixture.service.incarnation()).isNotEqualTo(before);
    assertThat(fixture.service.renew("a", before, new long[] {lease})).containsExactly(0);
    assertThat(fixture.renew("a", lease)).isZero();
    fixture.giveBack("a", lease);
    fixture.pass(LEASE_MILLIS + IO_MILLIS - 1);
    fixture.service.sweep();
    assertThat(fixture.links()).hasSize(3);
    fixture.pass(1);
    fixture.service.sweep();
    assertThat(fixture.links()).isEmpty();
  }

  /** W15: a committed block's file may have a link more, by which it is to be a slot again. */
  @Test
  void nextIncarnationCountsDeletedBlocksWhoseFilesAreKept() throws IOException {
    BlockKey block = fixture.hdfs.write(1, 100);
    fixture.lease("a", block);
    Path kept = Files.createDirectories(root.resolve("rdio/slots/kept"));
    Files.createLink(kept.resolve("its slot"), fixture.hdfs.replica(block).blockFile());
    fixture.start(GrantFixture.CONFIG);
    assertThat(fixture.service.volumes().get(0).pinnedDeletedBytes()).isZero();

    fixture.hdfs.delete(block);
    fixture.start(GrantFixture.CONFIG);

    assertThat(fixture.service.volumes().get(0).pinnedDeletedBytes()).isEqualTo(100 + 7 + 4);
  }

  @Test
  void blockWithALeftoverIsPinnedAnew() {
    BlockKey block = fixture.hdfs.write(1, 100);
    fixture.lease("a", block);
    fixture.start(GrantFixture.CONFIG);

    long lease = fixture.lease("a", block);
    assertThat(fixture.links()).hasSize(4);
    fixture.pass(LEASE_MILLIS - 1);
    assertThat(fixture.renew("a", lease)).isEqualTo(LEASE_MILLIS);
    fixture.pass(IO_MILLIS + 2);
    fixture.service.sweep();

    assertThat(fixture.links()).hasSize(2);
    assertThat(fixture.renew("a", lease)).isEqualTo(LEASE_MILLIS);
  }

  @Test
  void leasesAreListedInPagesByNumber() {
    for (int id = 1; id <= 5; id++) {
      fixture.lease("a", fixture.hdfs.write(id, 100));
    }
    long last = fixture.lease("b", FakeHdfs.block(5));
    List<LeaseInfo> first = fixture.service.leases(0, 2);
    assertThat(first).extracting(info -> info.block().blockId()).containsExactly(1L, 2L);

    fixture.giveBack("b", last);
    long after = first.get(1).number();
    assertThat(fixture.service.leases(after, 2))
        .extracting(info -> info.block().blockId())
        .containsExactly(3L, 4L);
    assertThat(fixture.service.leases(after, 100)).hasSize(3);
    assertThat(fixture.service.leases(after + 3, 100)).isEmpty();
    assertThat(fixture.service.leases()).hasSize(5);
  }
}
