// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.ExtentMapper;
import io.rdio.datanode.volume.Leftovers;
import io.rdio.datanode.volume.PinDirectory;
import io.rdio.datanode.volume.ReplicaSource;
import io.rdio.datanode.volume.Storage;
import io.rdio.datanode.volume.VolumeAccess;
import io.rdio.datanode.volume.VolumeIdentifier;
import io.rdio.datanode.volume.VolumeOpener;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Grants file maps under leases, renews them, takes them back: the DataNode's half of the lease
 * protocol (docs/protocol.md). One incarnation of it lives as long as the plugin; when it ends, the
 * pins stay on disk and the next one honours them. Thread-safe.
 */
public final class GrantService {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int PAGE = 1_000;

  /** Also for clients that name no time of their own. */
  public static final long WAIT_MAX_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Where a client's recalls go. Thread-safe; must neither block nor throw. */
  @FunctionalInterface
  public interface RecallSink {
    /** Leases that the client shall return; an id may come more than once. */
    void recall(long[] leaseIds);
  }

  private final GrantConfig config;
  private final ReplicaSource source;
  private final ExtentMapper mapper;
  private final VolumeIdentifier identifier;
  private final MonotonicClock clock;
  private final GrantThreads threads;
  private final long incarnation;
  private final GrantCounters counters = new GrantCounters();
  private final LeaseTable table;
  private final Recalls recalls;
  private final Unpinner unpinner;
  private final Admission admission;
  private final Volumes volumes;
  private final Pinner pinner;
  private final Sweeper sweeper;

  /**
   * @param clock monotonic; all terms are counted on it
   */
  public GrantService(
      GrantConfig config,
      ReplicaSource source,
      ExtentMapper mapper,
      VolumeIdentifier identifier,
      MonotonicClock clock,
      GrantThreads threads) {
    this.config = config;
    this.source = source;
    this.mapper = mapper;
    this.identifier = identifier;
    this.clock = clock;
    this.threads = threads;
    this.incarnation = newIncarnation();
    this.table = new LeaseTable(config, clock);
    this.recalls = new Recalls(table, counters);
    this.unpinner = new Unpinner(config.holdNanos(), table, clock, counters);
    this.admission = new Admission(source, table, recalls, unpinner, counters);
    this.volumes = new Volumes(source, this::volume, this::gone);
    this.pinner = new Pinner(source, mapper, table, recalls, admission, unpinner, counters);
    this.sweeper = new Sweeper(source, volumes, table, recalls, unpinner, clock, counters);
  }

  private Volume volume(Storage storage) {
    PinDirectory directory = new PinDirectory(storage.volumeRoot(), config.holdMillis());
    Leftovers leftovers = new Leftovers(counters);
    VolumeOpener opener =
        new VolumeOpener(storage, directory, leftovers, identifier, mapper, clock);
    VolumeAccess access = new VolumeAccess(storage.volumeRoot(), opener, clock);
    return new Volume(storage, directory, leftovers, access, threads, counters);
  }

  private static long newIncarnation() {
    long value = RANDOM.nextLong();
    while (value == 0) {
      value = RANDOM.nextLong();
    }
    return value;
  }

  public GrantConfig config() {
    return config;
  }

  /** New at each start and never 0. */
  public long incarnation() {
    return incarnation;
  }

  public GrantCounters counters() {
    return counters;
  }

  /** The DataNode's UUID, or "" while it has none. */
  public String dataNodeUuid() {
    return source.dataNodeUuid();
  }

  /**
   * See {@link ReplicaSource#tokenPassword}.
   *
   * @throws FallbackException TOKEN_REFUSED or DATANODE_NOT_READY
   */
  public byte[] tokenPassword(BlockKey block, byte[] identifier) throws FallbackException {
    return source.tokenPassword(block, identifier);
  }

  /**
   * As {@link #grantLater} with the longest time, waiting for the answer.
   *
   * @return one answer for each block, in order
   */
  public List<GrantResult> grant(Holder holder, List<BlockAsk> asks, BooleanSupplier cancelled) {
    return grantLater(holder, asks, cancelled, WAIT_MAX_NANOS).join();
  }

  /**
   * Grants file maps. The caller waits for no disk: blocks that have no pin are pinned on the
   * threads of their volumes.
   *
   * @param cancelled whether nobody waits for the answer any more
   * @param waitNanos after so long, and after {@link #WAIT_MAX_NANOS} at the latest, blocks that
   *     are not pinned yet are refused
   * @return one answer for each block, in order; completed on any thread. A lease whose answer is
   *     not delivered should be given back at once. Fails only if something fails that should not;
   *     then no lease is left of it.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // what it does is all that is wanted of it
  public CompletableFuture<List<GrantResult>> grantLater(
      Holder holder, List<BlockAsk> asks, BooleanSupplier cancelled, long waitNanos) {
    long start = clock.nanos();
    GrantBatch batch = new GrantBatch(holder, cancelled, admission, volumes, pinner);
    CompletableFuture<List<GrantResult>> answers = batch.run(asks);
    if (!answers.isDone()) {
      boolean timed = false;
      try {
        long wait = Math.min(Math.max(waitNanos, 0), WAIT_MAX_NANOS);
        Runnable timer = threads.after(wait, () -> batch.giveUp(wait));
        timed = true;
        answers.whenComplete((results, failure) -> timer.run());
      } finally {
        if (!timed) {
          batch.abandon();
        }
      }
    }
    return answers.thenApply(results -> counted(holder, results, start));
  }

  private List<GrantResult> counted(Holder holder, List<GrantResult> results, long start) {
    try {
      for (GrantResult result : results) {
        if (result instanceof GrantResult.Refused refused) {
          counters.refused(refused.reason());
        } else {
          counters.granted();
        }
      }
      counters.requestTook(clock.nanos() - start);
      GrantFaultInjector.get().beforeReply(holder.clientId());
      return results;
    } catch (Throwable e) {
      results.forEach(result -> admission.takeBack(holder, result));
      throw e;
    }
  }

  /**
   * New terms for leases.
   *
   * @return milliseconds from now for each lease, in order; 0 where it cannot be renewed
   */
  public long[] renew(String clientId, long ofIncarnation, long[] leaseIds) {
    if (ofIncarnation != incarnation) {
      return new long[leaseIds.length];
    }
    long[] terms = table.renew(clientId, leaseIds);
    counters.renewed(Arrays.stream(terms).filter(term -> term > 0).count());
    return terms;
  }

  /** Takes leases back. Those that the client does not hold are ignored. */
  public void giveBack(String clientId, long ofIncarnation, long[] leaseIds) {
    if (ofIncarnation == incarnation) {
      unpinner.unpin(table.giveBack(clientId, leaseIds));
    }
  }

  /** Sends a client's recalls here, and no longer to where they went before. */
  public void subscribe(String clientId, RecallSink sink) {
    recalls.subscribe(clientId, sink);
  }

  /** Ends {@link #subscribe} of this sink. */
  public void unsubscribe(String clientId, RecallSink sink) {
    recalls.unsubscribe(clientId, sink);
  }

  /** {@link #look} and {@link #upkeep}, one after the other. */
  public void sweep() {
    look();
    upkeep();
  }

  /**
   * Asks HDFS for storage directories and replicas that came or went. To be called again and again,
   * by one thread at a time. It may wait for HDFS as long as a volume hangs, whichever that is;
   * throws nothing.
   */
  public void look() {
    counters.survive("a look at HDFS", sweeper::look);
  }

  /**
   * All else that is due: ends leases that ran out, and has each volume looked after. To be called
   * again and again, by one thread at a time, and not by the one of {@link #look}: it waits for
   * nobody. Throws nothing.
   */
  public void upkeep() {
    counters.survive("the upkeep", sweeper::upkeep);
  }

  /** The part of {@link #upkeep} that ends leases that ran out. Thread-safe. */
  public void expire() {
    counters.survive("ending leases", sweeper::expire);
  }

  /**
   * Asks a block back that HDFS is about to change, and waits for its holders, so that HDFS finds
   * no link of ours. Nothing depends on it but HDFS's time: a block that is still pinned is copied
   * by HDFS before it is changed.
   *
   * @param waitNanos how long at most; 0 only asks
   * @return false when the block is still pinned; a grant that comes later may pin it again
   */
  public boolean recallBeforeChange(BlockKey block, long waitNanos) throws InterruptedException {
    Pin pin = table.pin(block);
    if (pin == null) {
      return true;
    }
    recalls.recall(pin, false);
    boolean free = table.awaitRecalled(block, waitNanos);
    counters.changed(free);
    return free;
  }

  private void gone(Volume volume) {
    for (Pin pin : table.close(volume)) {
      counters.survive("recalling " + pin.block(), () -> recalls.recall(pin, false));
    }
  }

  /** All leases, as of no one moment: grants and renewals go on between two pages. */
  List<LeaseInfo> leases() {
    List<LeaseInfo> all = new ArrayList<>();
    List<LeaseInfo> page = leases(0, PAGE);
    while (!page.isEmpty()) {
      all.addAll(page);
      page = leases(page.get(page.size() - 1).number(), PAGE);
    }
    return all;
  }

  /**
   * A page of the leases held now.
   *
   * @param after the last {@link LeaseInfo#number} of the page before; 0 for the first page
   * @param max leases on a page, at least 1; a thousand hold up grants for less than a millisecond
   * @return by number, ascending; empty behind the last
   */
  public List<LeaseInfo> leases(long after, int max) {
    return table.list(after, max);
  }

  /** Number of leases held now. */
  public int leaseCount() {
    return table.leaseCount();
  }

  /** Bytes of the heap that leases and pins take. */
  public long leaseHeapBytes() {
    return table.heapBytes();
  }

  /** The storage directories looked at so far; {@link #sweep} takes in new ones. No disk access. */
  public List<VolumeStatus> volumes() {
    return volumes.all().stream()
        .filter(volume -> volume.access().isKnown())
        .map(table::status)
        .toList();
  }
}
