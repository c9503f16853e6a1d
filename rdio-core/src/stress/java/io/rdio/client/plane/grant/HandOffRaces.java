// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.rdio.client.plane.FileMap;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import java.util.UUID;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** The client's races between a lease that arrives, is used, renewed and taken back. */
public final class HandOffRaces {
  private HandOffRaces() {}

  /** A lease with a second left to live. */
  abstract static class OneLease {
    static final long NOW = 0;

    final HeldLeases leases = new HeldLeases();
    final Lease lease = new Lease(1, 1, NOW, 1_000_000_000L);
    final FileMap map =
        new FileMap(
            new BlockKey("BP-1", 1, 1001),
            new GrantOrigin(
                "datanode:9860",
                2,
                "DS-1",
                new DeviceIdentity("ext4", new UUID(1, 2), 1 << 20, "", 0, "/dev/x"),
                0,
                1,
                new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7)),
            0,
            ExtentList.EMPTY,
            ExtentList.EMPTY,
            lease);
  }

  /** A recall overtakes the answer that grants the lease, or comes right behind it. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "ended and given back")
  @State
  public static class RecallAndArrival extends OneLease {
    private boolean givenBackByArrival;
    private boolean givenBackByRecall;

    @Actor
    public void arrive() {
      if (leases.add(map) == HeldLeases.Addition.RECALLED) {
        lease.end();
        givenBackByArrival = true;
      }
    }

    @Actor
    public void recall() {
      FileMap found = leases.recall(lease.id());
      if (found != null) {
        Lease.of(found).end();
        givenBackByRecall = true;
      }
    }

    @Arbiter
    public void settle(ZZ_Result r) {
      r.r1 = !lease.isValid(NOW) && leases.isEmpty();
      r.r2 = givenBackByArrival || givenBackByRecall;
    }
  }

  /** A recall and the reader's own rejection of the map: one of them takes the lease out. */
  @JCStressTest
  @Outcome(
      id = {"true, false", "false, true"},
      expect = ACCEPTABLE,
      desc = "given back by one")
  @State
  public static class RecallAndRejection extends OneLease {
    public RecallAndRejection() {
      leases.add(map);
    }

    @Actor
    public void recall(ZZ_Result r) {
      r.r1 = leases.recall(lease.id()) != null;
    }

    @Actor
    public void reject(ZZ_Result r) {
      r.r2 = leases.remove(map);
    }
  }

  /** An answer to a renewal arrives while the lease is ended: ended for good. */
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "ended")
  @State
  public static class RenewalAndEnd extends OneLease {
    @Actor
    public void renew() {
      lease.renew(NOW, 5_000_000_000L, NOW);
    }

    @Actor
    public void end() {
      lease.end();
    }

    @Arbiter
    public void settle(Z_Result r) {
      r.r1 = lease.isValid(NOW);
    }
  }

  /**
   * A reader's check, I/O, check against an end, return and reuse of the space: bytes of the new
   * owner are never used.
   */
  @JCStressTest
  @Outcome(id = "true, 1", expect = FORBIDDEN, desc = "another file's bytes under a valid lease")
  @Outcome(
      id = {"true, 0", "false, 0", "false, 1"},
      expect = ACCEPTABLE,
      desc = "the block's bytes, or none")
  @State
  public static class ReadAndReuse extends OneLease {
    private volatile int device;

    @Actor
    public void read(ZI_Result r) {
      boolean before = lease.isValid(NOW);
      r.r2 = device;
      r.r1 = before && lease.isValid(NOW);
    }

    @Actor
    public void endAndReuse() {
      lease.end();
      device = 1;
    }
  }

  /** A deadline that is moved while a reader looks at it close to its end. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the later of two renewals stays")
  @State
  public static class TwoRenewals extends OneLease {
    @Actor
    public void sooner() {
      lease.renew(NOW, 2_000_000_000L, NOW);
    }

    @Actor
    public void later() {
      lease.renew(NOW, 3_000_000_000L, NOW);
    }

    @Arbiter
    public void settle(Z_Result r) {
      r.r1 = lease.isValid(2_500_000_000L);
    }
  }
}
