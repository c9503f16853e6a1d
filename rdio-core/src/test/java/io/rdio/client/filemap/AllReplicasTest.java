// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A FileMap cache that keeps a map of each of three replicas. */
final class AllReplicasTest {
  private static final List<String> NAMES = List.of("a", "b", "c");

  private final FileMapCacheFixture fixture = new FileMapCacheFixture(1 << 20, 0, 3);
  private final List<Runnable> waiting = new ArrayList<>();

  @BeforeEach
  void placeReplicas() {
    fixture.file(List.of(1L), "a", "b", "c");
    fixture.background = waiting::add;
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void loadInBackground() {
    List<Runnable> loads = List.copyOf(waiting);
    waiting.clear();
    loads.forEach(Runnable::run);
  }

  private List<String> others(FileMap than) {
    @Nullable FileMap[] others = new @Nullable FileMap[2];
    int count = fixture.cache.others(FileMapCacheFixture.request(1), than, others);
    List<String> found = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      assertThat(fixture.isValid(others[i])).isTrue();
      found.add(others[i].dataNode());
    }
    return found;
  }

  private String endpoint(String name) {
    return fixture.dataNode(name).endpoint;
  }

  private int grants() {
    return NAMES.stream().mapToInt(name -> fixture.dataNode(name).grants.size()).sum();
  }

  @Test
  void theOthersComeBehindTheFirst() throws Exception {
    FileMap first = fixture.get(1);
    assertThat(others(first)).isEmpty();
    assertThat(grants()).isEqualTo(1);
    loadInBackground();
    assertThat(others(first)).containsExactlyInAnyOrder(endpoint("b"), endpoint("c"));
    assertThat(fixture.get(1)).isSameAs(first);
    assertThat(grants()).isEqualTo(3);
    assertThat(fixture.cache.size()).isEqualTo(3);
    assertThat(fixture.cache.leasesHeld()).isEqualTo(3);
  }

  @Test
  void thoseOfTheBlockBehindComeBeforeItIsOpened() throws Exception {
    fixture.file(List.of(1L, 2L), "a", "b", "c");
    fixture.get(1);
    FileMap next = fixture.get(2);
    assertThat(fixture.cache.following(FileMapCacheFixture.request(1))).isSameAs(next);
    assertThat(grants()).isEqualTo(2);
    loadInBackground();
    assertThat(grants()).isEqualTo(4);
  }

  @Test
  void whatCannotBeHadIsAskedForAgainLater() throws Exception {
    fixture.dataNode("c").close();
    FileMap first = fixture.get(1);
    others(first);
    loadInBackground();
    assertThat(others(first)).containsExactly(endpoint("b"));
    assertThat(waiting).isEmpty();
    fixture.advance(FileMapCacheFixture.BACK_OFF);
    FileMap again = fixture.get(1); // the leases have run out
    others(again);
    assertThat(waiting).hasSize(1);
  }

  @Test
  void whereTooManyLoadsAreUnderWayTheNextReadAsks() throws Exception {
    fixture.background =
        load -> {
          throw new RejectedExecutionException("thrown by the test");
        };
    FileMap first = fixture.get(1);
    assertThat(others(first)).isEmpty();
    fixture.background = waiting::add;
    assertThat(others(first)).isEmpty();
    assertThat(waiting).hasSize(1);
  }

  @Test
  void whenOneIsRejectedTheNextIsThereAndNobodyIsAsked() throws Exception {
    FileMap first = fixture.get(1);
    others(first);
    loadInBackground();
    fixture.cache.reject(first, FallbackReason.CHECKSUM_MISMATCH);
    FileMap second = fixture.get(1);
    assertThat(second.dataNode()).isIn(endpoint("b"), endpoint("c"));
    assertThat(grants()).isEqualTo(3);
    others(second);
    loadInBackground();
    assertThat(others(second)).as("the bad one is left alone").hasSize(1);
    assertThat(grants()).isEqualTo(3);
  }

  @Test
  void twoBadReplicasDoNotShutTheThirdOut() throws Exception {
    FileMap first = fixture.get(1);
    others(first);
    loadInBackground();
    for (int i = 0; i < 2; i++) {
      fixture.cache.reject(fixture.get(1), FallbackReason.CHECKSUM_MISMATCH);
    }
    FileMap third = fixture.get(1);
    assertThat(fixture.isValid(third)).isTrue();
    fixture.cache.reject(third, FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.REPLICA_QUARANTINED);
  }

  @Test
  void aDeviceThatIsOfNoUseHereIsNotAskedFor() throws Exception {
    FileMap first = fixture.get(1);
    fixture.cache.reject(first, FallbackReason.DEVICE_NOT_FOUND);
    FileMap second = fixture.get(1);
    others(second);
    loadInBackground();
    assertThat(others(second)).hasSize(1).doesNotContain(first.dataNode());
  }

  @Test
  void oneThatIsRejectedMakesRoomForAnotherAtOnce() throws Exception {
    try (FileMapCacheFixture two = new FileMapCacheFixture(1 << 20, 0, 2)) {
      two.file(List.of(1L), "a", "b", "c");
      @Nullable FileMap[] others = new @Nullable FileMap[1];
      FileMap first = two.get(1);
      two.cache.others(FileMapCacheFixture.request(1), first, others);
      assertThat(two.cache.others(FileMapCacheFixture.request(1), first, others)).isOne();
      two.cache.reject(first, FallbackReason.CHECKSUM_MISMATCH);
      FileMap second = two.get(1);
      two.cache.others(FileMapCacheFixture.request(1), second, others);
      assertThat(two.cache.others(FileMapCacheFixture.request(1), second, others)).isOne();
      assertThat(Objects.requireNonNull(others[0]).storageId())
          .isNotIn(first.storageId(), second.storageId());
    }
  }

  @Test
  void oneOfEachIsTheDefault() throws Exception {
    try (FileMapCacheFixture usual = new FileMapCacheFixture()) {
      usual.file(List.of(1L), "a", "b", "c");
      FileMap first = usual.get(1);
      @Nullable FileMap[] others = new @Nullable FileMap[2];
      assertThat(usual.cache.others(FileMapCacheFixture.request(1), first, others)).isZero();
      assertThat(usual.cache.size()).isEqualTo(1);
    }
  }
}
