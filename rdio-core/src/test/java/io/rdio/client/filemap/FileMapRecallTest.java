// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static io.rdio.client.filemap.FileMapCacheFixture.BACK_OFF;
import static io.rdio.client.filemap.FileMapCacheFixture.IDLE;
import static io.rdio.client.filemap.FileMapCacheFixture.TERM;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a recall does to a map, to those who read by it, and to its lease. */
class FileMapRecallTest {
  private final FileMapCacheFixture fixture = new FileMapCacheFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void recallEndsTheLeaseBeforeItIsReturned() throws Exception {
    fixture.file(List.of(1L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    FileMap map = fixture.get(1);
    List<Boolean> validAtReturn = new ArrayList<>();
    List<Boolean> cachedAtReturn = new ArrayList<>();
    dataNode.onReturn =
        id -> {
          validAtReturn.add(fixture.isValid(map));
          cachedAtReturn.add(fixture.cache.size() > 0);
          assertThat(fixture.withdrawn).containsExactly(map);
        };
    fixture.advance(IDLE);
    dataNode.recall(Lease.of(map).id());
    assertThat(dataNode.returned).containsExactly(Lease.of(map).id());
    assertThat(validAtReturn).containsExactly(false);
    assertThat(cachedAtReturn).containsExactly(false);
    assertThat(fixture.counters.recalls.sum()).isEqualTo(1);
  }

  @Test
  void aRecalledMapServesWhoIsReadingByItAndNobodyNew() throws Exception {
    fixture.file(List.of(1L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    FileMap map = fixture.get(1);
    dataNode.recall(Lease.of(map).id());
    assertThat(fixture.withdrawn).containsExactly(map);
    assertThat(fixture.cache.size()).isZero();
    assertThat(fixture.get(1)).isNotSameAs(map);
    for (Duration reading = Duration.ZERO; reading.compareTo(TERM.dividedBy(2)) < 0; ) {
      fixture.advance(Duration.ofSeconds(1));
      reading = reading.plusSeconds(1);
      map.guard().touch(fixture.nanos());
      fixture.cache.tend();
      assertThat(fixture.isValid(map)).isTrue();
      assertThat(dataNode.returned).isEmpty();
    }
    fixture.advance(IDLE);
    fixture.cache.tend();
    assertThat(fixture.isValid(map)).isFalse();
    assertThat(dataNode.returned).containsExactly(Lease.of(map).id());
  }

  @Test
  void aRecalledLeaseIsNotRenewed() throws Exception {
    fixture.file(List.of(1L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    FileMap map = fixture.get(1);
    dataNode.recall(Lease.of(map).id());
    for (Duration reading = Duration.ZERO; reading.compareTo(TERM) < 0; ) {
      fixture.advance(Duration.ofSeconds(1));
      reading = reading.plusSeconds(1);
      map.guard().touch(fixture.nanos());
      fixture.cache.tend();
    }
    assertThat(dataNode.renewals).isEmpty();
    assertThat(fixture.isValid(map)).isFalse();
    assertThat(dataNode.returned).containsExactly(Lease.of(map).id());
  }

  @Test
  void aRecalledMapThatTurnsOutBadIsNotReadByAnyMore() throws Exception {
    fixture.file(List.of(1L), "a");
    FileMap map = fixture.get(1);
    fixture.dataNode("a").recall(Lease.of(map).id());
    fixture.cache.reject(map, FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.isValid(map)).isFalse();
    fixture.cache.tend();
    assertThat(fixture.dataNode("a").returned).containsExactly(Lease.of(map).id());
  }

  @Test
  void aRecallThatOvertakesItsGrantIsAnsweredWhenTheGrantArrives() throws Exception {
    fixture.file(List.of(1L), "a");
    fixture.file(List.of(2L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    long next = Lease.of(fixture.get(1)).id() + 1;
    List<List<Long>> returnedBefore = new ArrayList<>();
    dataNode.beforeGrantAnswer =
        () -> {
          dataNode.recall(next);
          returnedBefore.add(List.copyOf(dataNode.returned));
        };
    assertThat(fixture.refusal(2)).isEqualTo(FallbackReason.RECALL_PENDING);
    assertThat(returnedBefore).containsExactly(List.of());
    assertThat(dataNode.returned).containsExactly(next);
  }

  @Test
  void aBrokenRecallStreamIsOpenedAgainAndLeasesGoOn() throws Exception {
    fixture.file(List.of(1L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    FileMap map = fixture.get(1);
    dataNode.recallStreams.get(0).onError(Status.UNAVAILABLE.asRuntimeException());
    fixture.cache.tend();
    assertThat(dataNode.recallStreams).hasSize(1);
    assertThat(fixture.isValid(map)).isTrue();
    fixture.advance(BACK_OFF);
    fixture.cache.tend();
    assertThat(dataNode.recallStreams).hasSize(2);
    fixture.advance(IDLE);
    dataNode.recall(Lease.of(map).id());
    assertThat(fixture.isValid(map)).isFalse();
  }

  @Test
  void theRecallStreamOfADeadConnectionIsOpenedAnew() throws Exception {
    fixture.file(List.of(1L), "a");
    fixture.file(List.of(2L), "a");
    FakeDataNode dataNode = fixture.dataNode("a");
    FileMap map = fixture.get(1);
    dataNode.failure = Status.UNAVAILABLE;
    assertThat(fixture.refusal(2)).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    dataNode.failure = null;
    fixture.cache.tend();
    assertThat(dataNode.recallStreams).hasSize(2);
    fixture.advance(IDLE);
    dataNode.recall(Lease.of(map).id());
    assertThat(fixture.isValid(map)).isFalse();
  }
}
