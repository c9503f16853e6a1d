// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.datanode.write.NewFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that a client writes to the device itself, in a real DataNode on a real file system. */
@Tag("loop")
final class RemoteWriteIT {
  private static final int BLOCK = 4 << 20;

  /** The last unit and the last chunk are not full. */
  private static final int LENGTH = 3_000_777;

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path nameDirectory;

  /** What switches remote writes on, with a pool that is filled soon. */
  static Map<String, String> writing() {
    Map<String, String> keys = new HashMap<>();
    keys.put("dfs.block.access.token.enable", "true");
    keys.put(RdioConfigKeys.DATANODE_WRITE.name(), "on");
    keys.put(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "40m");
    return keys;
  }

  /** Of blocks of 4 KiB, below which Java does not write past the page cache. */
  static LoopFileSystem volume(String fsType) throws IOException {
    List<String> options = fsType.equals("ext4") ? List.of("-b", "4096") : List.of();
    return LoopFileSystem.create(fsType, 400L << 20, options, "defaults");
  }

  @AfterEach
  void injectNothing() {
    WriteFaultInjector.set(new WriteFaultInjector());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void writtenBlockIsABlockAsAnyOther(String fsType) throws Exception {
    try (LoopFileSystem volume = volume(fsType);
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, writing());
        WritingClient client = new WritingClient(hdfs, volume.device())) {
      byte[] first = randomBytes(BLOCK);
      byte[] last = randomBytes(LENGTH);
      NewFile file = NewFile.create(hdfs.fileSystem, "/written", BLOCK);
      LocatedBlock full = writeBlock(client, file.addBlock(null), first);
      LocatedBlock rest =
          writeBlock(client, file.addBlock(WritingClient.written(full, first)), last);
      file.complete(WritingClient.written(rest, last));

      byte[] content = Arrays.copyOf(first, BLOCK + LENGTH);
      System.arraycopy(last, 0, content, BLOCK, LENGTH);
      assertContent(hdfs, file, content);
      assertMapShows(hdfs, file, last);
      assertThat(hdfs.fsck()).contains("is HEALTHY");
      appendCopies(hdfs, file, content);
      awaitMetric(hdfs, "Commits", 2);
    }
  }

  private static LocatedBlock writeBlock(WritingClient client, LocatedBlock located, byte[] bytes)
      throws Exception {
    WriteSlot slot = client.awaitSlot(located, BLOCK);
    client.write(slot, bytes);
    client.commit(slot, bytes);
    client.commit(slot, bytes); // its answer may have been lost
    return located;
  }

  static void assertContent(InJvmHdfs hdfs, NewFile file, byte[] content) throws IOException {
    try (FSDataInputStream in = hdfs.fileSystem.open(file.path())) {
      assertThat(Arrays.mismatch(in.readAllBytes(), content)).isEqualTo(-1);
    }
  }

  /** What readers by RDIO are granted shows the last block and its checksums. */
  private static void assertMapShows(InJvmHdfs hdfs, NewFile file, byte[] last) throws Exception {
    LocatedBlock block = hdfs.lastBlock(file.path());
    await().atMost(PATIENCE).until(() -> hdfs.grant(block).hasFileMap());
    FileMap map = hdfs.grant(block).getFileMap();
    try (DeviceDirectory devices = new LocalDeviceDirectory(Map.of(), Duration.ofMinutes(1))) {
      GrantedBytes.check(devices, map, last);
    }
  }

  /** The hold link keeps the file that a late write may still land in (W6). */
  private static void appendCopies(InJvmHdfs hdfs, NewFile file, byte[] content)
      throws IOException {
    Object written = inode(hdfs, file);
    try (FSDataOutputStream out = hdfs.fileSystem.append(file.path())) {
      out.write(7);
    }
    assertThat(inode(hdfs, file)).isNotEqualTo(written);
    byte[] longer = Arrays.copyOf(content, content.length + 1);
    longer[content.length] = 7;
    assertContent(hdfs, file, longer);
  }

  @SuppressWarnings("deprecation") // the one way to a replica's file
  static Object inode(InJvmHdfs hdfs, NewFile file) throws IOException {
    var block = hdfs.lastBlock(file.path()).getBlock();
    var replica =
        (org.apache.hadoop.hdfs.server.datanode.ReplicaInfo)
            hdfs.dataNode.getFSDataset().getReplica(block.getBlockPoolId(), block.getBlockId());
    return Files.getAttribute(Path.of(replica.getBlockURI()), "unix:ino");
  }

  @Test
  void dataNodeThatEndsBeforeTheCommitLeavesTheSlotAlone() throws Exception {
    try (LoopFileSystem volume = volume("ext4");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, writing());
        WritingClient client = new WritingClient(hdfs, volume.device())) {
      byte[] content = randomBytes(LENGTH);
      NewFile file = NewFile.create(hdfs.fileSystem, "/lost", BLOCK);
      WriteSlot slot = client.awaitSlot(file.addBlock(null), BLOCK);
      client.write(slot, content);

      hdfs.restartDataNode();

      assertThat(reasonOf(() -> client.commit(slot, content)))
          .isIn(FallbackReason.REPLICA_CHANGED, FallbackReason.SESSION_UNKNOWN);
      await().atMost(PATIENCE).until(() -> hdfs.fileSystem.recoverLease(file.path()));
      assertThat(hdfs.fileSystem.getFileStatus(file.path()).getLen()).isZero();
      awaitMetric(hdfs, "SlotsQuarantined", 1);
      assertThat(hdfs.fsck()).contains("is HEALTHY");
    }
  }

  @Test
  void recoveryStopsACommitAndFindsTheReplicaEmptyOrWhole() throws Exception {
    try (LoopFileSystem volume = volume("ext4");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, writing());
        WritingClient client = new WritingClient(hdfs, volume.device())) {
      byte[] content = randomBytes(LENGTH);
      NewFile empty = recoveredWhileACommitIs("beforeRename", hdfs, client, content);
      assertThat(hdfs.fileSystem.getFileStatus(empty.path()).getLen()).isZero();
      NewFile whole = recoveredWhileACommitIs("beforeFinish", hdfs, client, content);
      assertContent(hdfs, whole, content);
      assertThat(hdfs.fsck()).contains("is HEALTHY");
    }
  }

  private static NewFile recoveredWhileACommitIs(
      String step, InJvmHdfs hdfs, WritingClient client, byte[] content) throws Exception {
    NewFile file = NewFile.create(hdfs.fileSystem, "/" + step, BLOCK);
    WriteSlot slot = client.awaitSlot(file.addBlock(null), BLOCK);
    client.write(slot, content);
    CountDownLatch reached = new CountDownLatch(1);
    WriteFaultInjector.set(
        new WriteStep(
            step,
            () -> {
              reached.countDown();
              WriteStep.untilInterrupted();
            }));
    CompletableFuture<FallbackReason> refusal =
        CompletableFuture.supplyAsync(() -> reasonOf(() -> client.commit(slot, content)));
    assertThat(reached.await(1, TimeUnit.MINUTES)).isTrue();
    await().atMost(PATIENCE).until(() -> hdfs.fileSystem.recoverLease(file.path()));
    assertThat(refusal.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .isEqualTo(FallbackReason.REPLICA_CHANGED);
    return file;
  }

  @Test
  void slotThatIsNotWantedComesBackAndItsReplicaGoes() throws Exception {
    Map<String, String> keys = writing();
    keys.put(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s");
    try (LoopFileSystem volume = volume("ext4");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, keys);
        WritingClient client = new WritingClient(hdfs, volume.device())) {
      NewFile file = NewFile.create(hdfs.fileSystem, "/aborted", BLOCK);
      LocatedBlock located = file.addBlock(null);
      WriteSlot slot = client.awaitSlot(located, BLOCK);
      // Whether there is a slot comes first, and another one may be in the making.
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(reasonOf(() -> client.allocate(located, BLOCK)))
                      .isEqualTo(FallbackReason.REPLICA_CHANGED));

      client.abort(slot);

      awaitMetric(hdfs, "WritesAborted", 1);
      await().atMost(PATIENCE).until(() -> replica(hdfs, NewFile.key(located)) == null);
      awaitMetric(hdfs, "SlotsQuarantined", 0);
      awaitMetric(hdfs, "WriteRefused_REPLICA_CHANGED", 1);
    }
  }

  @SuppressWarnings("deprecation") // the one way to look into the replica map
  static Object replica(InJvmHdfs hdfs, BlockKey block) {
    return hdfs.dataNode.getFSDataset().getReplica(block.poolId(), block.blockId());
  }

  @Test
  void nothingIsThereWhereItIsOff() throws Exception {
    Map<String, String> keys = writing();
    keys.put(RdioConfigKeys.DATANODE_WRITE.name(), "off");
    try (LoopFileSystem volume = volume("ext4");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, keys);
        WritingClient client = new WritingClient(hdfs, volume.device())) {
      Path rdio = volume.mountPoint().resolve("data/rdio");
      await().atMost(PATIENCE).until(() -> Files.exists(rdio.resolve("witness")));
      NewFile file = NewFile.create(hdfs.fileSystem, "/off", BLOCK);
      LocatedBlock located = file.addBlock(null);

      assertThat(reasonOf(() -> client.allocate(located, BLOCK)))
          .isEqualTo(FallbackReason.WRITE_UNSUPPORTED);
      assertThat(rdio.resolve("slots")).doesNotExist();
      assertThat(threads().filter(name -> name.startsWith("rdio-allocate"))).isEmpty();
    }
  }

  private static Stream<String> threads() {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName);
  }

  static FallbackReason reasonOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return catchThrowableOfType(FallbackException.class, call).reason();
  }

  /** The /jmx page shows for a second what it saw first. */
  private static void awaitMetric(InJvmHdfs hdfs, String name, long value) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IllegalStateException.class) // it is not there before its first
        .until(() -> ((Number) hdfs.metric(name)).longValue(), Long.valueOf(value)::equals);
  }
}
