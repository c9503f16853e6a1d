// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.datanode.volume.ExtentMapper;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An {@code Error}, not only an exception, in the middle of things: what it leaves behind. */
final class GrantErrorsTest {
  @TempDir Path root;
  private GrantFixture fixture;

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
  }

  @AfterEach
  void resetInjector() {
    GrantFaultInjector.set(new GrantFaultInjector());
  }

  /** What tests throw. */
  private static final class TestError extends Error {
    private static final long serialVersionUID = 1L;

    TestError() {
      super("thrown by the test");
    }
  }

  /** The steps of pinning one block. */
  enum Step {
    FIND,
    BEFORE_LINK,
    AFTER_LINK,
    BEFORE_SYNC,
    AFTER_SYNC,
    AFTER_RECHECK,
    MAP,
    BEFORE_INSERT,
    AFTER_INSERT
  }

  private void failAt(Step failing, BlockKey victim) {
    fixture.hdfs.beforeFind = block -> fail(failing == Step.FIND && block.equals(victim));
    ExtentMapper mapper = fixture.mapper;
    fixture.mapper =
        (file, length) -> {
          boolean its = file.toString().contains("." + victim.blockId() + ".");
          fail(failing == Step.MAP && its);
          return mapper.extents(file, length);
        };
    GrantFaultInjector.set(new FailingStep(failing, victim));
  }

  /** Fails at a step of one block, if the plugin's own code comes to it. */
  private static final class FailingStep extends GrantFaultInjector {
    private final Step failing;
    private final BlockKey victim;

    FailingStep(Step failing, BlockKey victim) {
      this.failing = failing;
      this.victim = victim;
    }

    private void at(Step step, BlockKey block) {
      fail(failing == step && block.equals(victim));
    }

    @Override
    public void beforeLink(BlockKey block) {
      at(Step.BEFORE_LINK, block);
    }

    @Override
    public void afterLink(BlockKey block) {
      at(Step.AFTER_LINK, block);
    }

    @Override
    public void beforeSync(BlockKey block) {
      at(Step.BEFORE_SYNC, block);
    }

    @Override
    public void afterSync(BlockKey block) {
      at(Step.AFTER_SYNC, block);
    }

    @Override
    public void afterRecheck(BlockKey block) {
      at(Step.AFTER_RECHECK, block);
    }

    @Override
    public void beforeInsert(BlockKey block) {
      at(Step.BEFORE_INSERT, block);
    }

    @Override
    public void afterInsert(BlockKey block) {
      at(Step.AFTER_INSERT, block);
    }
  }

  private static void fail(boolean here) {
    if (here) {
      throw new TestError();
    }
  }

  private void failNoMore() {
    fixture.hdfs.beforeFind = block -> {};
    GrantFaultInjector.set(new GrantFaultInjector());
  }

  private void nothingIsLeftBut(int leases) {
    assertThat(fixture.links()).hasSize(2 * leases);
    assertThat(fixture.service.volumes().get(0).pins()).isEqualTo(leases);
    assertThat(fixture.service.leaseCount()).isEqualTo(leases);
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void errorAtOneBlockOfABatchLeavesNothingOfIt(Step step) {
    BlockKey first = fixture.hdfs.write(11, 100);
    BlockKey victim = fixture.hdfs.write(22, 100);
    BlockKey last = fixture.hdfs.write(33, 100);
    ExtentMapper mapper = fixture.mapper;
    failAt(step, victim);

    List<GrantResult> results =
        fixture.service.grant(
            GrantFixture.holder("a"),
            List.of(FakeHdfs.ask(first), FakeHdfs.ask(victim), FakeHdfs.ask(last)),
            () -> false);

    assertThat(results)
        .map(GrantResult.Granted.class::isInstance)
        .containsExactly(true, false, true);
    assertThat(((GrantResult.Refused) results.get(1)).reason())
        .isEqualTo(FallbackReason.INTERNAL_ERROR);
    nothingIsLeftBut(2);
    assertThat(fixture.service.counters().failures()).isEqualTo(1);
    assertThat(fixture.service.counters().lastFailure()).contains("thrown by the test");
    failNoMore();
    fixture.mapper = mapper;
    assertThat(fixture.lease("a", victim)).as("nobody bars the block").isNotZero();
    nothingIsLeftBut(3);
  }

  @Test
  void errorWhereTheLinksOfABatchAreMadeDurableRefusesAllOfIt() {
    List<BlockAsk> asks =
        List.of(FakeHdfs.ask(fixture.hdfs.write(1, 100)), FakeHdfs.ask(fixture.hdfs.write(2, 100)));
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeSeal(Path volumeRoot) {
            throw new TestError();
          }
        });

    assertThat(fixture.service.grant(GrantFixture.holder("a"), asks, () -> false))
        .allSatisfy(
            result ->
                assertThat(((GrantResult.Refused) result).reason())
                    .isEqualTo(FallbackReason.INTERNAL_ERROR));
    nothingIsLeftBut(0);
    failNoMore();
    assertThat(fixture.service.grant(GrantFixture.holder("a"), asks, () -> false))
        .allMatch(GrantResult.Granted.class::isInstance);
  }

  @Test
  void errorBeforeTheReplyTakesAllLeasesBack() {
    BlockKey block = fixture.hdfs.write(1, 100);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeReply(String clientId) {
            throw new TestError();
          }
        });

    assertThatThrownBy(() -> fixture.grant("a", block)).hasRootCauseInstanceOf(TestError.class);

    nothingIsLeftBut(0);
    failNoMore();
    assertThat(fixture.lease("a", block)).isNotZero();
  }

  @Test
  void errorInTheLookForReplicasKeepsNothingElseFromBeingDone() {
    long returned = fixture.lease("a", fixture.hdfs.write(1, 100));
    fixture.lease("a", fixture.hdfs.write(2, 100));
    fixture.hdfs.beforeIsCurrent =
        block -> {
          throw new TestError();
        };

    fixture.service.sweep();
    assertThat(fixture.service.counters().failures()).isEqualTo(1);
    nothingIsLeftBut(2);

    fixture.giveBack("a", returned);
    fixture.pass(GrantFixture.LEASE_MILLIS + GrantFixture.IO_MILLIS + 1);
    fixture.service.sweep();
    nothingIsLeftBut(0);
    assertThat(fixture.service.counters().sweeps()).isEqualTo(3);
  }

  @Test
  void errorWhereLinksAreRemovedGivesThePlaceBackAndTheLinksLater() {
    long lease = fixture.lease("a", fixture.hdfs.write(1, 100));
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeUnpin(BlockKey block) {
            throw new TestError();
          }
        });

    fixture.giveBack("a", lease);

    assertThat(fixture.service.volumes().get(0).pins()).isZero();
    assertThat(fixture.links()).hasSize(2);
    assertThat(fixture.service.counters().failures()).isEqualTo(1);
    fixture.pass(GrantFixture.LEASE_MILLIS + GrantFixture.IO_MILLIS);
    fixture.service.sweep();
    assertThat(fixture.links()).isEmpty();
  }

  @Test
  void errorWhereAVolumeIsOpenedRefusesItUntilItIsLookedAtAgain() {
    fixture.identifier =
        volume -> {
          throw new NoClassDefFoundError("jnr");
        };
    fixture.start(GrantFixture.CONFIG);
    BlockKey block = fixture.hdfs.write(1, 100);

    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.INTERNAL_ERROR);

    fixture.identifier = volume -> GrantFixture.DEVICE;
    fixture.pass(5_000);
    fixture.service.sweep();
    assertThat(fixture.lease("a", block)).isNotZero();
  }

  /** Where a batch comes to an end that nobody foresaw, behind a block that it has claimed. */
  @Test
  void errorBetweenTwoBlocksOfARequestBarsNeitherAndKeepsNoLease() {
    BlockKey pinned = fixture.hdfs.write(1, 100);
    BlockKey claimed = fixture.hdfs.write(2, 100);
    fixture.giveBack("a", fixture.lease("a", fixture.hdfs.write(3, 100)));
    long lease = fixture.lease("b", pinned);
    List<BlockAsk> asks =
        new AbstractList<>() {
          @Override
          public BlockAsk get(int index) {
            fail(index == 2);
            return FakeHdfs.ask(index == 0 ? pinned : claimed);
          }

          @Override
          public int size() {
            return 3;
          }
        };

    assertThatThrownBy(() -> fixture.service.grant(GrantFixture.holder("a"), asks, () -> false))
        .isInstanceOf(TestError.class);

    nothingIsLeftBut(1);
    assertThat(
            fixture.service.grantLater(
                GrantFixture.holder("a"), asks.subList(1, 2), () -> false, 1))
        .isCompletedWithValueMatching(
            results -> results.get(0) instanceof GrantResult.Granted, "is granted");
    assertThat(fixture.renew("b", lease)).isPositive();
  }

  @Test
  void errorWhereOneHolderIsToldKeepsNothingElseOnTheVolumeFromBeingDone() {
    BlockKey first = fixture.hdfs.write(1, 100);
    BlockKey second = fixture.hdfs.write(2, 100);
    fixture.lease("a", first);
    long lease = fixture.lease("b", second);
    failsToTell("a");
    List<Long> told = fixture.recallsOf("b");
    fixture.hdfs.replaceFile(first);
    fixture.hdfs.replaceFile(second);

    fixture.service.sweep();

    assertThat(told).containsExactly(lease);
    assertThat(fixture.service.counters().failures()).isEqualTo(1);
  }

  private void onlyTheSecondIsToldOf(BlockKey first, BlockKey second) {
    long lease = fixture.lease("b", second);
    List<Long> told = fixture.recallsOf("b");
    fixture.hdfs.delete(first);
    fixture.hdfs.delete(second);

    fixture.service.sweep();

    assertThat(told).containsExactly(lease);
    assertThat(fixture.service.counters().failures()).isEqualTo(1);
  }

  @Test
  void errorInTheLookForOneReplicaKeepsNoOtherFromBeingRecalled() {
    BlockKey first = fixture.hdfs.write(1, 100);
    BlockKey second = fixture.hdfs.write(2, 100);
    fixture.lease("a", first);
    fixture.hdfs.beforeIsCurrent = block -> fail(block.equals(first));

    onlyTheSecondIsToldOf(first, second);
  }

  @Test
  void errorWhereTheHolderOfADeletedReplicaIsToldKeepsNoOtherFromBeingRecalled() {
    BlockKey first = fixture.hdfs.write(1, 100);
    fixture.lease("a", first);
    failsToTell("a");

    onlyTheSecondIsToldOf(first, fixture.hdfs.write(2, 100));
  }

  private void failsToTell(String client) {
    fixture.service.subscribe(
        client,
        ids -> {
          throw new TestError();
        });
  }

  @Test
  void errorWhereOneHolderIsToldKeepsNoOtherHolderOfTheBlockFromBeingTold() {
    BlockKey block = fixture.hdfs.write(1, 100);
    fixture.lease("a", block);
    failsToTell("a");
    long second = fixture.lease("b", block);
    List<Long> told = fixture.recallsOf("b");
    fixture.lease("c", block);
    failsToTell("c");
    fixture.hdfs.delete(block);

    fixture.service.sweep();

    assertThat(told).containsExactly(second);
    assertThat(fixture.service.counters().failures()).isEqualTo(2);
  }
}
