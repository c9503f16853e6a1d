// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Resources;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.datanode.write.NewFile;
import io.rdio.hdfs.fault.DataNodeConf;
import io.rdio.hdfs.it.Fsck;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A DataNode that is killed while a slot is lent, and started again with another {@code T} and
 * {@code I}: the slot is left alone for the {@code Q} that was when it was lent, and a committed
 * file held for the {@code I} of then, be the new ones shorter or longer.
 */
@Tag("loop")
final class OtherTermsIT {
  private static final int BLOCK = 4 << 20;
  private static final int LENGTH = 3_000_777;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final byte[] content = randomBytes(LENGTH);
  private Cluster cluster;
  private DistributedFileSystem stock;
  private WritingClient client;

  /**
   * What the DataNode is told.
   *
   * @param lease {@code T}
   * @param io {@code I}
   */
  private record Terms(Duration lease, Duration io) {
    static Terms ofSeconds(int lease, int io) {
      return new Terms(Duration.ofSeconds(lease), Duration.ofSeconds(io));
    }

    Duration quarantine() {
      return lease.plus(io);
    }

    /** Where slots are that are lent by them, below the slots' folder. */
    String folder() {
      return "leased/" + quarantine().toMillis();
    }
  }

  /** A file of one block. */
  private final class OneBlock {
    final NewFile file;
    final LocatedBlock located;
    final WriteSlot slot;

    /** Lends a slot for it, and writes there. */
    OneBlock(String name) throws IOException {
      file = NewFile.create(stock, name, BLOCK);
      located = file.addBlock(null);
      slot = client.awaitSlot(located, BLOCK);
      client.write(slot, content);
    }

    void commit() throws Exception {
      client.commit(slot, content);
      file.complete(WritingClient.written(located, content));
    }

    void assertWhole() throws IOException {
      try (FSDataInputStream in = stock.open(file.path())) {
        assertThat(Arrays.mismatch(in.readAllBytes(), content)).isEqualTo(-1);
      }
    }
  }

  private void start(Terms terms) throws IOException {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .volumeBytes(400L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.block.access.token.enable", "true")
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
            .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "40m")
            .set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), text(terms.lease()))
            .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), text(terms.io()))
            .start();
    stock = (DistributedFileSystem) cluster.fileSystem(false);
    int port = cluster.clientConf(true).getInt(RdioConfigKeys.CLIENT_DATANODE_PORT.name(), 0);
    client = new WritingClient(() -> port, Path.of(cluster.volume(0).device()));
  }

  private static String text(Duration time) {
    return time.toSeconds() + "s";
  }

  /**
   * Kills the DataNode, and starts it again with other terms.
   *
   * @return when that began
   */
  private long startAgainWith(Terms terms) throws IOException {
    cluster.dataNode(0).kill();
    DataNodeConf conf = new DataNodeConf(cluster);
    conf.set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), text(terms.lease()));
    conf.set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), text(terms.io()));
    long launched = System.nanoTime();
    cluster.dataNode(0).start();
    return launched;
  }

  @AfterEach
  void stop() throws Exception {
    Resources.close(client, stock, cluster);
  }

  private List<Path> slots(String folder) throws IOException {
    return Maps.files(rdio("slots").resolve(folder));
  }

  private Path rdio(String folder) {
    return cluster.volume(0).mountPoint().resolve("data/rdio").resolve(folder);
  }

  private static boolean isWithin(Duration time, long since) {
    return System.nanoTime() - since < time.toNanos();
  }

  /** A slot by the terms of now, to which nothing is written; its lease runs out. */
  private NewFile lendAnother() throws IOException {
    NewFile next = NewFile.create(stock, "/next", BLOCK);
    LocatedBlock located = next.addBlock(null);
    await("a slot")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(FallbackException.class) // it does not answer yet
        .until(() -> client.allocate(located, BLOCK) != null);
    return next;
  }

  @Test
  void shorterTermsDoNotShortenWhatWasPromised() throws Exception {
    Terms before = Terms.ofSeconds(20, 10);
    Terms now = Terms.ofSeconds(1, 1);
    start(before);
    OneBlock lent = new OneBlock("/lent");
    OneBlock closed = new OneBlock("/closed");
    closed.commit();
    Path holds = rdio("pins/" + before.io().toMillis());
    assertThat(slots(before.folder())).hasSize(1);
    assertThat(Maps.files(holds)).hasSize(1);

    long launched = startAgainWith(now);

    NewFile next = lendAnother();
    await("what is lent by now").atMost(PATIENCE).until(() -> slots(now.folder()).isEmpty());
    List<Path> leftAlone = slots(before.folder());
    List<Path> held = Maps.files(holds);
    if (isWithin(before.quarantine(), launched)) {
      assertThat(leftAlone).hasSize(1);
      client.write(lent.slot, content); // which comes late, and to nobody's harm
    }
    if (isWithin(before.io(), launched)) {
      assertThat(held).as("hold links").hasSize(1);
    }
    await("the hold link goes").atMost(PATIENCE).until(() -> Maps.files(holds).isEmpty());
    assertThat(isWithin(before.io(), launched)).as("let go before its time").isFalse();
    await("the slot is free").atMost(PATIENCE).until(() -> slots(before.folder()).isEmpty());
    assertThat(isWithin(before.quarantine(), launched)).as("free before its time").isFalse();
    assertRecovered(closed, lent.file, next);
  }

  /** Nor is it in quarantine for longer than a write by it may be under way. */
  @Test
  void norDoLongerOnesLengthenIt() throws Exception {
    Terms before = Terms.ofSeconds(5, 3);
    Terms now = Terms.ofSeconds(60, 120); // by which nobody would wait for it here
    start(before);
    OneBlock closed = new OneBlock("/closed");
    closed.commit();
    OneBlock lent = new OneBlock("/lent");
    assertThat(slots(before.folder())).hasSize(1);

    startAgainWith(now);

    await("the slot is free").atMost(PATIENCE).until(() -> slots(before.folder()).isEmpty());
    assertRecovered(closed, lent.file);
  }

  /**
   * @param open files that recovery makes empty ones of
   */
  private void assertRecovered(OneBlock closed, NewFile... open) throws Exception {
    for (NewFile each : open) {
      await("recovery of " + each.path())
          .atMost(PATIENCE)
          .until(() -> stock.recoverLease(each.path()));
      assertThat(stock.getFileStatus(each.path()).getLen()).isZero();
    }
    closed.assertWhole();
    assertThat(Fsck.ofAllFiles(cluster.clientConf(false))).contains("is HEALTHY");
  }
}
