// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.grant.GrantFixture;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A room without volumes: it lends slots, remembers what it was told, and answers as it is told.
 */
public final class FakeWriteRoom implements WriteRoom {
  /** Of mode WRITE; {@code FakeHdfs.TOKEN} is not. */
  public static final byte[] WRITE_TOKEN = "\6tokenW\7secretW\0\0".getBytes(US_ASCII);

  public static final long LEASE_MILLIS = 30_000;
  public static final long IO_MILLIS = 60_000;
  public static final long SLOT_BYTES = 1L << 30;
  public static final int UNIT = 4096;

  public final List<AllocateCommand> allocations = new CopyOnWriteArrayList<>();
  public final List<String> aborts = new CopyOnWriteArrayList<>();
  public final List<CommitHead> commits = new CopyOnWriteArrayList<>();

  /** CRCs of blocks that were committed. */
  public final Map<BlockKey, byte[]> committed = new ConcurrentHashMap<>();

  /** Intakes that were neither committed nor closed. */
  public final AtomicInteger intakes = new AtomicInteger();

  public volatile boolean tokensOn = true;

  /** What Allocate waits for, and what it says instead of a grant. */
  public volatile CompletableFuture<@Nullable AllocateResult> allocating = done(null);

  /** What a Commit waits for, and what it says instead of success. */
  public volatile CompletableFuture<@Nullable CommitResult> committing = done(null);

  /** Called first in each call: may throw. */
  public volatile Runnable before = () -> {};

  /** Called when its volumes are looked at, as for each greeting. */
  public volatile Runnable inVolumes = () -> {};

  public volatile @Nullable FallbackException busy;

  private final long incarnation;
  private final WriteCounters counters = new WriteCounters();
  private final TreeMap<Long, AllocateCommand> leases = new TreeMap<>();

  public FakeWriteRoom(long incarnation) {
    this.incarnation = incarnation;
  }

  private static <T> CompletableFuture<@Nullable T> done(@Nullable T value) {
    return CompletableFuture.completedFuture(value);
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public long ioMillis() {
    return IO_MILLIS;
  }

  @Override
  public CompletableFuture<AllocateResult> allocate(AllocateCommand command, long waitNanos) {
    before.run();
    allocations.add(command);
    if (tokensOn && !Arrays.equals(command.tokened().token(), WRITE_TOKEN)) {
      return CompletableFuture.completedFuture(
          new AllocateResult.Refused(FallbackReason.TOKEN_REFUSED, "not of mode WRITE"));
    }
    return allocating.thenApply(
        said -> said == null ? new AllocateResult.Granted(lend(command)) : said);
  }

  private synchronized WriteGrantData lend(AllocateCommand command) {
    long lease = leases.size() + 1L;
    leases.put(lease, command);
    return grant(incarnation, lease, command.block());
  }

  /** What it grants. */
  public static WriteGrantData grant(long incarnation, long lease, BlockKey block) {
    return new WriteGrantData(
        incarnation,
        lease,
        LEASE_MILLIS,
        IO_MILLIS,
        block,
        GrantFixture.DEVICE,
        "DS-1",
        ExtentList.of(new long[] {1L << 32, 1 << 20}, new long[] {UNIT, SLOT_BYTES - UNIT}),
        7,
        -9,
        UNIT,
        true);
  }

  @Override
  public synchronized long[] renew(String clientId, long of, long[] leaseIds) {
    before.run();
    return Arrays.stream(leaseIds).map(id -> holds(clientId, of, id) ? LEASE_MILLIS : 0).toArray();
  }

  private synchronized boolean holds(String clientId, long of, long lease) {
    AllocateCommand command = leases.get(lease);
    return of == incarnation && command != null && command.holder().clientId().equals(clientId);
  }

  @Override
  public CommitIntake openCommit(CommitHead head) throws FallbackException {
    before.run();
    FallbackException refusal = busy;
    if (refusal != null) {
      throw refusal;
    }
    if (!committed.containsKey(head.block())
        && !holds(head.clientId(), head.incarnation(), head.leaseId())) {
      throw new FallbackException(FallbackReason.REPLICA_CHANGED, "no such lease");
    }
    commits.add(head);
    intakes.incrementAndGet();
    return new Intake(head);
  }

  private final class Intake implements CommitIntake {
    private final CommitHead head;
    private final ByteArrayOutputStream crcs = new ByteArrayOutputStream();
    private boolean over;

    Intake(CommitHead head) {
      this.head = head;
    }

    private long wanted() {
      return WriteCodec.crcBytes(head.length(), 512);
    }

    @Override
    public void add(ByteBuffer checksums) {
      byte[] bytes = new byte[checksums.remaining()];
      checksums.get(bytes);
      if (crcs.size() + bytes.length > wanted()) {
        throw new IllegalArgumentException("more CRCs than " + wanted() + " bytes");
      }
      crcs.writeBytes(bytes);
    }

    @Override
    public CompletableFuture<CommitResult> commit() {
      if (crcs.size() != wanted()) {
        throw new IllegalArgumentException(crcs.size() + " of " + wanted() + " bytes of CRCs");
      }
      close();
      return committing.thenApply(said -> said == null ? commitNow() : said);
    }

    private CommitResult commitNow() {
      committed.putIfAbsent(head.block(), crcs.toByteArray());
      return new CommitResult.Committed();
    }

    @Override
    public void close() {
      if (!over) {
        over = true;
        intakes.decrementAndGet();
      }
    }
  }

  @Override
  public synchronized List<Integer> abort(String clientId, long of, long[] ids, List<SlotEnd> how) {
    before.run();
    List<Integer> late = new ArrayList<>();
    for (int i = 0; i < ids.length; i++) {
      if (holds(clientId, of, ids[i])) {
        leases.remove(ids[i]);
        aborts.add(ids[i] + " " + how.get(i));
      } else {
        late.add(i);
      }
    }
    return late;
  }

  @Override
  public void beforeChange(BlockKey block) {}

  @Override
  public List<SlotStatus> volumes() {
    inVolumes.run();
    return List.of(new SlotStatus("DS-1", null, 5, 5 << 20, 1, 0, 0, 0, 0));
  }

  @Override
  public synchronized List<WriteLeaseInfo> leases(long after, int max) {
    List<WriteLeaseInfo> page = new ArrayList<>();
    for (Map.Entry<Long, AllocateCommand> lease : leases.tailMap(after, false).entrySet()) {
      if (page.size() < max) {
        AllocateCommand command = lease.getValue();
        page.add(
            new WriteLeaseInfo(
                lease.getKey(), command.holder(), command.block(), LEASE_MILLIS, SLOT_BYTES));
      }
    }
    return page;
  }

  @Override
  public WriteCounters counters() {
    return counters;
  }

  @Override
  public void upkeep() {}

  @Override
  public void close() {}
}
