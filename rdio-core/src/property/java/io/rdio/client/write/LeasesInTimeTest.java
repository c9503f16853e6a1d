// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Whatever DataNodes, devices and clocks do, and in whatever order: no lease of the library meets
 * its deadline before it was ended, DataNodes are told of ended leases alone, and of each slot that
 * did not become a replica once. What is told is checked by {@link FakeWritePlane}, the deadlines
 * by {@link WritersFixture}.
 */
final class LeasesInTimeTest {
  private static final int UNIT = WritersFixture.UNIT;

  private static FallbackException silence() {
    return new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no answer");
  }

  @Property(tries = 100)
  void noLeaseMeetsItsDeadline(@ForAll long seed) {
    Run run = new Run(new Random(seed));
    for (int i = 0; i < 60; i++) {
      run.step();
      run.fixture.requireAlive();
    }
    run.end();
  }

  /** A replica, and how much of it is written. */
  private static final class Open {
    final BlockWriter writer;
    int units;

    Open(BlockWriter writer) {
      this.writer = writer;
    }
  }

  private static final class Run {
    final WritersFixture fixture = new WritersFixture();
    private final Random random;
    private final List<FakeDataNode> nodes = new ArrayList<>();
    private final List<Open> open = new ArrayList<>();
    private final ByteBuffer unit = WritersFixture.bytes(UNIT, 1);
    private int committed;
    private long blocks;

    Run(Random random) {
      this.random = random;
      for (String host : List.of("a", "b", "c")) {
        nodes.add(fixture.dataNode(host));
      }
    }

    private FakeDataNode anyNode() {
      return nodes.get(random.nextInt(nodes.size()));
    }

    void step() {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> begin();
        case 3, 4 -> write();
        case 5 -> commit();
        case 6 -> giveUp();
        case 7 -> anyNode().silence = random.nextBoolean() ? silence() : null;
        case 8 -> anyNode().endsLeases = random.nextInt(4) == 0;
        case 9 -> fixture.renews = random.nextInt(3) != 0;
        case 10 -> changeAnyLease();
        default -> pass();
      }
    }

    private void pass() {
      if (random.nextInt(20) == 0) {
        fixture.terms.advance(Duration.ofDays(1)); // the machine was paused
      }
      fixture.run(Duration.ofMillis(random.nextInt(15_000)));
    }

    private void begin() {
      FakeDataNode node = anyNode();
      if (node.lent.size() == FakeDataNode.SLOTS) {
        return;
      }
      node.wrongStamp = random.nextInt(8) == 0 ? 1 : -1;
      node.leaseMillis = 3_000L + random.nextInt(60_000);
      try {
        open.add(new Open(fixture.open(node, ++blocks)));
      } catch (FallbackException e) {
        assertThat(e.reason()).isEqualTo(FallbackReason.DEVICE_MISMATCH);
      }
    }

    private void write() {
      if (open.isEmpty()) {
        return;
      }
      Open any = open.get(random.nextInt(open.size()));
      anyNode().failsWrites = random.nextInt(10) == 0;
      if (any.units * UNIT < FakeDataNode.SLOT_BYTES) {
        try {
          any.writer.write((long) any.units * UNIT, WritersFixture.address(unit), UNIT, false);
          any.units++;
        } catch (FallbackException e) {
          assertThat(e.reason()).isIn(FallbackReason.LEASE_EXPIRED, FallbackReason.DEVICE_IO_ERROR);
        }
      }
    }

    private void commit() {
      if (open.isEmpty()) {
        return;
      }
      Open any = open.remove(random.nextInt(open.size()));
      if (any.units > 0) {
        if (random.nextInt(4) == 0) {
          anyNode().commitRefusals.add(silence());
        }
        try {
          any.writer.commit((long) any.units * UNIT, ByteBuffer.allocate(4), new CommitPatience(1));
          committed++;
        } catch (FallbackException e) {
          assertThat(e.reason()).isIn(FallbackReason.LEASE_EXPIRED, FallbackReason.DEVICE_IO_ERROR);
        }
      }
      any.writer.close();
    }

    private void giveUp() {
      if (!open.isEmpty()) {
        open.remove(random.nextInt(open.size())).writer.close();
      }
    }

    /**
     * One that a write is under way by, as the library says, or that the library does not renew.
     */
    private void changeAnyLease() {
      FakeDataNode node = anyNode();
      if (!node.lent.isEmpty()) {
        List<MemorySlotDevice.Lease> leases =
            node.leasesOn(node.lent.get(random.nextInt(node.lent.size())));
        for (MemorySlotDevice.Lease lease : leases) {
          lease.saysAtEnd = random.nextBoolean() ? WriteEnd.UNDER_WAY : null;
          lease.refusesRenewal = random.nextInt(4) == 0;
        }
      }
    }

    void end() {
      open.forEach(each -> each.writer.close());
      fixture.renews = true;
      int lent = 0;
      int told = 0;
      for (FakeDataNode node : nodes) {
        node.opened.forEach(device -> device.leases.forEach(lease -> lease.saysAtEnd = null));
      }
      fixture.run(Duration.ofMinutes(3));
      for (FakeDataNode node : nodes) {
        lent += node.lent.size();
        told += node.aborted.size();
        assertThat(node.opened)
            .allSatisfy(
                device -> {
                  assertThat(device.leases).allMatch(MemorySlotDevice.Lease::isEnded);
                  assertThat(device.isClosed).isTrue();
                });
      }
      assertThat(told + committed).isEqualTo(lent);
      fixture.close();
    }
  }
}
