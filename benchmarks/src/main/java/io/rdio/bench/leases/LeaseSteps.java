// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.grant.GrantConfig;
import io.rdio.datanode.grant.GrantResult;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.grant.GrantService.RecallSink;
import io.rdio.datanode.grant.GrantThreads;
import io.rdio.datanode.grant.Holder;
import io.rdio.datanode.grant.LeaseInfo;
import java.io.IOException;
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
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the DataNode does for its leases, one step at a time, each of which leaves as many leases as
 * there were. All of it is done on the caller's thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls fill() first.
public class LeaseSteps {
  private static final int LEASES_ON_A_PIN = 50;
  private static final int CLIENTS = 1_000;
  private static final int PAGE = 1_000;
  private static final int BATCH = 1_000;
  private static final long TERM = TimeUnit.MINUTES.toNanos(1);
  private static final RecallSink UNHEARD = ids -> {};

  @Param({"10000", "100000", "1000000", "5000000"})
  public int leases;

  /** In all; 0 for one for each {@value #LEASES_ON_A_PIN} leases. */
  @Param("0")
  public int pins;

  private PinnedReplicas replicas;
  private GrantService service;
  private long[] ids;
  private final long[] batch = new long[BATCH];
  private int oldest;
  private long nanos;
  private long lastBlock;

  /** Everything at once, where it is asked for; nothing takes too long. */
  private static final class SameThread implements GrantThreads {
    @Override
    public Executor pinning(Path volumeRoot) {
      return Runnable::run;
    }

    @Override
    public Executor upkeep(Path volumeRoot) {
      return Runnable::run;
    }

    @Override
    public Runnable after(long waitNanos, Runnable work) {
      return () -> {};
    }
  }

  /** Without bounds, and on the caller's thread. */
  static GrantService service(PinnedReplicas replicas, MonotonicClock clock) {
    GrantConfig config =
        GrantConfig.builder()
            .maxIoMillis(0)
            .pinsPerVolume(Integer.MAX_VALUE)
            .leasesPerAddress(Integer.MAX_VALUE)
            .pinnedBytesPerAddress(Long.MAX_VALUE)
            .leasesMax(Integer.MAX_VALUE)
            .heapMax(Long.MAX_VALUE)
            .build();
    DeviceIdentity device =
        new DeviceIdentity("ext4", new UUID(1, 2), 1L << 40, "", 0, "/dev/nvme0n1");
    ExtentList extents = ExtentList.of(new long[] {1 << 20}, new long[] {1 << 20});
    return new GrantService(
        config, replicas, (file, length) -> extents, volume -> device, clock, new SameThread());
  }

  /** Each lease a moment later than the one before, so that they run out one by one. */
  @Setup
  public void fill() throws IOException {
    replicas = new PinnedReplicas();
    service = service(replicas, () -> nanos);
    service.sweep();
    ids = new long[leases];
    for (int i = 0; i < leases; i++) {
      nanos++;
      ids[i] = grant(client(i), block(i));
    }
    lastBlock = leases;
  }

  /** Removes the files that were pinned. */
  @TearDown
  public void remove() throws IOException {
    replicas.close();
  }

  private long block(int lease) {
    return pins == 0 ? lease / LEASES_ON_A_PIN : lease % pins;
  }

  private static String client(int lease) {
    return "client-" + lease % CLIENTS;
  }

  private long grant(String client, long block) {
    return grant(service, client, block);
  }

  static long grant(GrantService service, String client, long block) {
    Holder holder = new Holder(client, "10.0.0." + Math.floorMod(client.hashCode(), 250));
    BlockAsk ask = new BlockAsk(new TokenedBlock(new BlockKey("BP-1-127.0.0.1-1", block, 1001)));
    GrantResult result = service.grant(holder, List.of(ask), () -> false).get(0);
    if (result instanceof GrantResult.Granted granted) {
      return granted.leaseId();
    }
    throw new IllegalStateException(result.toString());
  }

  private void giveBack(String client, long lease) {
    service.giveBack(client, service.incarnation(), new long[] {lease});
  }

  private long renew(int lease) {
    return service.renew(client(lease), service.incarnation(), new long[] {ids[lease]})[0];
  }

  private int any() {
    return ThreadLocalRandom.current().nextInt(leases);
  }

  /**
   * Any lease: none of what is touched is in a cache once there are more than fit there; see {@link
   * BareMemory}.
   */
  @Benchmark
  public long renewAny() {
    return renew(any());
  }

  /** Any leases of a client, a thousand by one call, of which each is counted. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long[] renewBatch() {
    int client = ThreadLocalRandom.current().nextInt(CLIENTS);
    for (int i = 0; i < BATCH; i++) {
      batch[i] = ids[any() / CLIENTS * CLIENTS + client];
    }
    return service.renew(client(client), service.incarnation(), batch);
  }

  /**
   * All leases in turn, each twice a term, with what a renewal leaves to be done when the leases'
   * first terms are over.
   */
  @Benchmark
  public long renewInTurnAndExpire() {
    nanos += TERM / 2 / leases;
    if (oldest % BATCH == 0) {
      service.expire();
    }
    return renewInTurn();
  }

  /** The leases in turn, as clients do that renew when half a term is over. */
  @Benchmark
  public long renewInTurn() {
    oldest = (oldest + 1) % leases;
    return renew(oldest);
  }

  /** A lease on any pin. */
  @Benchmark
  public void grantAnyAndReturn() {
    giveBack("client-0", grant("client-0", block(any())));
  }

  /** A first grant and its undoing, with the links and syncs of files in memory. */
  @Benchmark
  public void pinAndUnpin() {
    lastBlock++;
    giveBack("client-0", grant("client-0", lastBlock));
  }

  /** A look for leases that ran out which finds none. */
  @Benchmark
  public void expireNone() {
    service.expire();
  }

  /** One that finds one lease, which is granted again. */
  @Benchmark
  public void expireOneAndGrant() {
    // All were granted a nanosecond after each other; so are the new ones.
    nanos += nanos > leases ? 1 : TERM + 1 - leases + 1;
    service.expire();
    ids[oldest] = grant(client(oldest), block(oldest));
    oldest = (oldest + 1) % leases;
  }

  /**
   * A sweep, which asks HDFS for each replica that is pinned, one for each fifty leases, and looks
   * at the inodes of some two thousand of them.
   */
  @Benchmark
  public void sweep() {
    service.sweep();
  }

  /** A thousand leases from any number on. */
  @Benchmark
  public List<LeaseInfo> listPage() {
    return service.leases(any(), PAGE);
  }

  /** A stream of recalls for a client that has none, opened and closed. */
  @Benchmark
  public void subscribe() {
    service.subscribe("client-1", UNHEARD);
    service.unsubscribe("client-1", UNHEARD);
  }
}
