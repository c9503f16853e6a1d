// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;
import io.rdio.datanode.volume.Leftovers;
import io.rdio.datanode.volume.PinDirectory;
import io.rdio.datanode.volume.PinnedFiles;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.Storage;
import io.rdio.datanode.volume.VolumeAccess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * The races of the lease table on one block, run by jcstress in {@code verify}. In each the arbiter
 * asks whether, once all is quiet, the table, the pin and the volume's account agree, and whether
 * the pin was handed out to be unlinked exactly once when no lease is left, and never before.
 */
public final class LeaseRaces {
  private LeaseRaces() {}

  /** A table with one block pinned, and one lease on it that client "a" holds. */
  abstract static class Table {
    static final BlockKey BLOCK = new BlockKey("BP-1", 1, 1001);
    static final Holder A = new Holder("a", "10.0.0.1");
    static final Holder B = new Holder("b", "10.0.0.1");

    final long[] now = new long[1];
    final LeaseTable table =
        new LeaseTable(
            GrantConfig.builder()
                .leaseMillis(1_000)
                .maxIoMillis(0)
                .pinsPerVolume(10)
                .leasesPerAddress(10)
                .build(),
            () -> now[0]);
    final Volume volume =
        new Volume(
            new Storage("DS-1", Path.of("/volume"), true),
            new PinDirectory(Path.of("/volume"), 1_000),
            new Leftovers(new GrantCounters()),
            new VolumeAccess(
                Path.of("/volume"),
                () -> {
                  throw new IOException("not to be opened");
                },
                () -> now[0]),
            new SameThread(),
            new GrantCounters());
    final List<Pin> freed = new ArrayList<>();
    final Pin pin = pin();
    final long lease;

    Table() {
      try {
        table.reserve(volume, demand(A));
        lease = table.insert(pin, demand(A)).leaseId();
      } catch (FallbackException e) {
        throw new IllegalStateException(e);
      }
    }

    static Demand demand(Holder holder) {
      return new Demand(holder, BLOCK, false);
    }

    final Pin pin() {
      ExtentList extents = ExtentList.of(new long[] {4096}, new long[] {4096});
      PinnedMap map =
          new PinnedMap(
              BLOCK,
              "DS-1",
              GrantFixture.DEVICE,
              new Witness(0, 1, 1),
              100,
              11,
              extents,
              extents,
              new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7));
      Path file = Path.of("/volume/file");
      return new Pin(
          map,
          new Replica(BLOCK, "DS-1", Path.of("/volume"), file, file, 100),
          new PinnedFiles(file, file),
          "inode",
          volume);
    }

    /** Shares the pin, or where there is none makes a new one; the lease, or 0 if refused. */
    final long grant(Holder holder) {
      try {
        GrantResult.Granted shared = table.share(demand(holder));
        if (shared != null) {
          return shared.leaseId();
        }
        return table.reserve(volume, demand(holder))
            ? table.insert(pin(), demand(holder)).leaseId()
            : 0;
      } catch (FallbackException e) {
        return 0;
      }
    }

    /** What was handed out to be unlinked; once only for each pin. */
    final void free(List<Pin> pins) {
      synchronized (freed) {
        freed.addAll(pins);
      }
    }

    final boolean recalled(Pin which) {
      return table.recall(which, true).stream().anyMatch(held -> held.pin == which);
    }

    /** Whether the books are right, first now, then when every lease is given back. */
    final boolean booksAreRight(long... leases) {
      boolean right = agree(Arrays.stream(leases).filter(id -> id != 0).count());
      free(table.giveBack("a", leases));
      free(table.giveBack("b", leases));
      right &= freed.stream().distinct().count() == freed.size() && agree(0);
      freed.forEach(table::unpinned);
      VolumeStatus status = table.status(volume);
      return right
          && status.pins() == 0
          && status.pinnedBytes() == 0
          && status.pinnedDeletedBytes() == 0
          && table.leaseCount() == 0
          && grant(A) != 0;
    }

    /** Leases that were granted and neither returned nor run out keep their pin. */
    private boolean agree(long atMost) {
      Pin live = table.pin(BLOCK);
      return table.leaseCount() <= atMost
          && (live == null) == (table.leaseCount() == 0)
          && (live == null || live.leases.size() == table.leaseCount());
    }
  }

  /** The last lease is returned while another client is granted one. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "on the old pin or on a new one")
  @State
  public static class LastReturnAndGrant extends Table {
    private long other;

    @Actor
    public void giveBack() {
      free(table.giveBack("a", new long[] {lease}));
    }

    @Actor
    public void grant(ZZ_Result r) {
      other = grant(B);
      r.r1 = other != 0;
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      Pin live = table.pin(BLOCK);
      boolean pinned = live != null && !freed.contains(live) && live.leases.size() == 1;
      r.r2 = pinned && booksAreRight(other);
    }
  }

  /** Two holders return their leases at once: one of them hands the pin out, not both. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "freed once")
  @State
  public static class TwoReturns extends Table {
    private final long other = grant(B);

    @Actor
    public void one() {
      free(table.giveBack("a", new long[] {lease}));
    }

    @Actor
    public void two() {
      free(table.giveBack("b", new long[] {other}));
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      r.r1 = freed.size() == 1 && freed.get(0) == pin;
      r.r2 = booksAreRight();
    }
  }

  /** A block is deleted while a client is granted it: told, or refused, never overlooked. */
  @JCStressTest
  @Outcome(id = "true, true, true", expect = ACCEPTABLE, desc = "granted before, and told")
  @Outcome(id = "true, false, true", expect = ACCEPTABLE, desc = "refused")
  @State
  public static class RecallAndGrant extends Table {
    private List<HeldLease> told = List.of();
    private long other;

    @Actor
    public void recall() {
      told = table.recall(pin, true);
    }

    @Actor
    public void grant() {
      other = grant(B);
    }

    @Arbiter
    public void settle(ZZZ_Result r) {
      boolean granted = other != 0;
      boolean holderTold = told.stream().anyMatch(held -> held.id == other);
      r.r1 = told.stream().anyMatch(held -> held.id == lease) && granted == holderTold;
      r.r2 = granted;
      r.r3 = table.renew("a", new long[] {lease})[0] == 0 && booksAreRight(lease, other);
    }
  }

  /** A lease is recalled while its holder returns it. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "gone, freed once, nothing barred")
  @State
  public static class RecallAndReturn extends Table {
    @Actor
    public void recall() {
      recalled(pin);
    }

    @Actor
    public void giveBack() {
      free(table.giveBack("a", new long[] {lease}));
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      r.r1 = freed.size() == 1;
      r.r2 = booksAreRight();
    }
  }

  /** The sweep ends all leases, which have run out, while a late client returns its own. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "freed once")
  @State
  public static class ExpiryAndReturn extends Table {
    private final long other = grant(B);

    public ExpiryAndReturn() {
      now[0] = 2_000_000_000L;
    }

    @Actor
    public void expire() {
      free(table.expire());
    }

    @Actor
    public void giveBack() {
      free(table.giveBack("b", new long[] {other}));
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      r.r1 = freed.size() == 1;
      r.r2 = booksAreRight();
    }
  }

  /** A new grant and the sweep that ends the lease that it shares the pin with. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "granted on a pin that stays")
  @State
  public static class ExpiryAndGrant extends Table {
    private long other;

    public ExpiryAndGrant() {
      now[0] = 2_000_000_000L;
    }

    @Actor
    public void expire() {
      free(table.expire());
    }

    @Actor
    public void grant(ZZ_Result r) {
      other = grant(B);
      r.r1 = other != 0;
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      // The new lease is never the one that ran out.
      Pin live = table.pin(BLOCK);
      boolean pinned =
          live != null
              && !freed.contains(live)
              && live.leases.stream().anyMatch(held -> held.id == other);
      r.r2 = pinned && table.renew("b", new long[] {other})[0] > 0 && booksAreRight(lease, other);
    }
  }

  /** A renewal and a recall: a lease is not renewed once its recall was sent. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "renewed before the recall")
  @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "not renewed")
  @State
  public static class RecallAndRenewal extends Table {
    @Actor
    public void recall() {
      recalled(pin);
    }

    @Actor
    public void renew(ZZ_Result r) {
      r.r1 = table.renew("a", new long[] {lease})[0] > 0;
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      r.r2 = table.renew("a", new long[] {lease})[0] == 0 && booksAreRight(lease);
    }
  }
}
