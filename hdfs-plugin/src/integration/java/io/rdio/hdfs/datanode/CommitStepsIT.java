// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.datanode.write.NewFile;
import io.rdio.hdfs.fault.ForeignFiles;
import io.rdio.hdfs.fault.Steps;
import io.rdio.hdfs.it.Fsck;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A DataNode that is killed (SIGKILL), or whose host loses its power, between any two steps of
 * Allocate (W2) and Commit (W5), and started again: what is there then is what
 * docs/remote-writes.md says, lease recovery makes an empty or a whole file of it, all slots come
 * back, and no other file is touched.
 *
 * <p>Loss of power is the file system's shutdown: what the device was told by then is there, and
 * nothing else. A device that loses what it was told and not flushed is {@code LostCacheIT}'s.
 */
@Tag("loop")
final class CommitStepsIT {
  private static final int BLOCK = 4 << 20;

  /** Of a block that does not fill its slot, which is cut. */
  private static final int LENGTH = 3_000_777;

  /** Of the volume, for slots and what the test writes; other files have the rest. */
  private static final long LEFT = 220L << 20;

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LEASE = Duration.ofSeconds(8);
  private static final Duration IO_TIME = Duration.ofSeconds(8);

  /**
   * Of a Commit, but for afterRename and beforeKeep, from the last one to the first: so a Commit
   * can be held at each of them at once, as many as a volume takes.
   */
  private static final List<String> MOST_OF_COMMIT =
      List.of(
          "beforeAnswer",
          "beforeSeal",
          "beforeFinish",
          "beforeRename",
          "beforeMeta",
          "beforeReadBack",
          "beforeCut",
          "beforeHold");

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private byte[] content = randomBytes(LENGTH);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Held> held = new ArrayList<>();
  private Cluster cluster;
  private Steps steps;
  private DistributedFileSystem stock;
  private ForeignFiles foreign;
  private WritingClient client;
  private boolean losesPower;

  /** A file of one block, which is held at a step. */
  private abstract class Held {
    final String step;
    final NewFile file;
    final LocatedBlock located;

    Held(String step) throws IOException {
      this.step = step;
      file = NewFile.create(stock, "/" + step, BLOCK);
      located = file.addBlock(null);
    }

    /** Has it begin, and returns when it is held. */
    void begin() throws IOException {
      steps.hold(step);
      threads.execute(this::callUntilHeld);
      steps.awaitReached(step);
    }

    /** Again where it failed ahead of the step, as for a deadline on a busy machine. */
    private void callUntilHeld() {
      boolean failed = true;
      while (failed && !steps.isReached(step) && !Thread.currentThread().isInterrupted()) {
        try {
          call();
          failed = false;
        } catch (IOException | FallbackException e) {
          // Behind the step: the DataNode ended, which is what is wanted.
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }

    abstract void call() throws IOException, FallbackException;

    /** Looks at the volume of a DataNode that has ended. */
    abstract void checkEnded() throws IOException;

    /** Whether who asks again is told that it is done: lease recovery must not come before. */
    boolean isDone() {
      return false;
    }

    /** Looks at the file behind the DataNode's start. */
    abstract void checkRecovered() throws Exception;

    int filesIn(String folder) throws IOException {
      String block = "." + located.getBlock().getBlockId() + ".";
      return (int) names(folder).stream().filter(name -> name.contains(block)).count();
    }

    /** What lease recovery makes of it. */
    byte[] recovered() throws IOException {
      await("recovery behind " + step)
          .atMost(PATIENCE)
          .until(() -> stock.recoverLease(file.path()));
      return read();
    }

    byte[] read() throws IOException {
      try (FSDataInputStream in = stock.open(file.path())) {
        return in.readAllBytes();
      }
    }
  }

  /** One whose slot is being allocated. */
  private final class Allocating extends Held {
    Allocating(String step) throws IOException {
      super(step);
    }

    @Override
    void call() throws IOException, FallbackException {
      client.allocate(located, BLOCK);
    }

    @Override
    void checkEnded() throws IOException {
      boolean isStaged = !step.equals("beforeStage");
      assertThat(filesIn("slots/leased")).as(step).isEqualTo(isStaged ? 1 : 0);
    }

    @Override
    void checkRecovered() throws Exception {
      assertThat(recovered()).as(step).isEmpty();
    }
  }

  /** One that is being committed. */
  private final class Committing extends Held {
    final WriteSlot slot;

    Committing(String step) throws IOException {
      super(step);
      slot = client.awaitSlot(located, BLOCK);
      client.write(slot, content);
    }

    @Override
    void call() throws FallbackException {
      client.commit(slot, content);
    }

    /** Whether nothing of the file has the name of a block yet. */
    private boolean isBeforeRename() {
      return MOST_OF_COMMIT.indexOf(step) >= MOST_OF_COMMIT.indexOf("beforeRename");
    }

    /** Whether all names are durable. */
    private boolean isSealed() {
      return step.equals("beforeKeep") || step.equals("beforeAnswer");
    }

    @Override
    boolean isDone() {
      return isSealed() || (step.equals("beforeSeal") && !losesPower);
    }

    @Override
    void checkEnded() throws IOException {
      int staged = filesIn("slots/leased");
      if (isBeforeRename()) {
        assertThat(staged).as(step).isEqualTo(1);
      } else if (!losesPower || isSealed()) {
        assertThat(staged).as(step).isZero();
      }
      if (!step.equals("beforeHold")) {
        assertThat(filesIn("pins")).as("hold link, " + step).isEqualTo(1);
      }
    }

    @Override
    void checkRecovered() throws Exception {
      if (isDone()) {
        await("the answer that was lost, " + step)
            .atMost(PATIENCE)
            .ignoreExceptionsInstanceOf(FallbackException.class) // it does not answer yet
            .untilAsserted(() -> client.commit(slot, content));
        file.complete(WritingClient.written(located, content));
        assertWhole(read());
        return;
      }
      byte[] found = recovered();
      if (isBeforeRename()) {
        assertThat(found).as(step).isEmpty();
      } else if (!losesPower || found.length > 0) { // names that were not synced may go back
        assertWhole(found);
      }
    }

    private void assertWhole(byte[] found) {
      assertThat(Arrays.mismatch(found, content)).as(step).isEqualTo(-1);
    }
  }

  private Path rdio(String folder) {
    return cluster.volume(0).mountPoint().resolve("data/rdio").resolve(folder);
  }

  private List<String> names(String folder) throws IOException {
    return Maps.files(rdio(folder)).stream().map(file -> file.getFileName().toString()).toList();
  }

  @AfterEach
  void stop() throws IOException {
    threads.shutdownNow();
    if (client != null) {
      client.close();
    }
    if (stock != null) {
      stock.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @ParameterizedTest
  @MethodSource("io.rdio.hdfs.cluster.TestClusters#fileSystems")
  void killed(String fsType) throws Exception {
    start(fsType);
    endAtEachStep();
  }

  @ParameterizedTest
  @MethodSource("io.rdio.hdfs.cluster.TestClusters#fileSystems")
  void withoutPower(String fsType) throws Exception {
    Requirements.requireTool("xfs_io");
    losesPower = true;
    start(fsType);
    endAtEachStep();
  }

  /** Of such blocks the cut is left out, and with it the sync that it ends with. */
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void withoutPowerAsBlocksFillTheirSlots(String fsType) throws Exception {
    content = randomBytes(BLOCK);
    withoutPower(fsType);
  }

  private void start(String fsType) throws IOException {
    Requirements.requireLoop(fsType);
    cluster =
        TestClusters.builder()
            .fileSystem(fsType)
            .volumeBytes(400L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.block.access.token.enable", "true")
            .set("dfs.datanode.plugins", WriteStepsPlugin.PLUGINS)
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
            .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "60m")
            .set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), LEASE.toSeconds() + "s")
            .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), IO_TIME.toSeconds() + "s")
            .start();
    steps = Steps.of(cluster);
    stock = (DistributedFileSystem) cluster.fileSystem(false);
    foreign = new ForeignFiles(stock, cluster.volume(0).mountPoint(), LEFT);
    cluster.writeBack(); // HDFS does not, and they are to outlive a loss of power
    int port = cluster.clientConf(true).getInt(RdioConfigKeys.CLIENT_DATANODE_PORT.name(), 0);
    client = new WritingClient(() -> port, Path.of(cluster.volume(0).device()));
  }

  private void endAtEachStep() throws Exception {
    for (String step : MOST_OF_COMMIT) {
      hold(new Committing(step));
    }
    hold(new Allocating("beforeStage"));
    endAndStartAgain();

    hold(new Committing("beforeKeep")); // one more than a volume takes at once
    Held renamed = new Committing("afterRename"); // which has the block's lock: so nothing behind
    hold(new Allocating("afterStage"));
    hold(renamed);
    endAndStartAgain();

    for (String step : List.of("beforeLease", "afterLease")) {
      hold(new Allocating(step));
      endAndStartAgain();
    }
    await("all slots come back")
        .atMost(PATIENCE)
        .until(() -> names("slots/leased").isEmpty() && names("pins").isEmpty());
    assertThat(Fsck.ofAllFiles(cluster.clientConf(false))).contains("is HEALTHY");
    cluster.dropPageCaches();
    foreign.check();
  }

  private void hold(Held next) throws IOException {
    next.begin();
    held.add(next);
  }

  private void endAndStartAgain() throws Exception {
    cluster.dataNode(0).kill();
    if (losesPower) {
      losePower();
    }
    List<String> staged = names("slots/leased");
    assertThat(names("slots/pool").stream().map(CommitStepsIT::slot))
        .as("in the pool")
        .doesNotContainAnyElementsOf(staged.stream().map(CommitStepsIT::slot).toList());
    for (Held each : held) {
      steps.release(each.step);
      each.checkEnded();
    }
    long launched = System.nanoTime();
    cluster.dataNode(0).start();
    List<String> quarantined = names("slots/leased");
    if (System.nanoTime() - launched < LEASE.plus(IO_TIME).toNanos()) {
      assertThat(quarantined).as("left alone for Q from the start on").containsAll(staged);
    }
    for (Held each : held) {
      if (!each.isDone()) {
        stock.recoverLease(each.file.path()); // all of them at once
      }
    }
    for (Held each : held) {
      each.checkRecovered();
    }
    held.clear();
  }

  /** What the name of a slot's file begins with. */
  private static String slot(String name) {
    return name.substring(0, name.indexOf('.'));
  }

  /** Nothing gets to the device any more: no journal, no dirty page. */
  private void losePower() throws IOException {
    String mountPoint = cluster.volume(0).mountPoint().toString();
    Command.run("xfs_io", "-F", "-x", "-c", "shutdown", mountPoint);
    Command.run("umount", mountPoint);
    String type = cluster.volume(0).fileSystem();
    LoopFileSystem.awaitGone(type, Path.of(cluster.volume(0).device()));
    Command.run("mount", "-t", type, cluster.volume(0).device(), mountPoint);
  }
}
