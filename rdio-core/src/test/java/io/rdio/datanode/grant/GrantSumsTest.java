// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An {@code Error} in the middle of the books: places and sums are as if nothing had been begun.
 */
final class GrantSumsTest {
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

  private void leasesAre(int leases) {
    assertThat(fixture.links()).hasSize(2 * leases);
    assertThat(fixture.service.volumes().get(0).pins()).isEqualTo(leases);
    assertThat(fixture.service.leaseCount()).isEqualTo(leases);
  }

  /** A clock that fails at its next so many readings. */
  private void clockFails(int times) {
    AtomicInteger left = new AtomicInteger(times);
    fixture.clock =
        () -> {
          if (left.getAndDecrement() > 0) {
            throw new StackOverflowError("thrown by the test");
          }
          return fixture.nanos.get();
        };
  }

  @Test
  void errorWhereOnePinIsUndoneKeepsTheOthersFromNothing() {
    BlockKey first = fixture.hdfs.write(1, 100);
    BlockKey second = fixture.hdfs.write(2, 100);
    BlockKey third = fixture.hdfs.write(3, 100);
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeSeal(Path volumeRoot) {
            cannotBeRemoved(1);
            cannotBeRemoved(2);
            clockFails(2); // at which the links become leftovers
            throw new StackOverflowError("thrown by the test");
          }
        });

    List<GrantResult> results =
        fixture.service.grant(
            GrantFixture.holder("a"),
            List.of(FakeHdfs.ask(first), FakeHdfs.ask(second), FakeHdfs.ask(third)),
            () -> false);

    assertThat(results).hasSize(3).allMatch(GrantResult.Refused.class::isInstance);
    assertThat(fixture.links()).noneMatch(link -> link.toString().contains(".3."));
    assertThat(fixture.service.volumes().get(0).pins()).isZero();
    GrantFaultInjector.set(new GrantFaultInjector());
    assertThat(fixture.lease("a", first)).isNotZero();
    assertThat(fixture.service.volumes().get(0).pins()).isEqualTo(1);
  }

  /** Puts a directory with something in it where a block is linked. */
  private void cannotBeRemoved(long blockId) {
    try {
      for (Path link : fixture.links()) {
        if (link.toString().contains("." + blockId + ".")) {
          Files.delete(link);
          Files.createFile(Files.createDirectory(link).resolve("inside"));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void errorWithinTheLeaseTableLeavesItsSumsAsTheyWere() {
    BlockKey block = fixture.hdfs.write(1, 100);
    fixture.giveBack("a", fixture.lease("a", fixture.hdfs.write(2, 100)));
    GrantFaultInjector.set(
        new GrantFaultInjector() {
          @Override
          public void beforeInsert(BlockKey inserted) {
            clockFails(1);
          }
        });

    assertThat(fixture.refusal("a", block)).isEqualTo(FallbackReason.INTERNAL_ERROR);

    sumsAreZero();
    GrantFaultInjector.set(new GrantFaultInjector());
    long lease = fixture.lease("a", block);
    leasesAre(1);
    long heap = fixture.service.leaseHeapBytes();
    fixture.hdfs.beforeIsCurrent = asked -> clockFails(1); // the next reading is the new lease's

    assertThat(fixture.refusal("b", block)).isEqualTo(FallbackReason.INTERNAL_ERROR);

    leasesAre(1);
    assertThat(fixture.service.leaseHeapBytes()).isEqualTo(heap);
    fixture.giveBack("a", lease);
    sumsAreZero();
  }

  private void sumsAreZero() {
    leasesAre(0);
    assertThat(fixture.service.volumes().get(0).pinnedBytes()).isZero();
    assertThat(fixture.service.leaseHeapBytes()).isZero();
    assertThat(fixture.service.leases()).isEmpty();
  }
}
