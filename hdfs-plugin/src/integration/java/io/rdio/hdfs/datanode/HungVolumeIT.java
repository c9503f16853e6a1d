// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.core.wire.proto.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A real DataNode with two volumes, of which one hangs, in each {@link HangableVolume.Kind}. What
 * concerns the other goes on.
 */
@Tag("loop")
final class HungVolumeIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int FILES = 24;
  private static final int MORE_THAN_THREADS = 9;

  @TempDir Path nameDirectory;

  /** Blocks by the volume that they lie on. */
  private final Map<Path, Deque<LocatedBlock>> blocks = new HashMap<>();

  private static Path data(LoopFileSystem volume) {
    return volume.mountPoint().resolve("data");
  }

  @ParameterizedTest
  @EnumSource
  void volumeThatHangsCostsItsOwnGrantsOnly(HangableVolume.Kind kind) throws Exception {
    try (HangableVolume volume = HangableVolume.create(kind);
        LoopFileSystem sound = LoopFileSystem.create("ext4", 200L << 20, List.of(), "defaults");
        InJvmHdfs hdfs =
            new InJvmHdfs(volume.files(), nameDirectory, keys(volume.files(), sound))) {
      LoopFileSystem hung = volume.files();
      writeFiles(hdfs, List.of(hung, sound));
      List<Long> recalled = recalls(hdfs);
      LocatedBlock sharedBlock = blocks.get(data(hung)).remove();
      FileMap returned = hdfs.grant(blocks.get(data(hung)).remove()).getFileMap();
      FileMap shared = hdfs.grant(sharedBlock).getFileMap();
      volume.hang();
      try {
        grantsAreRefusedInTime(hdfs, hung);
        assertThat(hdfs.grant(sharedBlock).hasFileMap())
            .as("what is pinned needs no disk")
            .isTrue();
        giveBack(hdfs, returned);
        renewalsGoOn(hdfs, shared);
        soundVolumeServes(hdfs, sound, recalled);
        leasesOfTheSoundVolumeRunOut(hdfs, sound);
        assertThat(refusals(hdfs)).containsEntry(data(hung).toString(), "VOLUME_STALLED");
        await("jmx").atMost(SOON).until(() -> hdfs.metric("VolumesRefused").equals(1L));
        if (kind == HangableVolume.Kind.FROZEN) {
          assertThat(links(hung)).as("nothing goes on a frozen volume").hasSize(4);
        }
      } finally {
        volume.answer();
      }
      allIsAsBefore(hdfs, hung);
    }
  }

  /**
   * HDFS appends to a block on the hung volume, and so keeps its lock of the block pool; another
   * part of HDFS wants that lock for itself alone, and keeps all that come later waiting: HDFS now
   * answers nothing about any replica of any volume, and changes none. No grant can be had then.
   * Leases, links and what shows on the disk do not wait for it.
   */
  @Test
  void lockOfHdfsThatAHungVolumeHolds() throws Exception {
    try (HangableVolume volume = HangableVolume.create(HangableVolume.Kind.FROZEN);
        LoopFileSystem sound = LoopFileSystem.create("ext4", 200L << 20, List.of(), "defaults");
        InJvmHdfs hdfs =
            new InJvmHdfs(volume.files(), nameDirectory, keys(volume.files(), sound))) {
      writeFiles(hdfs, List.of(volume.files(), sound));
      List<Long> recalled = recalls(hdfs);
      Deque<LocatedBlock> onSound = blocks.get(data(sound));
      FileMap returned = hdfs.grant(onSound.remove()).getFileMap();
      LocatedBlock going = onSound.remove();
      FileMap map = hdfs.grant(going).getFileMap();
      LocatedBlock onHung = blocks.get(data(volume.files())).remove();
      assertThat(hdfs.grant(onSound.remove()).hasFileMap()).isTrue();
      HeldPoolLock held;
      volume.hang();
      try {
        held = HeldPoolLock.by(hdfs.dataNode.getFSDataset(), onHung.getBlock(), going.getBlock());
        assertThatThrownBy(() -> hdfs.grantWithin(Duration.ofSeconds(2), onSound.element()))
            .as("whoever waits gives up")
            .isInstanceOf(StatusRuntimeException.class)
            .hasMessageContaining("DEADLINE_EXCEEDED");
        renewalsGoOn(hdfs, map);
        giveBack(hdfs, returned);
        await("unlink").ignoreExceptions().atMost(SOON).until(() -> links(sound).size() <= 4);
        Files.delete(fileOf(data(sound), going.getBlock().getBlockId()));
        await("recall").atMost(SOON).until(() -> recalled.contains(map.getLeaseId()));
        await("end of leases").ignoreExceptions().atMost(SOON).until(() -> links(sound).isEmpty());
        assertThat(held.isOver()).isFalse();
      } finally {
        volume.answer();
      }
      held.awaitEnd(SOON);
      allIsAsBefore(hdfs, sound);
    }
  }

  private static Map<String, String> keys(LoopFileSystem hung, LoopFileSystem sound) {
    return Map.of(
        "dfs.datanode.data.dir", data(hung).toUri() + "," + data(sound).toUri(),
        "dfs.datanode.rdio.lease.duration", "8s",
        "dfs.datanode.rdio.io.time.max", "1s");
  }

  private void writeFiles(InJvmHdfs hdfs, List<LoopFileSystem> volumes) throws IOException {
    for (int i = 0; i < FILES; i++) {
      LocatedBlock block = hdfs.lastBlock(hdfs.write("file" + i, randomBytes(100_000 + i)));
      for (LoopFileSystem volume : volumes) {
        if (hasBlock(data(volume), block.getBlock().getBlockId())) {
          blocks.computeIfAbsent(data(volume), unused -> new ArrayDeque<>()).add(block);
        }
      }
    }
    await().atMost(SOON).until(() -> refusals(hdfs).size() == 2);
  }

  private static boolean hasBlock(Path data, long id) throws IOException {
    return findFile(data, id).isPresent();
  }

  private static Path fileOf(Path data, long id) throws IOException {
    return findFile(data, id).orElseThrow();
  }

  private static Optional<Path> findFile(Path data, long id) throws IOException {
    try (Stream<Path> all = Files.walk(data.resolve("current"))) {
      return all.filter(path -> path.endsWith("blk_" + id)).findFirst();
    }
  }

  private static Map<String, String> refusals(InJvmHdfs hdfs) {
    Map<String, String> refusals = new HashMap<>();
    for (Volume volume : hdfs.plane().hello(HelloRequest.getDefaultInstance()).getVolumesList()) {
      refusals.put(volume.getPath(), volume.getRefusal());
    }
    return refusals;
  }

  private void grantsAreRefusedInTime(InJvmHdfs hdfs, LoopFileSystem hung) throws IOException {
    Deque<LocatedBlock> onHung = blocks.get(data(hung));
    assertThat(onHung).hasSizeGreaterThanOrEqualTo(MORE_THAN_THREADS);
    for (int i = 0; i < MORE_THAN_THREADS; i++) {
      BlockGrant answer = hdfs.grantWithin(Duration.ofSeconds(5), onHung.remove());
      assertThat(answer.getRefusal().getReason()).isEqualTo(FallbackReason.VOLUME_STALLED.name());
    }
  }

  private static void giveBack(InJvmHdfs hdfs, FileMap map) {
    hdfs.plane()
        .return_(
            ReturnRequest.newBuilder()
                .setClientId(InJvmHdfs.CLIENT)
                .setIncarnation(incarnation(hdfs))
                .addLeaseIds(map.getLeaseId())
                .build());
  }

  private static long incarnation(InJvmHdfs hdfs) {
    return hdfs.plane().hello(HelloRequest.getDefaultInstance()).getIncarnation();
  }

  private static void renewalsGoOn(InJvmHdfs hdfs, FileMap map) {
    RenewRequest request =
        RenewRequest.newBuilder()
            .setClientId(InJvmHdfs.CLIENT)
            .setIncarnation(incarnation(hdfs))
            .addLeaseIds(map.getLeaseId())
            .build();
    assertThat(hdfs.plane().renew(request).getLeaseMillis(0)).isPositive();
  }

  private void soundVolumeServes(InJvmHdfs hdfs, LoopFileSystem sound, List<Long> recalled)
      throws IOException {
    LocatedBlock block = blocks.get(data(sound)).remove();
    FileMap map = hdfs.grantWithin(Duration.ofSeconds(30), block).getFileMap();
    assertThat(map.getLeaseId()).isNotZero();
    String file = fileOf(hdfs, block);
    hdfs.fileSystem.delete(new org.apache.hadoop.fs.Path(file), false);
    await("recall").atMost(SOON).until(() -> recalled.contains(map.getLeaseId()));
    giveBack(hdfs, map);
    await("unlink").ignoreExceptions().atMost(SOON).until(() -> links(sound).isEmpty());
  }

  private static String fileOf(InJvmHdfs hdfs, LocatedBlock block) throws IOException {
    for (int i = 0; i < FILES; i++) {
      String name = "/file" + i;
      if (hdfs.lastBlock(new org.apache.hadoop.fs.Path(name)).getBlock().equals(block.getBlock())) {
        return name;
      }
    }
    throw new IllegalStateException("no file has " + block);
  }

  private void leasesOfTheSoundVolumeRunOut(InJvmHdfs hdfs, LoopFileSystem sound)
      throws IOException {
    assertThat(hdfs.grant(blocks.get(data(sound)).remove()).hasFileMap()).isTrue();
    assertThat(links(sound)).hasSize(2);
    await("end of the lease").ignoreExceptions().atMost(SOON).until(() -> links(sound).isEmpty());
  }

  private void allIsAsBefore(InJvmHdfs hdfs, LoopFileSystem hung) throws IOException {
    LocatedBlock block = blocks.get(data(hung)).remove();
    await().atMost(SOON).until(() -> hdfs.grant(block).hasFileMap());
    await("whatever else was pinned is gone")
        .ignoreExceptions()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertThat(hdfs.metric("LeasesHeld")).isEqualTo(0);
              assertThat(hdfs.metric("Pins")).isEqualTo(0);
              assertThat(links(hung)).isEmpty();
            });
    assertThat(refusals(hdfs).values()).containsOnly("");
    assertThat(hdfs.metric("Failures")).isEqualTo(0L);
  }

  private static List<Path> links(LoopFileSystem volume) throws IOException {
    try (Stream<Path> all = Files.walk(data(volume).resolve("rdio/pins"))) {
      return all.filter(Files::isRegularFile).toList();
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
}
