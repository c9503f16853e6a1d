// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.fault.ForeignFiles;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Groups;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writers by the agent, in a nameservice whose active NameNode fails, or gives its place to the
 * other one, between any two messages of a write: it goes on, all of it by the agent, and both
 * NameNodes know all of its blocks. With block tokens, which each NameNode makes by its own keys.
 * No other file is touched.
 */
@Tag("loop")
final class HaWriteIT {
  private static final ErasureCodingPolicy POLICY =
      SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_3_2_POLICY_ID);

  /** A DataNode for each block of a group. */
  private static final int DATA_NODES = Groups.units(POLICY);

  /** A cell, too. */
  private static final int BLOCK = 1 << 20;

  /** Behind two full blocks, or groups: it is kept until the file is closed. */
  private static final int REST = 300_777;

  private static final int LENGTH = 2 * BLOCK + REST;
  private static final int SMALL = 64 << 10;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Of each DataNode: more than any test takes. */
  private static final int SLOTS = 8;

  private static final long VOLUME = 200L << 20;

  /** Of a volume, for slots and what the tests write; other files have the rest. */
  private static final long LEFT = 120L << 20;

  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final WriteCounters WRITES = WriteCounters.OF_THIS_JVM;

  @TempDir static java.nio.file.Path nameDirectory;
  private static final List<LoopFileSystem> VOLUMES = new ArrayList<>();
  private static HaHdfs hdfs;
  private static JvmAgent agent;
  private static DistributedFileSystem stock;
  private static DistributedFileSystem rdio;
  private static ForeignFiles foreign;

  /** Of how many DataNodes a file's blocks are. */
  private enum Shape {
    ONE_REPLICA(1, BLOCK),
    THREE_REPLICAS(3, BLOCK),

    /** Its blocks are groups, and its parity is there when a group is committed. */
    CODED(1, BLOCK * POLICY.getNumDataUnits());

    private final short replication;
    private final int blockBytes;

    Shape(int replication, int blockBytes) {
      this.replication = (short) replication;
      this.blockBytes = blockBytes;
    }

    String folder() {
      return "/" + name();
    }

    boolean isWhole(LocatedBlock block) {
      return this == CODED
          ? Groups.isWhole((LocatedStripedBlock) block, POLICY)
          : block.getLocations().length == replication;
    }
  }

  /** What happens to the active NameNode. */
  private enum Way {
    HAND_OVER,
    CRASH
  }

  /**
   * What is tried by default. A NameNode that crashed takes seconds to be there again; and to write
   * groups is much like writing replicas, but where they are asked for and committed.
   */
  private static boolean isUsual(Shape shape, FailoverMoment moment, Way way) {
    return switch (shape) {
      case ONE_REPLICA ->
          way == Way.HAND_OVER
              || moment == FailoverMoment.BEFORE_ADD_BLOCK_IS_ANSWERED
              || moment == FailoverMoment.BEFORE_COMMIT;
      case THREE_REPLICAS -> way == Way.HAND_OVER;
      case CODED ->
          way == Way.HAND_OVER
              && (moment == FailoverMoment.BEFORE_ADD_BLOCK_IS_ANSWERED
                  || moment == FailoverMoment.BEFORE_ALLOCATE
                  || moment == FailoverMoment.BEFORE_COMMIT);
    };
  }

  static List<Arguments> failovers() {
    List<Arguments> all = new ArrayList<>();
    for (Shape shape : Shape.values()) {
      for (FailoverMoment moment : FailoverMoment.values()) {
        for (Way way : Way.values()) {
          if (ALL || isUsual(shape, moment, way)) {
            all.add(Arguments.of(shape, moment, way));
          }
        }
      }
    }
    return all;
  }

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    Map<String, String> keys = RemoteWriteIT.writing();
    keys.put("dfs.blocksize", Integer.toString(BLOCK));
    keys.put(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "48m");
    keys.put(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s");
    // Each of them is to be chosen, however busy it looks beside the others.
    keys.put("dfs.namenode.redundancy.considerLoad", "false");
    for (int i = 0; i < DATA_NODES; i++) {
      VOLUMES.add(LoopFileSystem.create("ext4", VOLUME, List.of("-b", "4096"), "defaults"));
    }
    hdfs = new HaHdfs(VOLUMES, nameDirectory, keys);
    stock = HaHdfs.open(hdfs.stockConf());
    stock.enableErasureCodingPolicy(POLICY.getName());
    stock.mkdirs(new Path(Shape.CODED.folder()));
    stock.setErasureCodingPolicy(new Path(Shape.CODED.folder()), POLICY.getName());
    foreign = new ForeignFiles(stock, VOLUMES.get(0).mountPoint(), LEFT);
    Configuration conf = writingConf();
    agent = JvmAgent.start(conf);
    conf.set(
        HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX + "." + HaHdfs.SERVICE,
        FailoverAtCall.class.getName());
    rdio = HaHdfs.open(conf);
  }

  /** Of a client that asks soon again, for as long as it takes. */
  private static Configuration writingConf() {
    Configuration conf = hdfs.rdioConf();
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_WRITE_SMALL.name(), Integer.toString(SMALL));
    conf.set(RdioConfigKeys.CLIENT_WRITE_PARITY.name(), "immediate");
    conf.set(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on");
    conf.setInt(HdfsClientConfigKeys.Failover.MAX_ATTEMPTS_KEY, 1000);
    conf.setInt(HdfsClientConfigKeys.Failover.SLEEPTIME_BASE_KEY, 20);
    conf.setInt(HdfsClientConfigKeys.Failover.SLEEPTIME_MAX_KEY, 200);
    conf.setInt(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY, 20);
    conf.setInt(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY, 12);
    return conf;
  }

  @AfterAll
  static void stop() throws Exception {
    try {
      if (foreign != null) {
        dropPageCaches();
        foreign.check();
      }
    } finally {
      List<AutoCloseable> all = new ArrayList<>(Arrays.asList(rdio, agent, stock, hdfs));
      all.addAll(VOLUMES);
      for (AutoCloseable each : all) {
        if (each != null) {
          each.close();
        }
      }
    }
  }

  /** What stock HDFS reads behind that is what the devices have. */
  private static void dropPageCaches() throws IOException {
    for (LoopFileSystem volume : VOLUMES) {
      String folder = volume.mountPoint().resolve("data/current").toString();
      Command.run("sync", "-f", folder);
      // With count=0, dd's nocache means the whole file.
      String[] drop = {"-exec", "dd", "if={}", "iflag=nocache", "count=0", "status=none", ";"};
      List<String> find =
          new ArrayList<>(List.of("find", folder, "-ignore_readdir_race", "-name", "blk_*"));
      find.addAll(Arrays.asList(drop));
      Command.run(find.toArray(String[]::new));
    }
  }

  @BeforeEach
  void awaitSlots() {
    for (LoopFileSystem volume : VOLUMES) {
      await().atMost(PATIENCE).until(() -> slots(volume, "pool") >= SLOTS);
    }
  }

  @AfterEach
  void repair() throws IOException {
    FailoverAtCall.never();
    WriteFaultInjector.set(new WriteFaultInjector());
    hdfs.repair();
  }

  private static int slots(LoopFileSystem volume, String folder) throws IOException {
    return Maps.files(volume.mountPoint().resolve("data/rdio/slots").resolve(folder)).size();
  }

  @ParameterizedTest
  @MethodSource("failovers")
  void writeGoesOn(Shape shape, FailoverMoment moment, Way way) throws Exception {
    int first = shape.blockBytes;
    int length = 2 * first + REST;
    SeededFile file =
        new SeededFile(
            new Path(shape.folder() + "/" + moment + "-" + way),
            SeededFile.random(length, moment.name().hashCode()));
    AtomicInteger failovers = new AtomicInteger();
    long before = WRITES.bytes.sum();
    try (FSDataOutputStream out = rdio.create(file.path(), shape.replication)) {
      out.write(file.bytes(), 0, first);
      await("the commit goes on behind that")
          .atMost(PATIENCE)
          .until(() -> WRITES.bytes.sum() - before == first);
      moment.arrange(
          () -> {
            fail(way);
            failovers.incrementAndGet();
          });
      out.write(file.bytes(), first, length - first);
    }
    assertThat(failovers).hasValue(1);
    boolean isLeft = isLeftToStock(shape, moment);
    assertThat(WRITES.bytes.sum() - before)
        .as("bytes by the agent")
        .isEqualTo(isLeft ? first : length);
    assertIsWhole(shape, file);
    if (way == Way.CRASH) {
      hdfs.restart();
    }
    hdfs.handOver(); // to the one that was active when the write began
    assertIsWhole(shape, file);
    assertNothingIsLeft();
    stock.delete(file.path(), false);
    if (isLeft) {
      awaitWriter();
    }
  }

  private static void fail(Way way) throws IOException {
    if (way == Way.CRASH) {
      hdfs.crash();
    } else {
      hdfs.handOver();
    }
  }

  /**
   * Whether a file is stock HDFS's from the second block on: the NameNode that took over does not
   * know whom the other one chose for it, and of a group it gives the same one again.
   */
  private static boolean isLeftToStock(Shape shape, FailoverMoment moment) {
    return shape == Shape.CODED && moment == FailoverMoment.BEFORE_ALLOCATE;
  }

  /** Behind a refusal a client tries nothing for a moment. */
  private static void awaitWriter() {
    await("the agent writes again")
        .atMost(PATIENCE)
        .until(
            () -> {
              long before = WRITES.bytes.sum();
              SeededFile.write(rdio, "/probe", BLOCK, 1);
              return WRITES.bytes.sum() - before == BLOCK;
            });
  }

  /** To the NameNode that is active now. */
  private static void assertIsWhole(Shape shape, SeededFile file) throws IOException {
    await("the DataNodes have told this NameNode of " + file.path())
        .atMost(PATIENCE)
        .until(() -> Maps.blocks(stock, file.path()).stream().allMatch(shape::isWhole));
    byte[] all = read(file.path());
    assertThat(all.length).isEqualTo(file.bytes().length);
    file.check(0, all);
    Counts.awaitRead(ReadMode.BY_AGENT, rdio, file, PATIENCE);
  }

  private static byte[] read(Path path) throws IOException {
    try (FSDataInputStream in = stock.open(path)) {
      return in.readAllBytes();
    }
  }

  private static void assertNothingIsLeft() throws Exception {
    for (LoopFileSystem volume : VOLUMES) {
      await("all slots come back").atMost(PATIENCE).until(() -> slots(volume, "leased") == 0);
    }
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }

  /** Nobody is active for longer than the clients try. */
  @Test
  void closeThatNoNameNodeHearsOfFailsAndRecoveryKeepsWhatWasPromised() throws Exception {
    Configuration impatient = new Configuration(rdio.getConf());
    impatient.setInt(HdfsClientConfigKeys.Failover.MAX_ATTEMPTS_KEY, 3);
    SeededFile open = new SeededFile(new Path("/open"), SeededFile.random(LENGTH + BLOCK / 2, 7));
    SeededFile flushed = new SeededFile(new Path("/flushed"), SeededFile.random(BLOCK, 8));
    int promised = BLOCK / 2 + 777;
    long before = WRITES.bytes.sum();
    try (FileSystem writer = HaHdfs.open(impatient)) {
      FSDataOutputStream toOpen = writer.create(open.path());
      toOpen.write(open.bytes()); // its third block is begun
      FSDataOutputStream toFlushed = writer.create(flushed.path());
      toFlushed.write(flushed.bytes(), 0, promised);
      toFlushed.hsync();
      assertThat(WRITES.bytes.sum() - before).isEqualTo(2 * BLOCK + promised);
      toFlushed.write(flushed.bytes(), promised, 1000);

      hdfs.resign();
      assertThatThrownBy(toOpen::close).isInstanceOf(IOException.class);
      assertThatThrownBy(toFlushed::close).isInstanceOf(IOException.class);
      hdfs.takeOver();
      // The last block is whole, or not there: nobody was told that the file is closed.
      assertThat(recovered(open)).isIn(2 * BLOCK, open.bytes().length);
      assertThat(recovered(flushed)).isBetween(promised, promised + 1000);
    }
    assertNothingIsLeft();
  }

  /**
   * How long the file is behind its recovery, of whose bytes none is another one.
   *
   * @param written what was written to it
   */
  private static int recovered(SeededFile written) throws IOException {
    await().atMost(PATIENCE).until(() -> stock.recoverLease(written.path()));
    int length = Math.toIntExact(stock.getFileStatus(written.path()).getLen());
    SeededFile there = new SeededFile(written.path(), Arrays.copyOf(written.bytes(), length));
    assertIsWhole(Shape.ONE_REPLICA, there);
    return length;
  }
}
