// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Resources;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Fsck;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A volume that {@code dfsadmin -reconfig} takes out of a running DataNode while an agent writes to
 * a slot of it, and which is unmounted and put back: the file goes on with its other replica, or
 * says why not, no file that was closed is wrong, and the slot is left alone for {@code Q} from
 * then on, and free behind that. What becomes of Commits at each step: {@code SwappedVolumeIT}.
 */
@Tag("loop")
final class HotSwapWriteIT {
  private static final int BLOCK = 4 << 20;

  /** By so much a second block is begun, and most of it written. */
  private static final int BEGUN = BLOCK + 3 * BLOCK / 4;

  /** Of three blocks. */
  private static final int LENGTH = 2 * BLOCK + 300_777;

  private static final int FILES_MAX = 40;
  private static final int SLOTS = 4;
  private static final int DATA_NODES = 2;
  private static final long VOLUME = 500L << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration IO_TIME = Duration.ofSeconds(5);
  private static final Duration QUARANTINE = LEASE.plus(IO_TIME);
  private static final WriteCounters WRITES = WriteCounters.OF_THIS_JVM;

  private static LoopVolume other;
  private static Cluster cluster;
  private static LoopVolume swapped;
  private static DataDirectories directories;
  private static DistributedFileSystem stock;
  private static AgentProcess agent;
  private static FileSystem rdio;
  private static int files;

  /** Files that were closed. */
  private final List<SeededFile> closed = new ArrayList<>();

  /** A file whose second block the agent writes to a slot of the volume that is taken out. */
  private record Open(SeededFile file, FSDataOutputStream out) {
    void writeRest() throws IOException {
      out.write(file.bytes(), BEGUN, LENGTH - BEGUN);
    }
  }

  @BeforeAll
  static void start() throws Exception {
    Requirements.requireLoop("ext4");
    other = LoopVolume.create("ext4", VOLUME, LoopVolume.Backing.TMPFS);
    cluster =
        TestClusters.builder()
            .dataNodes(DATA_NODES)
            .volumeBytes(VOLUME)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.block.access.token.enable", "true")
            .set("dfs.namenode.redundancy.interval.seconds", "1s")
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            .set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "20s")
            .set(RdioConfigKeys.CLIENT_DATANODE_BACKOFF.name(), "500ms")
            .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
            .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "60m")
            .set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), LEASE.toSeconds() + "s")
            .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), IO_TIME.toSeconds() + "s")
            .start();
    swapped = cluster.volume(0);
    directories = new DataDirectories(cluster);
    directories.use(swapped, other);
    stock = (DistributedFileSystem) cluster.fileSystem(false);
    agent =
        AgentProcess.start(
            cluster, List.of(), Map.of(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on"));
    rdio = FileSystem.newInstance(writingConf());
  }

  private static Configuration writingConf() {
    Configuration conf = cluster.clientConf(true);
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "required");
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), agent.socket().toString());
    return conf;
  }

  @AfterAll
  static void stop() throws Exception {
    Resources.close(rdio, agent, stock, cluster, other);
  }

  private static List<LoopVolume> volumes() {
    return List.of(swapped, other, cluster.volume(1));
  }

  private static List<String> slots(LoopVolume volume, String folder) throws IOException {
    Path slots = volume.mountPoint().resolve("data/rdio/slots");
    return Maps.files(slots.resolve(folder)).stream()
        .map(file -> file.getFileName().toString())
        .toList();
  }

  @BeforeEach
  void awaitSlots() {
    await("slots of each volume")
        .atMost(PATIENCE)
        .until(
            () -> {
              for (LoopVolume volume : volumes()) {
                if (slots(volume, "pool/" + BLOCK).size() < SLOTS
                    || !slots(volume, "leased").isEmpty()) {
                  return false;
                }
              }
              return true;
            });
  }

  private static FSDataOutputStream create(SeededFile file, int replication) throws IOException {
    return rdio.create(file.path(), true, 4096, (short) replication, BLOCK);
  }

  /** The NameNode chooses the volume: others are closed, and as many are begun as it takes. */
  private Open openOnSwapped(int replication) throws IOException {
    for (int i = 0; i < FILES_MAX; i++) {
      SeededFile file =
          new SeededFile(
              new org.apache.hadoop.fs.Path("/file-" + files++), SeededFile.random(LENGTH, files));
      long before = WRITES.bytes.sum();
      Open open = new Open(file, create(file, replication));
      open.out().write(file.bytes(), 0, BEGUN);
      boolean isByAgent = WRITES.bytes.sum() - before == BLOCK;
      if (isByAgent && slots(swapped, "leased").size() == 1) {
        return open;
      }
      open.writeRest();
      open.out().close();
      closed.add(file);
      awaitSlots();
    }
    throw new AssertionError("no block of " + FILES_MAX + " files is on " + swapped.device());
  }

  @Test
  void otherReplicaIsEnough() throws Exception {
    Open open = openOnSwapped(2);
    List<String> leased = slots(swapped, "leased");
    long missed = WRITES.missedReplicas.sum();

    directories.use(other);
    open.writeRest();
    open.out().close();
    closed.add(open.file());
    assertThat(WRITES.missedReplicas.sum()).as("replicas that went").isGreaterThan(missed);
    assertClosedFilesAreRight();

    putBack(leased);
    assertClosedFilesAreRight();
    assertAllIsWell();
  }

  @Test
  void writerOfTheOnlyReplicaIsToldWhyItIsLost() throws Exception {
    Open open = openOnSwapped(1);
    List<String> leased = slots(swapped, "leased");
    long lost = WRITES.lostBlocks.sum();

    directories.use(other);
    assertThatThrownBy(
            () -> {
              open.writeRest();
              open.out().close();
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("RDIO: " + open.file().path());
    assertThat(WRITES.lostBlocks.sum()).isEqualTo(lost + 1);

    putBack(leased);
    await("recovery").atMost(PATIENCE).until(() -> stock.recoverLease(open.file().path()));
    open.file().check(0, read(open.file(), BLOCK)); // to what was committed
    assertClosedFilesAreRight();
    assertAllIsWell();
  }

  /**
   * Puts the volume back, and returns when what was lent of it has been left alone for its time.
   *
   * @param leased slots that were lent when it was taken out
   */
  private static void putBack(List<String> leased) throws Exception {
    assertThat(slots(swapped, "leased")).isEqualTo(leased);
    DataDirectories.unmount(swapped);
    DataDirectories.mount(swapped);
    long back = System.nanoTime();
    directories.use(swapped, other);
    List<String> quarantined = slots(swapped, "leased");
    if (isWithinQuarantine(back)) {
      assertThat(quarantined).isEqualTo(leased);
    }
    await("its slots come back").atMost(PATIENCE).until(() -> slots(swapped, "leased").isEmpty());
    assertThat(isWithinQuarantine(back)).as("free before its time").isFalse();
  }

  private static boolean isWithinQuarantine(long back) {
    return System.nanoTime() - back < QUARANTINE.toNanos();
  }

  private static byte[] read(SeededFile file, int length) throws IOException {
    try (FSDataInputStream in = stock.open(file.path())) {
      byte[] found = in.readAllBytes();
      assertThat(found.length).as("length of %s", file.path()).isEqualTo(length);
      return found;
    }
  }

  /** While all DataNodes have what they need for that. */
  private void assertClosedFilesAreRight() throws IOException {
    for (SeededFile file : closed) {
      file.check(0, read(file, LENGTH));
    }
  }

  private static void assertAllIsWell() throws Exception {
    await("all slots come back")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              for (LoopVolume volume : volumes()) {
                assertThat(slots(volume, "leased")).as("of %s", volume.device()).isEmpty();
              }
            });
    await("the NameNode knows of all blocks again")
        .atMost(PATIENCE)
        .until(() -> Fsck.ofAllFiles(cluster.clientConf(false)).contains("is HEALTHY"));
    await("files are written by the agent again")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1)) // nobody tries again for a while behind a refusal
        .until(HotSwapWriteIT::isByAgent);
  }

  private static boolean isByAgent() throws IOException {
    long before = WRITES.bytes.sum();
    SeededFile.write(rdio, "/next", BLOCK, 1);
    return WRITES.bytes.sum() - before == BLOCK;
  }
}
