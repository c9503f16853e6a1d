// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients at several addresses grant, renew, answer recalls and return as fast as they can on a
 * volume with far fewer places than blocks: never a place too many, and none is lost.
 */
final class ChurnAtThePinCapTest {
  private static final int PLACES = 24;
  private static final int BLOCKS = 96;
  private static final int CLIENTS = 6;
  private static final int ROUNDS = 400;

  @TempDir Path root;

  /** A client that holds at most so many leases, and gives back what is recalled. */
  private static final class Client implements Callable<Integer> {
    private final GrantService service;
    private final String name;
    private final List<BlockKey> blocks;
    private final Random random;
    private final List<Long> leases = new ArrayList<>();
    private final ConcurrentLinkedQueue<Long> recalled = new ConcurrentLinkedQueue<>();
    private int granted;

    Client(GrantService service, int number, List<BlockKey> blocks) {
      this.service = service;
      this.name = "client" + number;
      this.blocks = blocks;
      this.random = new Random(number);
    }

    @Override
    public Integer call() {
      service.subscribe(
          name,
          ids -> {
            for (long id : ids) {
              recalled.add(id);
            }
          });
      for (int i = 0; i < ROUNDS; i++) {
        step();
        assertThat(service.volumes().get(0).pins()).isLessThanOrEqualTo(PLACES);
        answerRecalls();
      }
      leases.forEach(this::giveBack);
      return granted;
    }

    private void step() {
      int kind = random.nextInt(8);
      if (kind == 0 && !leases.isEmpty()) {
        giveBack(leases.remove(random.nextInt(leases.size())));
      } else if (kind == 1 && !leases.isEmpty()) {
        long lease = leases.get(random.nextInt(leases.size()));
        service.renew(name, service.incarnation(), new long[] {lease});
      } else {
        grant(kind == 2);
      }
    }

    private void grant(boolean speculative) {
      BlockKey block = blocks.get(random.nextInt(blocks.size()));
      BlockAsk ask = new BlockAsk(new TokenedBlock(block, FakeHdfs.TOKEN), "", speculative);
      GrantResult result =
          service.grant(GrantFixture.holder(name), List.of(ask), () -> false).get(0);
      if (result instanceof GrantResult.Granted lease) {
        leases.add(lease.leaseId());
        granted++;
      }
    }

    private void answerRecalls() {
      Long lease = recalled.poll();
      while (lease != null) {
        leases.remove(lease);
        giveBack(lease);
        lease = recalled.poll();
      }
    }

    private void giveBack(long lease) {
      service.giveBack(name, service.incarnation(), new long[] {lease});
    }
  }

  @Test
  void placesAreNeitherExceededNorLost() throws Exception {
    GrantFixture fixture = new GrantFixture(root);
    GrantService service =
        fixture.start(GrantConfig.builder().pinsPerVolume(PLACES).batchMax(16).build());
    List<BlockKey> blocks = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      blocks.add(fixture.hdfs.write(i, 100));
    }
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Future<Integer>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(threads.submit(new Client(service, i, blocks)));
      }
      for (Future<Integer> client : clients) {
        assertThat(client.get()).as("grants of one client").isGreaterThan(PLACES);
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(service.counters().refusals(FallbackReason.PIN_LIMIT)).isPositive();
    assertThat(service.counters().refusals(FallbackReason.INTERNAL_ERROR)).isZero();
    assertThat(service.leaseCount()).isZero();
    assertThat(service.volumes().get(0).pins()).isZero();
    assertThat(fixture.links()).isEmpty();
    fixture.pass(10 * GrantFixture.LEASE_MILLIS); // promises that nobody came for
    for (int i = 0; i < PLACES; i++) {
      assertThat(fixture.lease("last", blocks.get(i))).isNotZero();
    }
  }
}
