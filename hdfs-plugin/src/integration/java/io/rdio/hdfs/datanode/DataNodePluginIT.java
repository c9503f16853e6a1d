// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.ExtentBytes;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.Extents;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.ReturnRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The plugin in a real DataNode on a real file system. */
@Tag("loop")
final class DataNodePluginIT {
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir Path nameDirectory;

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void grantsWhatLiesOnTheDeviceAndRecallsWhatHdfsChanges(String fsType) throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create(fsType, 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, Map.of())) {
      helloNamesTheVolume(hdfs, volume);
      grantedExtentsHoldTheBlock(hdfs);
      strangersAreRefused(hdfs);
      blockUnderConstructionIsRefused(hdfs);
      List<Long> recalled = recalls(hdfs);
      recalledWhen(hdfs, volume, recalled, path -> hdfs.fileSystem.delete(path, false));
      recalledWhen(
          hdfs,
          volume,
          recalled,
          path -> {
            try (FSDataOutputStream out = hdfs.fileSystem.append(path)) {
              out.write(1);
            }
          });
      recalledWhen(hdfs, volume, recalled, path -> hdfs.fileSystem.truncate(path, 1000));
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                assertThat(hdfs.metric("LeasesHeld")).isEqualTo(1);
                assertThat(hdfs.metric("PinnedDeletedBytes")).isEqualTo(0L);
                assertThat(hdfs.metric("Refused_REPLICA_NOT_FINALIZED")).isEqualTo(1L);
              });
    }
  }

  private static void helloNamesTheVolume(InJvmHdfs hdfs, LoopFileSystem volume)
      throws IOException {
    await()
        .atMost(SOON)
        .until(() -> hdfs.plane().hello(HelloRequest.getDefaultInstance()).getVolumesCount() == 1);
    HelloReply hello = hdfs.plane().hello(HelloRequest.getDefaultInstance());
    assertThat(hello.getDatanodeUuid()).isEqualTo(hdfs.dataNode.getDatanodeUuid());
    assertThat(hello.getVolumes(0).getRefusal()).isEmpty();
    assertThat(uuid(hello.getVolumes(0).getDevice())).isEqualTo(volume.uuid());
  }

  private static UUID uuid(io.rdio.core.wire.proto.DeviceIdentity device) {
    var bytes = device.getFsUuid().asReadOnlyByteBuffer();
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  private static void grantedExtentsHoldTheBlock(InJvmHdfs hdfs) throws Exception {
    byte[] content = randomBytes(1_234_567);
    LocatedBlock block = hdfs.lastBlock(hdfs.write("kept", content));

    FileMap map = hdfs.grant(block).getFileMap();

    assertThat(map.getBlockLength()).isEqualTo(content.length);
    assertThat(map.getBytesPerChecksum()).isEqualTo(512);
    try (DeviceDirectory directory = new LocalDeviceDirectory(Map.of(), Duration.ZERO)) {
      BlockDevice device = directory.resolve(device(map));
      byte[] read = ExtentBytes.read(device, list(map.getBlockExtents()), content.length);
      assertThat(Arrays.equals(read, content)).isTrue();
      byte[] meta = ExtentBytes.read(device, list(map.getMetaExtents()), 7);
      assertThat(meta).containsExactly(0, 1, 2, 0, 0, 2, 0);
    }
  }

  private static DeviceIdentity device(FileMap map) {
    var device = map.getDevice();
    return new DeviceIdentity(
        device.getFsType(),
        uuid(device),
        device.getSizeBytes(),
        device.getWwid(),
        device.getPartitionStartBytes(),
        device.getName());
  }

  private static ExtentList list(Extents extents) {
    return ExtentList.of(
        extents.getPhysicalList().stream().mapToLong(Long::longValue).toArray(),
        extents.getLengthList().stream().mapToLong(Long::longValue).toArray());
  }

  private static void strangersAreRefused(InJvmHdfs hdfs) throws IOException {
    ExtendedBlock kept = hdfs.lastBlock(new org.apache.hadoop.fs.Path("/kept")).getBlock();
    byte[] none = new byte[0];
    ExtendedBlock otherPool =
        new ExtendedBlock("BP-0", kept.getBlockId(), 0, kept.getGenerationStamp());
    ExtendedBlock otherBlock =
        new ExtendedBlock(kept.getBlockPoolId(), -42, 0, kept.getGenerationStamp());
    ExtendedBlock otherStamp = new ExtendedBlock(kept.getBlockPoolId(), kept.getBlockId(), 0, 1);
    assertThat(refusal(hdfs.grant(otherPool, none))).isEqualTo(FallbackReason.DATANODE_NOT_READY);
    assertThat(refusal(hdfs.grant(otherBlock, none))).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    assertThat(refusal(hdfs.grant(otherStamp, none))).isEqualTo(FallbackReason.REPLICA_CHANGED);
  }

  private static FallbackReason refusal(BlockGrant grant) {
    assertThat(grant.hasRefusal()).isTrue();
    return FallbackReason.ofWire(grant.getRefusal().getReason());
  }

  private static void blockUnderConstructionIsRefused(InJvmHdfs hdfs) throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/open");
    try (FSDataOutputStream out = hdfs.fileSystem.create(path)) {
      out.write(randomBytes(1000));
      out.hflush();
      assertThat(refusal(hdfs.grant(hdfs.lastBlock(path))))
          .isEqualTo(FallbackReason.REPLICA_NOT_FINALIZED);
    }
  }

  private static List<Long> recalls(InJvmHdfs hdfs) {
    List<Long> recalled = new CopyOnWriteArrayList<>();
    hdfs.asyncPlane()
        .recalls(
            RecallsRequest.newBuilder().setClientId(InJvmHdfs.CLIENT).build(),
            new StreamObserver<>() {
              @Override
              public void onNext(Recall recall) {
                recalled.addAll(recall.getLeaseIdsList());
              }

              @Override
              public void onError(Throwable error) {}

              @Override
              public void onCompleted() {}
            });
    return recalled;
  }

  /** Something that is done to a file. */
  @FunctionalInterface
  private interface Change {
    void make(org.apache.hadoop.fs.Path path) throws IOException;
  }

  private static void recalledWhen(
      InJvmHdfs hdfs, LoopFileSystem volume, List<Long> recalled, Change change)
      throws IOException {
    byte[] content = randomBytes(100_000);
    LocatedBlock block = hdfs.lastBlock(hdfs.write("changed", content));
    FileMap map = hdfs.grant(block).getFileMap();
    Path link = link(volume, block.getBlock().getBlockId());

    change.make(new org.apache.hadoop.fs.Path("/changed"));

    await().atMost(SOON).until(() -> recalled.contains(map.getLeaseId()));
    assertThat(Files.readAllBytes(link)).isEqualTo(content);
    assertThat(refusal(hdfs.grant(block))).isEqualTo(FallbackReason.RECALL_PENDING);
    hdfs.plane()
        .return_(
            ReturnRequest.newBuilder()
                .setClientId(InJvmHdfs.CLIENT)
                .setIncarnation(
                    hdfs.plane().hello(HelloRequest.getDefaultInstance()).getIncarnation())
                .addLeaseIds(map.getLeaseId())
                .build());
    await().atMost(SOON).until(() -> Files.notExists(link));
    hdfs.fileSystem.delete(new org.apache.hadoop.fs.Path("/changed"), false);
  }

  private static Path link(LoopFileSystem volume, long blockId) throws IOException {
    try (Stream<Path> all = Files.walk(volume.mountPoint().resolve("data/rdio/pins"))) {
      return all.filter(path -> path.toString().contains("." + blockId + "."))
          .filter(path -> path.toString().endsWith(".data"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void onlyTheRightBlockTokenIsAccepted() throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs =
            new InJvmHdfs(volume, nameDirectory, Map.of("dfs.block.access.token.enable", "true"))) {
      LocatedBlock block = hdfs.lastBlock(hdfs.write("a", randomBytes(1000)));
      LocatedBlock other = hdfs.lastBlock(hdfs.write("b", randomBytes(1000)));
      byte[] right = InJvmHdfs.token(block);
      byte[] forged = right.clone();
      // The password is what follows the identifier: its last byte is 1 + 'kind' + 'service' away.
      int kindAndService =
          2
              + block.getBlockToken().getKind().getLength()
              + block.getBlockToken().getService().getLength();
      forged[right.length - kindAndService - 1] ^= 1;
      byte[] absurd = {(byte) 0x8c, 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff};

      for (byte[] wrong :
          List.of(
              new byte[0],
              forged,
              InJvmHdfs.token(other),
              Arrays.copyOf(right, right.length / 2),
              absurd,
              expired(hdfs))) {
        assertThat(refusal(hdfs.grant(block.getBlock(), wrong)))
            .isEqualTo(FallbackReason.TOKEN_REFUSED);
      }
      assertThat(hdfs.grant(block.getBlock(), right).hasFileMap()).isTrue();
    }
  }

  private static byte[] expired(InJvmHdfs hdfs) throws IOException {
    NameNode nameNode = hdfs.nameNode;
    var secrets = nameNode.getNamesystem().getBlockManager().getBlockTokenSecretManager();
    secrets.setTokenLifetime(-1000);
    try {
      return InJvmHdfs.token(hdfs.lastBlock(new org.apache.hadoop.fs.Path("/a")));
    } finally {
      secrets.setTokenLifetime(600_000);
    }
  }

  @Test
  void clusterThatAsksForEncryptionIsRefused() throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs =
            new InJvmHdfs(
                volume, nameDirectory, Map.of("dfs.data.transfer.protection", "privacy"))) {
      ExtendedBlock block =
          new ExtendedBlock(hdfs.nameNode.getNamesystem().getBlockPoolId(), 1, 0, 1);

      assertThat(refusal(hdfs.grant(block, new byte[0])))
          .isEqualTo(FallbackReason.ENCRYPTION_REQUIRED);
    }
  }

  @Test
  void dataNodeLivesOnAndLeftoversGoWhenThePortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      pluginCannotStartWith("dfs.datanode.rdio.address", address, address);
    }
  }

  @Test
  void dataNodeLivesOnAndLeftoversGoWhenTheConfigurationMakesNoSense() throws Exception {
    String key = "dfs.datanode.rdio.lease.duration";
    pluginCannotStartWith(key, "never", key, "never");
  }

  private void pluginCannotStartWith(String key, String value, String... told) throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults")) {
      Path pins = Files.createDirectories(volume.mountPoint().resolve("data/rdio/pins/100"));
      Path leftover = Files.write(pins.resolve("left.data"), new byte[1]);
      try (InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, Map.of(key, value))) {
        assertThat(hdfs.metric("PluginUp")).isEqualTo(0);
        assertThat(hdfs.metric("tag.StartFailure").toString()).contains(told);
        await().atMost(SOON).until(() -> Files.notExists(leftover));
        assertThat(hdfs.lastBlock(hdfs.write("a", randomBytes(1000))).getLocations()).hasSize(1);
      }
    }
  }
}
