// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static io.rdio.client.plane.grant.GrantWritesFixture.BLOCK;
import static io.rdio.client.plane.grant.GrantWritesFixture.COMMIT_TIMEOUT;
import static io.rdio.client.plane.grant.GrantWritesFixture.TARGET;
import static io.rdio.client.plane.grant.GrantWritesFixture.crcBytes;
import static io.rdio.client.plane.grant.GrantWritesFixture.crcs;
import static io.rdio.client.plane.grant.GrantWritesFixture.refusal;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.datanode.allocate.CommitResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A commit of which nothing is heard: of a DataNode that is silent, and of one that is slow. */
final class GrantWritesSilenceTest extends GrantWritesTestBase {
  private static final int LENGTH = 700_000;

  /** Of what a silent DataNode would cost, were it waited for, one third. */
  private static final Duration SOON = COMMIT_TIMEOUT.dividedBy(3);

  private LossyWay way;
  private WriteSlot slot;

  @BeforeEach
  void connectByTheWay() throws Exception {
    way = fixture.lossyWay();
    fixture.connectBy(way, Duration.ofSeconds(5), Duration.ofMillis(200));
    slot = fixture.allocate(BLOCK);
  }

  private void commit() throws FallbackException {
    fixture.writes.commit(TARGET, slot, LENGTH, crcs(LENGTH));
  }

  @Test
  void silentOneIsGivenUpSoonAndAskedAgainByAnotherConnection() throws Exception {
    fixture.room.before = way::lose; // when the head of the commit is there
    long begun = System.nanoTime();

    assertThat(refusal(this::commit).reason()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);

    assertThat(System.nanoTime() - begun).isLessThan(SOON.toNanos());
    fixture.room.before = () -> {};
    commit();
    assertThat(fixture.room.committed.get(BLOCK)).isEqualTo(crcBytes(LENGTH));
    assertThat(way.connections()).isEqualTo(2);
  }

  /** Who asks by the new connection is answered, and the commit waits on the old one. */
  @Test
  void soIsOneWhoseConnectionWasReplacedMeanwhile() throws Exception {
    fixture.connectBy(way, Duration.ofMillis(500), Duration.ofSeconds(2));
    // Or both calls connect, and this one may do so behind the loss.
    assertThat(fixture.writes.renew(TARGET, List.of(slot)).get(0)).isPresent();
    fixture.room.before = way::lose;
    CompletableFuture<FallbackException> refused =
        CompletableFuture.supplyAsync(() -> refusal(this::commit));
    await().until(way::hasLost);

    assertThat(refusal(() -> fixture.writes.renew(TARGET, List.of(slot))).reason())
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);

    assertThat(refused.get(SOON.toMillis(), TimeUnit.MILLISECONDS).reason())
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
  }

  /** It flushes a slow disk, say: to be asked again would tell it nothing new. */
  @Test
  void slowOneIsWaitedForAsLongAsItSaysThatItIsThere() throws Exception {
    fixture.room.committing = new CompletableFuture<>();
    AtomicInteger asked = new AtomicInteger();
    fixture.room.inVolumes =
        () -> {
          if (asked.incrementAndGet() == 3) {
            fixture.room.committing.complete(new CommitResult.Committed());
          }
        };

    commit();

    assertThat(asked).hasValueGreaterThanOrEqualTo(3);
    assertThat(fixture.room.commits).hasSize(1);
    assertThat(way.connections()).isEqualTo(1);
  }
}
