// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import io.rdio.core.testing.ScratchFolder;
import io.rdio.core.write.SlotEnd;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * The one thing that all of it is for: whatever is asked in whatever order, over restarts, too, a
 * slot is nobody else's, and is not in the pool, before the last write of its agent must have
 * landed.
 */
final class SlotLifeModelTest {
  private static final long I = 60_000;
  private static final long[] TERMS = {10_000, 30_000, 45_000};

  /** A slot that was lent, as its agent and a stopwatch see it. */
  private static final class Loan {
    final String client;
    final WriteGrantData grant;
    final long term;
    boolean known = true;
    long deadline;
    long freeFrom;

    Loan(String client, WriteGrantData grant, long now) {
      this.client = client;
      this.grant = grant;
      this.term = grant.leaseMillis();
      renewed(now);
    }

    void renewed(long now) {
      deadline = now + term;
      freeFrom = deadline + I;
    }

    boolean isAlive(long now) {
      return known && now < deadline;
    }

    /** Ended at a moment by its holder, behind whose writes it has to wait so long. */
    void ended(long now, long wait) {
      known = false;
      freeFrom = now + wait;
    }
  }

  @Property(tries = 30)
  void slotIsNobodyElsesBeforeItsTime(@ForAll long seed) throws IOException {
    try (ScratchFolder root = ScratchFolder.make("rdio-slots-")) {
      new Run(root.path(), new Random(seed)).steps(150);
    }
  }

  private static final class Run {
    private final WriteFixture fixture;
    private final Random random;
    private final List<Loan> loans = new ArrayList<>();
    private final Set<Long> blocks = new HashSet<>(); // slots that are blocks by now
    private long now;
    private long lastBlock;

    Run(Path root, Random random) {
      this.random = random;
      this.fixture = new WriteFixture(root, config());
    }

    private WriteConfig config() {
      return WriteFixture.config(TERMS[random.nextInt(TERMS.length)]).build();
    }

    void steps(int count) throws IOException {
      for (int i = 0; i < count; i++) {
        step();
        check();
      }
      // All leases run out, and all that was lent comes back.
      pass(TERMS[2] + I);
      fixture.room.upkeep();
      pass(TERMS[2] + I);
      fixture.room.upkeep();
      check();
      assertThat(fixture.leased()).isEmpty();
      assertThat(fixture.status().quarantined()).isZero();
      assertThat(fixture.status().leased()).isZero();
    }

    private void step() throws IOException {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> allocate();
        case 3 -> renew();
        case 4 -> abort();
        case 5 -> commit();
        case 6 -> pass(random.nextInt(12_000));
        case 7 -> pass(random.nextInt(60) == 0 ? 1_000_000 : random.nextInt(90_000));
        case 8 -> fixture.room.upkeep();
        default -> restart();
      }
    }

    private void pass(long millis) {
      fixture.pass(millis);
      now += millis;
    }

    private void allocate() {
      String client = "c" + random.nextInt(3);
      BlockKey block = WriteFixture.block(++lastBlock);
      AllocateResult result =
          fixture.room.allocate(WriteFixture.command(client, block, 1_000), 1).join();
      if (result instanceof AllocateResult.Granted granted) {
        WriteGrantData grant = granted.grant();
        assertThat(loans)
            .filteredOn(loan -> loan.grant.slot() == grant.slot())
            .allMatch(loan -> loan.freeFrom <= now)
            .noneMatch(loan -> loan.grant.nonce() == grant.nonce());
        assertThat(blocks).doesNotContain(grant.slot());
        loans.add(new Loan(client, grant, now));
      }
    }

    private void renew() {
      for (Loan loan : loans) {
        if (random.nextBoolean()) {
          boolean alive = loan.isAlive(now);
          boolean renewed = fixture.renew(loan.client, loan.grant) > 0;
          assertThat(renewed).isEqualTo(alive);
          if (renewed) {
            loan.renewed(now);
          }
        }
      }
    }

    private void abort() {
      for (Loan loan : loans) {
        if (random.nextInt(4) == 0) {
          boolean written = !loan.isAlive(now) || random.nextBoolean();
          fixture.abort(loan.client, loan.grant, written ? SlotEnd.QUIET : SlotEnd.UNWRITTEN);
          if (loan.isAlive(now)) {
            loan.ended(now, written ? I : 0);
          }
        }
      }
    }

    private void commit() throws IOException {
      for (Loan loan : loans) {
        if (random.nextInt(4) != 0) {
          continue;
        }
        boolean alive = loan.isAlive(now);
        boolean wasBlock = blocks.contains(loan.grant.slot());
        byte[] content = WriteFixture.content(1_000);
        boolean good = random.nextBoolean();
        if (alive && good) {
          WriteFixture.write(file(loan), content);
        }
        CommitResult result =
            fixture.commit(loan.client, loan.grant, 1_000, WriteFixture.crcs(content));
        boolean committed = result instanceof CommitResult.Committed;
        assertThat(committed).isEqualTo(alive ? good : wasBlock && isBlockOf(loan));
        if (alive && committed) {
          blocks.add(loan.grant.slot());
        }
        if (alive) {
          loan.ended(now, I);
        }
      }
    }

    private boolean isBlockOf(Loan loan) {
      return fixture.writer.finalized(loan.grant.block()) != null;
    }

    private Path file(Loan loan) {
      return fixture.leased().stream()
          .filter(
              file -> file.toString().contains(Slot.name(loan.grant.slot(), loan.grant.nonce())))
          .findFirst()
          .orElseThrow();
    }

    /** As after a crash: what was lent, or is in quarantine, begins its folder's time anew. */
    private void restart() {
      Set<String> lent = new HashSet<>();
      fixture.leased().forEach(file -> lent.add(file.getFileName().toString()));
      for (Loan loan : loans) {
        loan.known = false;
        String name = Slot.name(loan.grant.slot(), loan.grant.nonce());
        if (lent.stream().anyMatch(file -> file.startsWith(name))) {
          loan.freeFrom = now + loan.term + I;
        }
      }
      fixture.start(config());
    }

    private void check() {
      List<String> free =
          fixture.pooled().stream().map(file -> file.getFileName().toString()).toList();
      for (Loan loan : loans) {
        boolean isFree =
            free.stream().anyMatch(name -> name.startsWith("%016x".formatted(loan.grant.slot())));
        assertThat(isFree && loan.freeFrom > now).isFalse();
      }
      assertThat(free).hasSize(fixture.status().free());
    }
  }
}
