// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import io.rdio.core.extent.ExtentList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * The one thing that all of it is for: as long as a client may believe in a lease, the very file
 * whose extents it was given is pinned, whatever HDFS, other clients and restarts do, in any order.
 */
final class LeaseSafetyPropertyTest {
  private static final int BLOCKS = 3;
  private static final long PAGE = 4096;

  /** A lease as its client sees it. */
  private record Believed(
      String client, long id, long incarnation, long copy, AtomicLong deadline) {}

  @Property(tries = 40)
  void fileUnderABelievedLeaseIsPinned(@ForAll long seed) throws IOException {
    Path root = Files.createTempDirectory("rdio-leases-");
    try {
      new Run(root, new Random(seed)).steps(120);
    } finally {
      try (Stream<Path> all = Files.walk(root)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private static final class Run {
    private final GrantFixture fixture;
    private final Random random;
    private final Map<Long, BlockKey> current = new HashMap<>();
    private final List<Believed> leases = new ArrayList<>();

    Run(Path root, Random random) {
      this.fixture = new GrantFixture(root);
      this.random = random;
      // Extents that tell whose they are.
      fixture.mapper =
          (file, length) -> {
            long copy = file.toString().endsWith(".data") ? FakeHdfs.copyIn(file) : 0;
            return ExtentList.of(new long[] {copy * PAGE}, new long[] {PAGE});
          };
    }

    void steps(int count) throws IOException {
      for (int i = 0; i < count; i++) {
        step();
        long now = fixture.nanos.get();
        leases.removeIf(lease -> lease.deadline().get() - now <= 0);
        Set<Long> pinned =
            fixture.links().stream()
                .filter(link -> link.toString().endsWith(".data"))
                .map(FakeHdfs::copyIn)
                .collect(Collectors.toSet());
        assertThat(leases).allMatch(lease -> pinned.contains(lease.copy()));
      }
    }

    private void step() {
      long id = random.nextInt(BLOCKS);
      switch (random.nextInt(8)) {
        case 0 -> current.computeIfAbsent(id, absent -> fixture.hdfs.write(id, 700));
        case 1 -> current.computeIfPresent(id, (same, block) -> fixture.hdfs.append(block, 900));
        case 2 -> {
          BlockKey block = current.remove(id);
          if (block != null) {
            fixture.hdfs.delete(block);
          }
        }
        case 3, 4 -> grant(id);
        case 5 -> renewOrReturn();
        case 6 -> {
          fixture.pass(random.nextInt((int) GrantFixture.LEASE_MILLIS));
          fixture.service.sweep();
        }
        default -> {
          if (random.nextInt(4) == 0) {
            fixture.start(GrantFixture.CONFIG);
          }
        }
      }
    }

    private void grant(long id) {
      BlockKey block = current.get(id);
      if (block == null) {
        return;
      }
      String client = "client" + random.nextInt(2);
      long deadline = deadline();
      if (fixture.grant(client, block) instanceof GrantResult.Granted granted) {
        leases.add(
            new Believed(
                client,
                granted.leaseId(),
                fixture.service.incarnation(),
                granted.map().blockExtents().physical(0) / PAGE,
                new AtomicLong(deadline)));
      }
    }

    private void renewOrReturn() {
      if (leases.isEmpty()) {
        return;
      }
      Believed lease = leases.get(random.nextInt(leases.size()));
      if (random.nextBoolean()) {
        leases.remove(lease);
        fixture.service.giveBack(lease.client(), lease.incarnation(), new long[] {lease.id()});
      } else {
        long deadline = deadline();
        long[] terms =
            fixture.service.renew(lease.client(), lease.incarnation(), new long[] {lease.id()});
        if (terms[0] > 0) {
          lease.deadline().set(deadline);
        }
      }
    }

    /** Of a request that is sent now. */
    private long deadline() {
      return fixture.nanos.get() + GrantFixture.LEASE_MILLIS * 1_000_000;
    }
  }
}
