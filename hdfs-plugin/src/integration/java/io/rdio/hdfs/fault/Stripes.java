// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ClusterBuilder;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.ReadOnce;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.io.erasurecode.CountedDecoding;

/**
 * A cluster with as many DataNodes as an erasure-coding policy has blocks in a group, each on its
 * own device, and a file of such groups: a full one, one whose last stripe is cut short, and
 * another file with less than one cell.
 */
final class Stripes implements AutoCloseable {
  private static final int BLOCK = 4 << 20;
  private static final int CELL = 1 << 20;
  private static final int ODD = 12345;

  private final Cluster cluster;
  private final DistributedFileSystem stock;
  private final Set<Integer> dead = new HashSet<>();
  private final long firstGroup;
  private int clients;
  final ErasureCodingPolicy policy;
  final SeededFile file;
  final SeededFile small;

  /**
   * @param more keys of the cluster, with their values in turn
   */
  Stripes(String policyName, String... more) throws Exception {
    policy = SystemErasureCodingPolicies.getByName(policyName);
    ClusterBuilder builder =
        PastDataNodes.builder()
            .volumeBytes(200L << 20)
            .dataNodes(policy.getNumDataUnits() + policy.getNumParityUnits())
            .set("dfs.blocksize", Integer.toString(BLOCK))
            // A NameNode that starts while all DataNodes are dead is to serve all the same.
            .set("dfs.namenode.safemode.threshold-pct", "0")
            // Else the scanner may find a flip before a reader does.
            .set("dfs.block.scanner.volume.bytes.per.second", "0");
    for (int i = 0; i < more.length; i += 2) {
      builder.set(more[i], more[i + 1]);
    }
    cluster = builder.start();
    try {
      TestClusters.warmUp(cluster);
      Configuration conf = cluster.clientConf(false);
      CountedDecoding.use(conf);
      stock = (DistributedFileSystem) FileSystem.newInstance(conf);
      Path folder = new Path("/striped");
      stock.mkdirs(folder);
      stock.enableErasureCodingPolicy(policyName);
      stock.setErasureCodingPolicy(folder, policyName);
      int length = policy.getNumDataUnits() * (BLOCK + CELL) + 2 * CELL + ODD;
      file = SeededFile.write(stock, "/striped/file", length, 1);
      small = SeededFile.write(stock, "/striped/small", ODD, 2);
      firstGroup = Maps.blocks(stock, file.path()).get(0).getBlock().getBlockId();
      for (int i = 0; i < size(); i++) {
        Command.run("sync", "-f", cluster.volume(i).mountPoint().toString());
      }
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  int size() {
    return policy.getNumDataUnits() + policy.getNumParityUnits();
  }

  /**
   * A client that goes past DataNodes, also such as the NameNode does not list any more. Each has a
   * margin of its own, or it would share its maps with those before it.
   *
   * @param more keys, with their values in turn
   */
  RdioClient client(ReadMode mode, String... more) throws IOException {
    Configuration conf = cluster.clientConf(true);
    CountedDecoding.use(conf);
    String coders = "io.erasurecode.codec.rs.rawcoders";
    List<String> keys = new ArrayList<>(List.of(more));
    keys.addAll(PastDataNodes.keys(cluster, mode));
    keys.addAll(
        List.of(coders, conf.get(coders), "dfs.client.rdio.lease.margin", 500 + clients++ + "ms"));
    return RdioClient.of(cluster, mode, keys.toArray(new String[0]));
  }

  /** Kills the DataNode with the first internal blocks of the file's first group that are left. */
  void killUntil(int count) throws IOException {
    LocatedStripedBlock group = (LocatedStripedBlock) Maps.blocks(stock, file.path()).get(0);
    byte[] indices = group.getBlockIndices();
    for (int index = 0; dead.size() < count; index++) {
      for (int i = 0; i < indices.length; i++) {
        if (indices[i] == index) {
          kill(group.getLocations()[i]);
        }
      }
    }
  }

  private void kill(DatanodeInfo holder) throws IOException {
    for (int i = 0; i < size(); i++) {
      if (cluster.dataNode(i).httpAddress().endsWith(":" + holder.getInfoPort()) && dead.add(i)) {
        cluster.dataNode(i).kill();
      }
    }
  }

  /** What is done while something is so. */
  @FunctionalInterface
  interface Body {
    void run() throws Exception;
  }

  /** Meanwhile no dead DataNode's volume has a block, as if its medium was lost. */
  void withoutBlocksOfDead(Body body) throws Exception {
    moveBlocksOfDead("finalized", "lost");
    body.run();
    moveBlocksOfDead("lost", "finalized");
  }

  private void moveBlocksOfDead(String from, String to) throws Exception {
    for (int i : dead) {
      java.nio.file.Path volume = cluster.volume(i).mountPoint();
      try (DirectoryStream<java.nio.file.Path> pools =
          Files.newDirectoryStream(volume.resolve("data/current"), "BP-*")) {
        for (java.nio.file.Path pool : pools) {
          Files.move(pool.resolve("current/" + from), pool.resolve("current/" + to));
        }
      }
      Command.run("sync", "-f", volume.toString());
    }
  }

  /** Meanwhile the first internal blocks of the file's first group are corrupt on their devices. */
  void withFlips(int count, Body body) throws Exception {
    List<FlippedByte> flips = new ArrayList<>();
    for (int index = 0; index < count; index++) {
      LoopVolume volume = cluster.volume(holder(index));
      java.nio.file.Path blockFile = FlippedByte.blockFile(volume, firstGroup + index);
      flips.add(FlippedByte.of(volume, Objects.requireNonNull(blockFile), ODD));
    }
    body.run();
    for (FlippedByte flip : flips) {
      flip.undo();
    }
  }

  /** Which DataNode has an internal block of the file's first group on its device. */
  private int holder(int index) throws IOException {
    for (int i = 0; i < size(); i++) {
      if (FlippedByte.blockFile(cluster.volume(i), firstGroup + index) != null) {
        return i;
      }
    }
    throw new AssertionError("no volume has internal block " + index);
  }

  /** Has the NameNode start anew, which so knows of no DataNode but those that live. */
  void restartNameNode() throws IOException {
    cluster.nameNode().kill();
    cluster.nameNode().start();
  }

  /** Starts the DataNode again that has the first internal block of the file's first group. */
  void startFirstAgain() throws IOException {
    int first = holder(0);
    cluster.dataNode(first).start();
    dead.remove(first);
  }

  /** Starts all that were killed. */
  void startAgain() throws IOException {
    for (int i : dead) {
      cluster.dataNode(i).start();
    }
    dead.clear();
  }

  /**
   * Data blocks of the file that only dead DataNodes have, by what the NameNode lists. Those of the
   * small file do not count: it leaves DataNodes free, on which the NameNode makes lost blocks
   * anew.
   */
  int deadDataBlocks() throws IOException {
    int count = 0;
    for (LocatedBlock block : Maps.blocks(stock, file.path())) {
      count += deadDataBlocks((LocatedStripedBlock) block);
    }
    return count;
  }

  private int deadDataBlocks(LocatedStripedBlock group) {
    int count = 0;
    for (int i = 0; i < group.getBlockIndices().length; i++) {
      int port = group.getLocations()[i].getInfoPort();
      boolean isDead =
          dead.stream().anyMatch(d -> cluster.dataNode(d).httpAddress().endsWith(":" + port));
      if (isDead && group.getBlockIndices()[i] < policy.getNumDataUnits()) {
        count++;
      }
    }
    return count;
  }

  /** Data blocks, of both files, that the NameNode lists. */
  int listedDataBlocks() throws IOException {
    int count = 0;
    for (SeededFile each : new SeededFile[] {file, small}) {
      for (LocatedBlock block : Maps.blocks(stock, each.path())) {
        for (byte index : ((LocatedStripedBlock) block).getBlockIndices()) {
          count += index < policy.getNumDataUnits() ? 1 : 0;
        }
      }
    }
    return count;
  }

  /** Whether the NameNode takes the file's first group for corrupt. */
  boolean isFirstGroupCorrupt() throws IOException {
    return Maps.blocks(stock, file.path()).get(0).isCorrupt();
  }

  /** Data blocks of both files. */
  int dataBlocks() {
    return 2 * policy.getNumDataUnits() + 1;
  }

  /** Whether the NameNode lists none but living DataNodes. */
  boolean areDropped() throws IOException {
    return Maps.blocks(stock, file.path()).stream()
        .allMatch(block -> block.getLocations().length == size() - dead.size());
  }

  /** Reads by stock HDFS; bytes that it decoded. */
  long decodedByStock() throws IOException {
    long before = CountedDecoding.bytes();
    try (FSDataInputStream in = stock.open(file.path())) {
      file.check(0, in.readAllBytes());
    }
    return CountedDecoding.bytes() - before;
  }

  /** Reads by a JVM that opens devices for nothing else before it has read more. */
  ReadOnce.Result readByFreshProcess() throws Exception {
    return PastDataNodes.readByFreshProcess(cluster, file.path());
  }

  /** Reads all, and by position, nothing but by RDIO and without decoding a byte. */
  void assertReadAsIs(RdioClient client) throws IOException {
    long before = CountedDecoding.bytes();
    client.readByRdio(file);
    client.readByRdio(small);
    readByPosition(client, CELL / 2, file.bytes().length - 2 * CELL);
    assertThat(CountedDecoding.bytes()).as("bytes decoded").isEqualTo(before);
  }

  private void readByPosition(RdioClient client, int... positions) throws IOException {
    byte[] some = new byte[2 * CELL];
    try (FSDataInputStream in = client.fs().open(file.path())) {
      for (int at : positions) {
        in.readFully(at, some);
        file.check(at, some);
      }
    }
  }

  /** Reads all, and the first cells by position, which takes decoding in either case. */
  void assertReadDecoding(RdioClient client) throws IOException {
    long before = CountedDecoding.bytes();
    client.read(file);
    long between = CountedDecoding.bytes();
    assertThat(between).as("bytes decoded").isGreaterThan(before);
    readByPosition(client, 0);
    assertThat(CountedDecoding.bytes()).as("bytes decoded by position").isGreaterThan(between);
  }

  @Override
  public void close() throws IOException {
    try {
      stock.close();
    } finally {
      cluster.close();
    }
  }
}
