// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.linux.DeviceIdle;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.volume.AgentFences;
import io.rdio.datanode.volume.ExtentMapper;
import io.rdio.datanode.volume.MetaHeader;
import io.rdio.datanode.volume.VolumeIdentifier;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** The write room of a DataNode. Thread-safe. */
public final class DataNodeWriteRoom implements WriteRoom {
  // A write by it may hang, and an agent cannot end the lease before it is answered: it is killed
  // where it is not renewed meanwhile. This is longer than kernels wait for a device by default.
  private static final long LOST_NANOS = TimeUnit.MINUTES.toNanos(15);

  private static final SecureRandom RANDOM = new SecureRandom();

  private final WriteConfig config;
  private final ReplicaWriter writer;
  private final WriteThreads threads;
  private final long incarnation;
  private final WriteCounters counters = new WriteCounters();
  private final WriteLeases leases;
  private final SlotEnds ends;
  private final WriteVolumes volumes;
  private final WriteFence fence;
  private final SlotLender lender;
  private final CommitDesk commits;
  private final CommitRehearsal rehearsal;

  /**
   * What a volume lies on.
   *
   * @param identifier finds its device
   * @param fences shut hosts of agents out of that
   */
  public record Devices(VolumeIdentifier identifier, AgentFences fences) {}

  /** What tests put in the place of the machine. */
  record Machine(SlotFiles files, LongSupplier random, Function<Path, BooleanSupplier> idle) {}

  /**
   * @param clock monotonic; all terms are counted on it
   */
  public DataNodeWriteRoom(
      WriteConfig config,
      ReplicaWriter writer,
      Devices devices,
      ExtentMapper mapper,
      MonotonicClock clock,
      WriteThreads threads) {
    this(
        config,
        writer,
        devices,
        clock,
        threads,
        new Machine(new KernelSlotFiles(mapper), RANDOM::nextLong, DeviceIdle::new));
  }

  DataNodeWriteRoom(
      WriteConfig config,
      ReplicaWriter writer,
      Devices devices,
      MonotonicClock clock,
      WriteThreads threads,
      Machine machine) {
    this.config = config;
    this.writer = writer;
    this.threads = threads;
    this.incarnation = newIncarnation(machine.random());
    this.leases = new WriteLeases(config.leaseNanos(), clock, machine.random());
    this.ends = new SlotEnds(config, clock);
    this.fence = new WriteFence(config, devices.fences());
    this.rehearsal = new CommitRehearsal(machine.files());
    this.volumes =
        new WriteVolumes(
            writer,
            storage -> new SlotVolume(storage, threads, config, counters, clock),
            volume -> upkeep(volume, sweeper(volume, devices.identifier(), clock, machine)),
            leases::endAllOn);
    this.lender = new SlotLender(writer, leases, ends, fence, volumes);
    WriteCommit commit = new WriteCommit(writer, machine, ends, config, clock, counters);
    this.commits = new CommitDesk(writer, leases, commit, threads, counters, volumes);
  }

  private SlotSweeper sweeper(
      SlotVolume volume, VolumeIdentifier identifier, MonotonicClock clock, Machine machine) {
    SlotOpener opener =
        new SlotOpener(volume, config, machine.files(), identifier, clock, machine.random());
    SlotRelease release = new SlotRelease(volume, fence, config, clock, counters);
    SlotRecycler recycler = new SlotRecycler(volume, config, clock, counters);
    BooleanSupplier idle = machine.idle().apply(volume.root());
    SlotSweeper.Ways ways = new SlotSweeper.Ways(opener, release, recycler, rehearsal, idle);
    return new SlotSweeper(volume, ways, writer, config, clock, counters);
  }

  private Runnable upkeep(SlotVolume volume, SlotSweeper sweeper) {
    return () -> {
      counters.survive("ending leases of replicas that are gone", () -> endLost(volume));
      sweeper.upkeep();
    };
  }

  /**
   * Ends the leases of replicas that HDFS has taken away a while ago: their writers can commit
   * nothing. Agents renew them for as long as a process has its block open, which may stand still
   * for ever.
   */
  private void endLost(SlotVolume volume) {
    for (WriteLease lease : leases.on(volume)) {
      boolean isThere = writer.isThere(lease.lent.replica());
      if (leases.noteLost(lease, isThere, LOST_NANOS) && leases.end(lease)) {
        ends.ranOut(lease);
        counters.countExpired();
      }
    }
  }

  private static long newIncarnation(LongSupplier random) {
    long value = random.getAsLong();
    while (value == 0) {
      value = random.getAsLong();
    }
    return value;
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public long ioMillis() {
    return config.ioMillis();
  }

  @Override
  public WriteCounters counters() {
    return counters;
  }

  @Override
  public CompletableFuture<AllocateResult> allocate(AllocateCommand command, long waitNanos) {
    CompletableFuture<AllocateResult> answer = new CompletableFuture<>();
    try {
      SlotVolume volume = admit(command);
      volume.allocating().execute(() -> lend(command, volume, answer));
    } catch (RejectedExecutionException e) {
      answer.complete(stalled("more wait for the volume than may"));
    } catch (Throwable e) {
      answer.complete(refusal(command, e));
    }
    if (!answer.isDone()) {
      Runnable timer =
          threads.after(
              waitNanos, () -> answer.complete(stalled("no slot within the client's time")));
      return answer.thenApply(result -> counted(result, timer));
    }
    return answer.thenApply(result -> counted(result, () -> {}));
  }

  private static AllocateResult stalled(String detail) {
    return new AllocateResult.Refused(FallbackReason.VOLUME_STALLED, detail);
  }

  private AllocateResult counted(AllocateResult result, Runnable timer) {
    timer.run();
    if (result instanceof AllocateResult.Refused refused) {
      counters.refused(refused.reason());
    } else {
      counters.countAllocated();
    }
    return result;
  }

  /** What is known before anybody waits for the volume. */
  private SlotVolume admit(AllocateCommand command) throws FallbackException {
    writer.checkAccess(command.block(), command.tokened().token(), command.storageId());
    if (leases.isClosed()) {
      throw new FallbackException(FallbackReason.DATANODE_NOT_READY, "the plugin ends");
    }
    checkChecksums(command);
    SlotVolume volume =
        volumes
            .choose(command.storageId(), command.bytes())
            .orElseThrow(
                () ->
                    new FallbackException(
                        FallbackReason.STORAGE_UNSUPPORTED,
                        "storage " + command.storageId() + " is not in use here"));
    volume.use();
    FallbackException unfenced = fence.obstacle(volume.root());
    if (unfenced != null) {
      throw unfenced;
    }
    return volume;
  }

  private static void checkChecksums(AllocateCommand command) throws FallbackException {
    ChecksumSpec spec =
        new ChecksumSpec(command.checksumType(), command.bytesPerChecksum(), MetaHeader.LENGTH);
    if (spec.type() == ChecksumSpec.Type.NULL
        || spec.metaLength(command.bytes()) > COMMIT_CRC_BYTES_MAX) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED, spec + " for a block of " + command.bytes());
    }
  }

  private void lend(
      AllocateCommand command, SlotVolume volume, CompletableFuture<AllocateResult> answer) {
    if (answer.isDone()) {
      return;
    }
    WriteLease lease = null;
    AllocateResult result;
    try {
      lease = lender.lend(command, volume);
      result = new AllocateResult.Granted(grant(lease));
    } catch (Throwable e) {
      result = refusal(command, e);
    }
    if (lease != null) {
      lease.lent.volume().inUse();
    }
    boolean told = answer.complete(result);
    if (!told && lease != null) {
      lender.takeBack(lease);
    }
    if (!told || lease == null) {
      volumes.requestUpkeep(volume);
    }
  }

  private AllocateResult refusal(AllocateCommand command, Throwable failure) {
    if (failure instanceof FallbackException refusal) {
      return AllocateResult.Refused.of(refusal);
    }
    if (failure instanceof IOException) {
      return new AllocateResult.Refused(
          FallbackReason.PIN_FAILED, command.block() + ": " + failure);
    }
    counters.failed("lending a slot for " + command.block(), failure);
    return new AllocateResult.Refused(
        FallbackReason.INTERNAL_ERROR, command.block() + ": " + failure);
  }

  private WriteGrantData grant(WriteLease lease) throws FallbackException {
    WriteLease.Lent lent = lease.lent;
    SlotVolume.Opened opened = lent.volume().use();
    return new WriteGrantData(
        incarnation,
        lease.id,
        config.leaseMillis(),
        config.ioMillis(),
        lent.block(),
        opened.device(),
        lent.volume().storage().storageId(),
        lent.slot().extents(),
        lent.slot().number(),
        lent.slot().nonce(),
        opened.unit(),
        lent.hostKey() != AgentFences.NOBODY);
  }

  @Override
  public long[] renew(String clientId, long ofIncarnation, long[] leaseIds) {
    return ofIncarnation == incarnation
        ? leases.renew(clientId, leaseIds)
        : new long[leaseIds.length];
  }

  @Override
  public CommitIntake openCommit(CommitHead head) throws FallbackException {
    return commits.open(head, head.incarnation() == incarnation);
  }

  @Override
  public List<Integer> abort(
      String clientId, long ofIncarnation, long[] leaseIds, List<SlotEnd> how) {
    if (how.size() != leaseIds.length) {
      throw new IllegalArgumentException(leaseIds.length + " leases, but " + how.size() + " ends");
    }
    if (ofIncarnation != incarnation) {
      return IntStream.range(0, leaseIds.length).boxed().toList();
    }
    List<Integer> late = new ArrayList<>();
    for (int i = 0; i < leaseIds.length; i++) {
      WriteLease lease = leases.abort(clientId, leaseIds[i]);
      if (lease != null) {
        aborted(lease.lent, how.get(i));
      } else if (!leases.isOfCommit(clientId, leaseIds[i])) {
        late.add(i);
      }
    }
    return late;
  }

  private void aborted(WriteLease.Lent lent, SlotEnd how) {
    switch (how) {
      case UNWRITTEN -> ends.unwritten(lent);
      // Left alone for as long: what is sent by now lands within that time, but of a machine that
      // stands still.
      case QUIET -> ends.quiet(lent);
      case UNDER_WAY -> ends.underWay(lent);
    }
    counters.countAborted();
    counters.survive("looking after a volume", () -> volumes.requestUpkeep(lent.volume()));
  }

  @Override
  public void beforeChange(BlockKey block) {
    for (SlotVolume volume : volumes.all()) {
      counters.survive("letting go of a file", () -> volume.kept().letGo(block.blockId()));
    }
  }

  @Override
  public List<SlotStatus> volumes() {
    return volumes.all().stream()
        .filter(volume -> volume.openedOrNull() != null || volume.refusal() != null)
        .map(this::status)
        .toList();
  }

  private SlotStatus status(SlotVolume volume) {
    SlotVolume.Opened opened = volume.openedOrNull();
    FallbackException refusal = volume.refusal();
    SlotPool pool = opened == null ? SlotPool.NONE : opened.pool();
    return new SlotStatus(
        volume.storage().storageId(),
        refusal == null ? fence.obstacle(volume.root()) : refusal,
        pool.count(),
        pool.bytes(),
        leases.countOn(volume),
        volume.quarantine().count(),
        volume.quarantine().bytes(),
        volume.account().commits(),
        volume.kept().count());
  }

  @Override
  public List<WriteLeaseInfo> leases(long after, int max) {
    return leases.list(after, max);
  }

  @Override
  public void upkeep() {
    if (leases.isClosed()) {
      return;
    }
    counters.survive("looking for storage directories", volumes::refresh);
    counters.survive("ending leases", this::expire);
    for (SlotVolume volume : volumes.all()) {
      counters.survive("looking after a volume", () -> volumes.requestUpkeep(volume));
    }
  }

  private void expire() {
    for (WriteLease lease : leases.expire()) {
      ends.ranOut(lease);
      counters.countExpired();
    }
  }

  @Override
  public void close() {
    leases.close();
    volumes.all().forEach(SlotVolume::leave);
  }
}
