// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static io.rdio.client.filemap.FileMapCacheFixture.MARGIN;
import static io.rdio.client.filemap.FileMapCacheFixture.TERM;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.grpc.Status;
import io.rdio.client.plane.ChunkCrcs;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.testing.Patience;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FileMapCacheTest {
  private FileMapCacheFixture fixture = new FileMapCacheFixture();

  @Test
  void mapOfTheFollowingBlockIsLoadedBehindWhoWillNeedIt() throws Exception {
    fixture.file(List.of(1L, 2L), "a");
    fixture.get(1);
    assertThat(fixture.cache.following(FileMapCacheFixture.request(1)))
        .as("nobody waits for it")
        .isNull();
    FileMap map = fixture.cache.following(FileMapCacheFixture.request(1));
    assertThat(map).isNotNull();
    assertThat(map.block()).isEqualTo(FileMapCacheFixture.key(2));
    assertThat(fixture.get(2)).isSameAs(map);
    assertThat(fixture.counters.mapMisses.sum()).as("the two loads").isEqualTo(2);
    assertThat(fixture.cache.following(FileMapCacheFixture.request(2)))
        .as("nothing is known behind it")
        .isNull();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void loadsOnceHoweverManyReadersWait() throws Exception {
    fixture.file(List.of(1L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    dataNode.holdGrants = true;
    ExecutorService readers = Executors.newFixedThreadPool(8);
    try {
      List<Future<FileMap>> results = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        results.add(readers.submit(() -> fixture.get(1)));
      }
      await().until(() -> fixture.counters.mapMisses.sum() == 8 && !dataNode.heldAnswers.isEmpty());
      dataNode.answerHeld();
      FileMap first = results.get(0).get();
      for (Future<FileMap> result : results) {
        assertThat(result.get()).isSameAs(first);
      }
      assertThat(dataNode.grants).hasSize(1);
    } finally {
      readers.shutdownNow();
    }
  }

  @Test
  void aSlowDataNodeHoldsUpNoOtherBlock() throws Exception {
    fixture.file(List.of(1L), "slow");
    fixture.file(List.of(2L), "fast");
    fixture.dataNode("slow").holdGrants = true;
    ExecutorService reader = Executors.newSingleThreadExecutor();
    try {
      Future<FileMap> waiting = reader.submit(() -> fixture.get(1));
      await().until(() -> !fixture.dataNode("slow").heldAnswers.isEmpty());
      assertThat(fixture.isValid(fixture.get(2))).isTrue();
      assertThat(waiting.isDone()).isFalse();
      fixture.dataNode("slow").answerHeld();
      assertThat(fixture.isValid(waiting.get())).isTrue();
    } finally {
      reader.shutdownNow();
    }
  }

  @Test
  void leaseIsCountedFromBeforeTheRequestLessTheMargin() throws Exception {
    fixture.file(List.of(1L), "a");
    Duration answerTime = Duration.ofSeconds(5);
    fixture.dataNode("a").beforeGrantAnswer = () -> fixture.advance(answerTime);
    FileMap map = fixture.get(1);
    assertThat(map.guard().remainingNanos(fixture.nanos()))
        .isEqualTo(TERM.minus(MARGIN).minus(answerTime).toNanos());
  }

  @Test
  void aLeaseThatRanOutOnTheWayIsNotUsed() {
    fixture.file(List.of(1L), "a");
    fixture.dataNode("a").beforeGrantAnswer = () -> fixture.advance(TERM.minus(MARGIN));
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.LEASE_EXPIRED);
  }

  @Test
  void accessDoesNotProlongAMap() throws Exception {
    fixture.file(List.of(1L), "a");
    FileMap map = fixture.get(1);
    Duration step = TERM.minus(MARGIN).dividedBy(10);
    for (int i = 1; i < 10; i++) {
      fixture.advance(step);
      assertThat(fixture.get(1)).isSameAs(map);
    }
    fixture.advance(step);
    assertThat(fixture.isValid(map)).isFalse();
    assertThat(fixture.get(1)).isNotSameAs(map);
    assertThat(fixture.dataNode("a").grants).hasSize(2);
    assertThat(fixture.counters.mapHits.sum()).isEqualTo(9);
  }

  @Test
  void aMapInUseIsRenewedPastHalfOfItsTerm() throws Exception {
    fixture.file(List.of(1L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    FileMap map = fixture.get(1);
    for (int i = 0; i < 10; i++) {
      fixture.advance(TERM.dividedBy(3));
      assertThat(fixture.get(1)).as("after %s thirds of a term", i + 1).isSameAs(map);
      fixture.cache.tend();
    }
    assertThat(dataNode.grants).hasSize(1);
    assertThat(dataNode.renewals).hasSize(5);
    assertThat(fixture.cache.size()).isEqualTo(1);
  }

  @Test
  void renewalIsCountedFromBeforeItWasSent() throws Exception {
    fixture.file(List.of(1L), "a");
    FileMap map = fixture.get(1);
    fixture.advance(TERM.dividedBy(2));
    fixture.get(1);
    fixture.cache.tend();
    assertThat(map.guard().remainingNanos(fixture.nanos())).isEqualTo(TERM.minus(MARGIN).toNanos());
  }

  @Test
  void anIdleMapRunsOutAndIsReturned() throws Exception {
    fixture.file(List.of(1L), "a");
    FileMap map = fixture.get(1);
    fixture.advance(TERM.multipliedBy(2).dividedBy(3));
    fixture.cache.tend();
    assertThat(fixture.dataNode("a").renewals).isEmpty();
    fixture.advance(TERM.dividedBy(3));
    fixture.cache.tend();
    assertThat(fixture.dataNode("a").returned).containsExactly(Lease.of(map).id());
    assertThat(fixture.cache.leasesHeld()).isZero();
  }

  @Test
  void aLeaseThatTheDataNodeDoesNotKnowIsDropped() throws Exception {
    fixture.file(List.of(1L), "a");
    FileMap map = fixture.get(1);
    fixture.dataNode("a").renewMillis = 0;
    fixture.advance(TERM.dividedBy(2));
    fixture.get(1);
    fixture.cache.tend();
    assertThat(fixture.isValid(map)).isFalse();
    assertThat(fixture.get(1)).isNotSameAs(map);
    fixture.cache.tend();
    assertThat(fixture.dataNode("a").returned).containsExactly(Lease.of(map).id());
  }

  @Test
  void aFailedRenewalIsTriedAgainBeforeTheLeaseRunsOut() throws Exception {
    fixture.file(List.of(1L), "a");
    FileMap map = fixture.get(1);
    fixture.advance(TERM.dividedBy(2));
    fixture.get(1);
    fixture.dataNode("a").failure = Status.UNAVAILABLE;
    long pause = fixture.cache.tend();
    fixture.dataNode("a").failure = null;
    fixture.advance(Duration.ofNanos(pause));
    fixture.cache.tend();
    assertThat(fixture.dataNode("a").renewals).hasSize(2);
    assertThat(map.guard().remainingNanos(fixture.nanos())).isEqualTo(TERM.minus(MARGIN).toNanos());
  }

  @Test
  void rejectedMapsAreToldOfButNotThoseThatRanOut() throws Exception {
    fixture.file(List.of(1L), "a");
    FileMap first = fixture.get(1);
    fixture.advance(TERM);
    FileMap second = fixture.get(1);
    fixture.cache.tend();
    assertThat(fixture.isValid(first)).isFalse();
    assertThat(fixture.withdrawn).isEmpty();
    fixture.cache.reject(second, FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.withdrawn).containsExactly(second);
  }

  @Test
  void closingDoesNotCutOffAReturnUnderWay() throws Exception {
    fixture.file(List.of(1L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    dataNode.holdReturns = true;
    fixture.cache.reject(fixture.get(1), FallbackReason.DEVICE_IO_ERROR);
    fixture.cache.tend(); // sends the return, so that closing itself has none to send
    assertThat(dataNode.held).hasSize(1);
    Thread closing = new Thread(fixture.cache::close);
    closing.start();
    await()
        .until(
            () ->
                closing.getState() == Thread.State.TIMED_WAITING
                    || closing.getState() == Thread.State.TERMINATED);
    assertThat(dataNode.held.get(0).isCancelled()).isFalse();
    dataNode.held.get(0).onCompleted();
    Patience.join(closing);
  }

  @Test
  void aNewIncarnationEndsTheLeasesOfTheOldOne() throws Exception {
    fixture.file(List.of(1L), "a");
    fixture.file(List.of(2L), "a");
    FileMap old = fixture.get(1);
    fixture.dataNode("a").incarnation = 8;
    FileMap fresh = fixture.get(2);
    assertThat(fixture.isValid(old)).isFalse();
    assertThat(fixture.isValid(fresh)).isTrue();
    fixture.cache.tend();
    assertThat(fixture.dataNode("a").returned).isEmpty();
  }

  @Test
  void keptCrcsAreWeighedAndGoWithTheirMap() throws Exception {
    fixture.file(List.of(1L), "a");
    FileMap map = fixture.get(1);
    long bare = fixture.cache.weightedBytes();
    for (int tries = 0; tries < 2; tries++) {
      fixture.cache.keepCrcs(map, 3, 8, ByteBuffer.allocate(5000), 100, ChunkCrcs.PAGE_BYTES);
    }
    long page = ChunkCrcs.heapBytes(ChunkCrcs.PAGE_BYTES);
    assertThat(fixture.cache.crcBytes()).isEqualTo(page);
    assertThat(fixture.cache.weightedBytes()).isBetween(bare + page, bare + page + 8 * 8);

    fixture.cache.reject(map, FallbackReason.DEVICE_IO_ERROR);
    fixture.cache.keepCrcs(map, 4, 8, ByteBuffer.allocate(5000), 100, ChunkCrcs.PAGE_BYTES);
    assertThat(fixture.cache.crcBytes()).isZero();
    assertThat(map.crcs().page(3)).isNull();
    assertThat(map.crcs().page(4)).isNull();
  }

  @Test
  void crcsNeverTakeMoreThanHalfOfTheCache() throws Exception {
    fixture.file(List.of(1L), "a");
    FileMap map = fixture.get(1);
    int pages = 1000;
    for (int i = 0; i < pages; i++) {
      fixture.cache.keepCrcs(map, i, pages, ByteBuffer.allocate(5000), 0, ChunkCrcs.PAGE_BYTES);
    }
    assertThat(fixture.cache.crcBytes()).isBetween((1L << 19) - 5000, 1L << 19);
    assertThat(fixture.get(1)).isSameAs(map);
  }

  @Test
  void evictedMapsAreReturnedOnceNobodyReadsByThem() throws Exception {
    fixture.close();
    fixture = new FileMapCacheFixture(10_000, 0);
    List<Long> ids = LongStream.range(0, 100).boxed().toList();
    fixture.file(ids, "a");
    List<FileMap> maps = new ArrayList<>();
    for (long id : ids) {
      maps.add(fixture.get(id));
    }
    assertThat(maps).allMatch(fixture::isValid);
    fixture.cache.tend();
    assertThat(fixture.dataNode("a").returned).isEmpty();
    fixture.advance(Duration.ofSeconds(3));
    fixture.cache.tend();
    assertThat(fixture.cache.weightedBytes()).isLessThanOrEqualTo(10_000);
    assertThat(fixture.cache.leasesHeld()).isEqualTo((int) fixture.cache.size()).isLessThan(50);
    assertThat(fixture.dataNode("a").returned)
        .containsExactlyInAnyOrderElementsOf(
            maps.stream().filter(m -> !fixture.isValid(m)).map(m -> Lease.of(m).id()).toList());
  }

  @Test
  void closeReturnsEveryLease() throws Exception {
    fixture.file(List.of(1L), "a");
    fixture.file(List.of(2L), "b");
    FileMap first = fixture.get(1);
    FileMap second = fixture.get(2);
    fixture.cache.close();
    assertThat(fixture.dataNode("a").returned).containsExactly(Lease.of(first).id());
    assertThat(fixture.dataNode("b").returned).containsExactly(Lease.of(second).id());
    assertThat(fixture.isValid(first)).isFalse();
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.INTERRUPTED);
  }

  @Test
  void followingBlocksOfTheFileComeAlong() throws Exception {
    fixture.close();
    fixture = new FileMapCacheFixture(1 << 20, 2);
    fixture.file(List.of(1L, 2L, 3L, 4L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    dataNode.refuse(3, FallbackReason.REPLICA_NOT_FINALIZED);
    fixture.get(1);
    fixture.get(2);
    assertThat(dataNode.grants).hasSize(1);
    assertThat(dataNode.grants.get(0).getBlocksList())
        .extracting(block -> block.getBlock().getBlockId())
        .containsExactly(1L, 2L, 3L);
    assertThat(dataNode.grants.get(0).getBlocksList())
        .extracting(block -> block.getSpeculative())
        .containsExactly(false, true, true);
    // Refused while it came along is not refused for good.
    dataNode.grantAgain(3);
    fixture.get(3);
    assertThat(dataNode.grants).hasSize(2);
  }

  @Test
  void aMapThatCameAlongAndIsNotReadIsNotRenewed() throws Exception {
    fixture.close();
    fixture = new FileMapCacheFixture(1 << 20, 1);
    fixture.file(List.of(1L, 2L), "a");
    fixture.get(1);
    fixture.advance(TERM.dividedBy(2));
    FileMap used = fixture.get(1);
    fixture.cache.tend();
    assertThat(fixture.dataNode("a").renewals.get(0).getLeaseIdsList())
        .containsExactly(Lease.of(used).id());
  }

  @Test
  void aHitAllocatesNothing() throws Exception {
    fixture.file(List.of(1L), "a");
    fixture.get(1);
    BlockRequest request = FileMapCacheFixture.request(1);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int rounds = 20_000;
    for (int i = 0; i < rounds; i++) {
      fixture.cache.get(request);
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < rounds; i++) {
      fixture.cache.get(request);
    }
    long perHit = (threads.getCurrentThreadAllocatedBytes() - before) / rounds;
    assertThat(perHit).isLessThan(8);
  }
}
