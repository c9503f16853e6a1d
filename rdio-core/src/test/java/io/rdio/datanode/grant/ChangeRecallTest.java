// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A block that HDFS is about to append to or truncate is asked back first. */
final class ChangeRecallTest {
  private static final long LONG = TimeUnit.MINUTES.toNanos(5);

  @TempDir Path root;
  private GrantFixture fixture;
  private BlockKey block;

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
    block = fixture.hdfs.write(1, 100);
  }

  @Test
  void blockThatNobodyHoldsIsFreeAtOnce() throws Exception {
    assertThat(fixture.service.recallBeforeChange(block, LONG)).isTrue();

    assertThat(fixture.service.counters().changedUnpinned()).isZero();
  }

  @Test
  void holdersThatReturnAtOnceAreNotWaitedFor() throws Exception {
    for (String client : new String[] {"a", "b"}) {
      fixture.service.subscribe(
          client, ids -> fixture.service.giveBack(client, fixture.service.incarnation(), ids));
      fixture.lease(client, block);
    }

    assertThat(fixture.service.recallBeforeChange(block, LONG)).isTrue();

    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.service.counters().changedUnpinned()).isEqualTo(1);
    assertThat(fixture.service.counters().recalls()).isEqualTo(2);
  }

  @Test
  void holderThatReturnsNothingCostsTheWaitAndKeepsItsPin() throws Exception {
    long lease = fixture.lease("deaf", block);

    assertThat(fixture.service.recallBeforeChange(block, 1)).isFalse();

    assertThat(fixture.links()).hasSize(2);
    assertThat(fixture.service.counters().changedPinned()).isEqualTo(1);
    assertThat(fixture.refusal("other", block)).isEqualTo(FallbackReason.RECALL_PENDING);
    assertThat(fixture.renew("deaf", lease)).isZero();
    fixture.giveBack("deaf", lease);
    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.lease("other", block)).isNotZero();
  }

  @Test
  void theLastReturnEndsTheWait() throws Exception {
    CompletableFuture<long[]> asked = new CompletableFuture<>();
    fixture.service.subscribe("a", asked::complete);
    fixture.lease("a", block);

    CompletableFuture<Boolean> free =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return fixture.service.recallBeforeChange(block, LONG);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    long[] ids = asked.get(1, TimeUnit.MINUTES);
    assertThat(free).isNotDone();
    fixture.service.giveBack("a", fixture.service.incarnation(), ids);

    assertThat(free.get(1, TimeUnit.MINUTES)).isTrue();
    assertThat(fixture.links()).isEmpty();
  }

  /** Its pin of before is found only now, while its new version is on its way to being pinned. */
  @Test
  void newVersionIsNotGrantedWhileTheOldOneIsAskedBackMeanwhile() {
    fixture.lease("a", block);
    BlockKey appended = fixture.hdfs.append(block, 200);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeInsert(BlockKey inserted) {
            fixture.service.sweep();
          }
        });
    try {
      assertThat(fixture.refusal("b", appended)).isEqualTo(FallbackReason.RECALL_PENDING);
    } finally {
      GrantFaultInjector.set(new GrantFaultInjector());
    }
    assertThat(fixture.links()).as("those of the old version").hasSize(2);
    assertThat(fixture.service.volumes().get(0).pins()).isEqualTo(1);
  }
}
