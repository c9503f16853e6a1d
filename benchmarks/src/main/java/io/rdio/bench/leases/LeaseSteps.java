// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Steps of the lease table, one at a time, each of which leaves as many leases in it as there were.
 * In this package because the table is nobody else's business.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls fill() first.
public class LeaseTableSteps {
  private static final int LEASES_ON_A_PIN = 50;
  private static final int CLIENTS = 1_000;
  private static final int PAGE = 1_000;
  private static final Path ROOT = Path.of("data", "1", "dfs", "dn").toAbsolutePath();

  @Param({"10000", "100000", "1000000", "5000000"})
  public int leases;

  private final Volume volume =
      new Volume(
          new Storage("DS-1", ROOT, true),
          new PinDirectory(ROOT, 120_000),
          new Leftovers(),
          new VolumeAccess(ROOT, LeaseTableSteps::noDisk, System::nanoTime),
          new NoThreads(),
          new GrantCounters());
  private LeaseTable table;
  private long[] ids;
  private int oldest;
  private long nanos;
  private long lastBlock;

  private static VolumeAccess.Opened noDisk() {
    throw new IllegalStateException("the lease table needs no disk");
  }

  /** The lease table has no work done elsewhere. */
  private static final class NoThreads implements GrantThreads {
    @Override
    public Executor pinning(Path volumeRoot) {
      return work -> noDisk();
    }

    @Override
    public Executor upkeep(Path volumeRoot) {
      return work -> noDisk();
    }

    @Override
    public Runnable after(long nanos, Runnable work) {
      throw new IllegalStateException("the lease table waits for nothing");
    }
  }

  /** Each lease a moment later than the one before, so that they run out one by one. */
  @Setup
  public void fill() throws FallbackException {
    GrantConfig config =
        GrantConfig.builder()
            .maxIoMillis(0)
            .pinsPerVolume(Integer.MAX_VALUE)
            .leasesPerAddress(Integer.MAX_VALUE)
            .pinnedBytesPerAddress(Long.MAX_VALUE)
            .leasesMax(Integer.MAX_VALUE)
            .heapMax(Long.MAX_VALUE)
            .build();
    table = new LeaseTable(config, () -> nanos);
    ids = new long[leases];
    for (int i = 0; i < leases; i++) {
      nanos++;
      Demand demand = demand(client(i), i / LEASES_ON_A_PIN);
      ids[i] = i % LEASES_ON_A_PIN == 0 ? pin(demand) : share(demand);
    }
    lastBlock = leases;
  }

  private static String client(int lease) {
    return "client-" + lease % CLIENTS;
  }

  private static Demand demand(String client, long block) {
    Holder holder = new Holder(client, "10.0.0." + Math.floorMod(client.hashCode(), 250));
    return new Demand(holder, new BlockKey("BP-1-127.0.0.1-1", block, 1001), false);
  }

  private long share(Demand demand) throws FallbackException {
    table.admit(demand.address(), demand.block(), 0);
    GrantResult.Granted granted = table.share(demand);
    if (granted == null) {
      throw new IllegalStateException(demand.block() + " is not pinned");
    }
    return granted.leaseId();
  }

  private long pin(Demand demand) throws FallbackException {
    table.admit(demand.address(), demand.block(), 0);
    if (!table.reserve(volume, demand)) {
      throw new IllegalStateException("no place for " + demand.block());
    }
    return table.insert(newPin(demand.block()), demand).leaseId();
  }

  private Pin newPin(BlockKey block) {
    ExtentList extents = ExtentList.of(new long[] {1 << 20}, new long[] {1 << 20});
    PinnedMap map =
        new PinnedMap(
            block,
            "DS-1",
            new DeviceIdentity("ext4", new UUID(1, 2), 1L << 40, "", 0, "/dev/nvme0n1"),
            new Witness(4096, 1, 1),
            1 << 20,
            8199,
            extents,
            extents,
            new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7));
    Path file = ROOT.resolve("blk_" + block.blockId());
    return new Pin(
        map,
        new Replica(block, "DS-1", ROOT, file, file, 1 << 20),
        new PinnedFiles(file, file),
        "inode",
        volume);
  }

  private int any() {
    return ThreadLocalRandom.current().nextInt(leases);
  }

  /** Any lease: none of what is touched is in a cache once the table is larger than that. */
  @Benchmark
  public long renewAny() {
    int lease = any();
    return table.renew(client(lease), ids[lease]);
  }

  /** The leases in turn, as clients do that renew when half a term is over. */
  @Benchmark
  public long renewInTurn() {
    oldest = (oldest + 1) % leases;
    return table.renew(client(oldest), ids[oldest]);
  }

  /** A lease on any pin. */
  @Benchmark
  public List<Pin> grantAnyAndReturn() throws FallbackException {
    Demand demand = demand("client-0", any() / LEASES_ON_A_PIN);
    return table.giveBack("client-0", new long[] {share(demand)});
  }

  /** All that a first grant does in the table, and its undoing. */
  @Benchmark
  public void pinAndUnpin() throws FallbackException {
    lastBlock++;
    long lease = pin(demand("client-0", lastBlock));
    table.giveBack("client-0", new long[] {lease}).forEach(table::unpinned);
  }

  /** A sweep that finds nothing due. */
  @Benchmark
  public List<Pin> expireNone() {
    return table.expire();
  }

  /** A sweep that finds one lease due, which is granted again. */
  @Benchmark
  public List<Pin> expireOneAndGrant() throws FallbackException {
    // All were granted a nanosecond after each other; so are the new ones.
    nanos += nanos > leases ? 1 : TimeUnit.MINUTES.toNanos(1) + 1 - leases + 1;
    List<Pin> free = table.expire();
    ids[oldest] = share(demand(client(oldest), oldest / LEASES_ON_A_PIN));
    oldest = (oldest + 1) % leases;
    return free;
  }

  /** A thousand leases from any number on. */
  @Benchmark
  public List<LeaseInfo> listPage() {
    return table.list(any(), PAGE);
  }

  /** The recalled leases of a client that has none. */
  @Benchmark
  public long[] recalledLeases() {
    return table.recalledLeases("client-1");
  }

  /** A thousand pins, as the sweep looks at them. */
  @Benchmark
  public List<Pin.Place> nextPins() {
    return table.nextPins(null, PAGE);
  }
}
