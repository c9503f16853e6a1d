// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Resources;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.datanode.write.NewFile;
import io.rdio.hdfs.fault.DataDirectories;
import io.rdio.hdfs.fault.Steps;
import io.rdio.hdfs.it.Fsck;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A volume that {@code dfsadmin -reconfig} takes out of a running DataNode while one slot of it is
 * leased and written to, one is being lent, and Commits are at each of their steps; it is unmounted
 * and put back. Nothing is committed meanwhile, each slot is left alone for {@code Q} from then on
 * and free behind that, but for the one that nobody was told of, which goes at once; and what had
 * its name by then is whole. By the agent's own streams: {@code HotSwapWriteIT}.
 */
@Tag("loop")
final class SwappedVolumeIT {
  private static final int BLOCK = 4 << 20;
  private static final int LENGTH = 3_000_777;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final Duration IO_TIME = Duration.ofSeconds(5);
  private static final Duration QUARANTINE = LEASE.plus(IO_TIME);
  private static final long VOLUME = 400L << 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Of a Commit, the last one first, so that one can be held at each of them at once. */
  private static final List<String> FINALIZED = List.of("beforeAnswer", "beforeSeal");

  private static final String NAMED = "beforeFinish";

  private static final List<String> WITHOUT_A_NAME =
      List.of("beforeRename", "beforeMeta", "beforeReadBack", "beforeCut", "beforeHold");

  private final byte[] content = randomBytes(LENGTH);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private LoopVolume other;
  private Cluster cluster;
  private DataDirectories directories;
  private Steps steps;
  private DistributedFileSystem stock;
  private WritingClient client;

  /** A file of one block. */
  private class OneBlock {
    final NewFile file;
    final LocatedBlock located;

    OneBlock(String name) throws IOException {
      file = NewFile.create(stock, "/" + name, BLOCK);
      located = file.addBlock(null);
    }

    WriteSlot written() throws IOException {
      WriteSlot slot = client.awaitSlot(located, BLOCK);
      client.write(slot, content);
      return slot;
    }

    void commit(WriteSlot slot) throws FallbackException {
      client.commit(slot, content);
    }

    void close() {
      file.complete(WritingClient.written(located, content));
    }

    /** What lease recovery makes of it. */
    byte[] recovered() throws IOException {
      await("recovery of " + file.path())
          .atMost(PATIENCE)
          .until(() -> stock.recoverLease(file.path()));
      return read();
    }

    byte[] read() throws IOException {
      try (FSDataInputStream in = stock.open(file.path())) {
        return in.readAllBytes();
      }
    }

    void assertWhole() throws IOException {
      assertThat(Arrays.mismatch(read(), content)).as("%s", file.path()).isEqualTo(-1);
    }
  }

  /** One whose Commit is held at a step. */
  private final class Committing extends OneBlock {
    final String step;
    final WriteSlot slot;
    final CompletableFuture<FallbackReason> refusal;

    Committing(String step) throws IOException {
      super(step);
      this.step = step;
      this.slot = written();
      this.refusal = heldAt(step, () -> commit(slot));
    }
  }

  /** Returns when the call is held; one that ends ahead of its step fails with its reason. */
  private CompletableFuture<FallbackReason> heldAt(String step, ThrowingCallable call)
      throws IOException {
    steps.hold(step);
    CompletableFuture<FallbackReason> refusal =
        CompletableFuture.supplyAsync(() -> RemoteWriteIT.reasonOf(call), threads);
    await(step).atMost(PATIENCE).until(() -> steps.isReached(step) || refusal.isDone());
    assertThat(refusal).as("ended ahead of %s", step).isNotDone();
    return refusal;
  }

  /** Asks again where no slot is free just now: upkeep makes a few at a time. */
  private void lend(OneBlock to) throws IOException, FallbackException {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        client.allocate(to.located, BLOCK);
        return;
      } catch (FallbackException e) {
        if (e.reason() != FallbackReason.SLOTS_EXHAUSTED) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  @BeforeEach
  void start() throws IOException {
    Requirements.requireLoop("ext4");
    other = LoopVolume.create("ext4", VOLUME, LoopVolume.Backing.TMPFS);
    cluster =
        TestClusters.builder()
            .volumeBytes(VOLUME)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.block.access.token.enable", "true")
            .set("dfs.datanode.plugins", WriteStepsPlugin.PLUGINS)
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
            .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "60m")
            .set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), LEASE.toSeconds() + "s")
            .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), IO_TIME.toSeconds() + "s")
            .start();
    directories = new DataDirectories(cluster);
    steps = Steps.of(cluster);
    stock = (DistributedFileSystem) cluster.fileSystem(false);
    int port = cluster.clientConf(true).getInt(RdioConfigKeys.CLIENT_DATANODE_PORT.name(), 0);
    client = new WritingClient(() -> port, Path.of(cluster.volume(0).device()));
  }

  @AfterEach
  void stop() throws Exception {
    threads.shutdownNow();
    Resources.close(client, stock, cluster, other);
  }

  private List<String> names(String folder) throws IOException {
    Path rdio = cluster.volume(0).mountPoint().resolve("data/rdio");
    return Maps.files(rdio.resolve(folder)).stream()
        .map(file -> file.getFileName().toString())
        .toList();
  }

  private long metric(String name) throws IOException {
    return ((Number) cluster.dataNode(0).jmx("Hadoop:name=RdioDataNode-*,*").get(name)).longValue();
  }

  @Test
  void whatWasLentIsLeftAloneWhenItsVolumeIsBack() throws Exception {
    OneBlock closed = committed("closed");
    List<Committing> committing = heldCommits();
    OneBlock leased = new OneBlock("leased");
    WriteSlot slot = leased.written();
    OneBlock lending = new OneBlock("lending");
    CompletableFuture<FallbackReason> refusal = heldAt("beforeLease", () -> lend(lending));
    String untold = "." + lending.located.getBlock().getBlockId() + ".";
    List<String> lent = new ArrayList<>(names("slots/leased"));
    assertThat(lent).hasSize(WITHOUT_A_NAME.size() + 2);
    assertThat(lent.removeIf(name -> name.contains(untold))).isTrue();

    directories.use(other);
    await("its leases end").atMost(PATIENCE).until(() -> metric("SlotsLeased") == 0);
    client.write(slot, content); // by an agent that has not heard of it
    steps.release("beforeLease");
    assertThat(refusal.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    for (Committing each : committing) {
      assertRefused(each);
    }
    assertThat(RemoteWriteIT.reasonOf(() -> leased.commit(slot)))
        .isEqualTo(FallbackReason.REPLICA_CHANGED);
    await("the slot goes that was being lent")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(names("slots/leased")).containsExactlyInAnyOrderElementsOf(lent));

    DataDirectories.unmount(cluster.volume(0));
    DataDirectories.mount(cluster.volume(0));
    long back = System.nanoTime();
    directories.use(cluster.volume(0));
    assertLeftAlone(lent, slot, back);
    List<OneBlock> open = new ArrayList<>(committing);
    open.addAll(List.of(leased, lending));
    assertRecovered(open);
    assertFreeBehindItsTime(back);
    closed.assertWhole();
    committed("next").assertWhole();
    assertThat(Fsck.ofAllFiles(cluster.clientConf(false))).contains("is HEALTHY");
  }

  private OneBlock committed(String name) throws Exception {
    OneBlock file = new OneBlock(name);
    file.commit(file.written());
    file.close();
    return file;
  }

  private List<Committing> heldCommits() throws IOException {
    List<Committing> held = new ArrayList<>();
    for (String step : FINALIZED) {
      held.add(new Committing(step));
    }
    held.add(new Committing(NAMED));
    for (String step : WITHOUT_A_NAME) {
      held.add(new Committing(step));
    }
    return held;
  }

  /** Also when it is asked again: an agent asks those again that are not ready. */
  private void assertRefused(Committing commit) throws Exception {
    steps.release(commit.step);
    assertThat(commit.refusal.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .as(commit.step)
        .isNotNull();
    assertThat(RemoteWriteIT.reasonOf(() -> commit.commit(commit.slot)))
        .as(commit.step)
        .isIn(FallbackReason.REPLICA_CHANGED, FallbackReason.PIN_FAILED);
  }

  private static boolean isWithinQuarantine(long back) {
    return System.nanoTime() - back < QUARANTINE.toNanos();
  }

  /**
   * @param slot that an agent still writes to
   * @param back when its volume was put back, or a moment before
   */
  private void assertLeftAlone(List<String> lent, WriteSlot slot, long back) throws IOException {
    List<String> quarantined = names("slots/leased");
    if (isWithinQuarantine(back)) {
      assertThat(quarantined).containsExactlyInAnyOrderElementsOf(lent);
      client.write(slot, content); // which comes late, and to nobody's harm
    }
  }

  private void assertRecovered(List<OneBlock> open) throws Exception {
    for (OneBlock each : open) {
      if (!isFinalized(each)) {
        stock.recoverLease(each.file.path()); // all of them at once
      }
    }
    for (OneBlock each : open) {
      if (isFinalized(each)) {
        WriteSlot slot = ((Committing) each).slot;
        await("who asks again is told that it is there, " + each.file.path())
            .atMost(PATIENCE)
            .ignoreExceptionsInstanceOf(FallbackException.class) // not yet looked at
            .untilAsserted(() -> each.commit(slot));
        each.close();
        each.assertWhole();
      } else {
        boolean isNamed = each instanceof Committing commit && commit.step.equals(NAMED);
        assertThat(Arrays.mismatch(each.recovered(), isNamed ? content : new byte[0]))
            .as("%s", each.file.path())
            .isEqualTo(-1);
      }
    }
  }

  private static boolean isFinalized(OneBlock file) {
    return file instanceof Committing commit && FINALIZED.contains(commit.step);
  }

  private void assertFreeBehindItsTime(long back) {
    await("all slots come back").atMost(PATIENCE).until(() -> names("slots/leased").isEmpty());
    assertThat(isWithinQuarantine(back)).as("free before its time").isFalse();
    await("hold links go").atMost(PATIENCE).until(() -> names("pins").isEmpty());
  }
}
