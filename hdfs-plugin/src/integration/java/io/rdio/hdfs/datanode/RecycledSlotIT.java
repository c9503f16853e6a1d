// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.Resources;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.datanode.write.NewFile;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files of deleted blocks that become slots again (W15), in a real DataNode on real file systems:
 * without zeros, and not while anybody may read the block.
 */
@Tag("loop")
final class RecycledSlotIT {
  private static final int BLOCK = 4 << 20;

  /** Of the smallest slots: a block of it is not full, so that HDFS appends to it. */
  private static final int SMALL = 1 << 20;

  /** Slots of a block's size, in a pool of 16 MiB with two small ones. */
  private static final int SLOTS = 3;

  private static final int SECTOR = 512;

  /** Field of a device's {@code stat}: sectors written. */
  private static final int SECTORS_WRITTEN = 6;

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path nameDirectory;
  private LoopFileSystem volume;
  private InJvmHdfs hdfs;
  private WritingClient client;
  private int files;

  /** A file of one block, which fills its slot. */
  private final class Written {
    final byte[] content;
    final NewFile file;
    final WriteSlot slot;

    Written(int length) throws Exception {
      files++;
      content = new byte[length];
      new Random(files).nextBytes(content);
      file = NewFile.create(hdfs.fileSystem, "/written-" + files, BLOCK);
      LocatedBlock located = file.addBlock(null);
      slot = client.awaitSlot(located, length);
      client.write(slot, content);
      client.commit(slot, content);
      file.complete(WritingClient.written(located, content));
    }

    void delete() throws IOException {
      assertThat(hdfs.fileSystem.delete(file.path(), false)).isTrue();
    }

    /** Whether its very slot is free, under whatever nonce. */
    boolean isFreeAgain() throws IOException {
      String number = "%016x.".formatted(slot.grant().slot());
      return names("slots/pool").stream().anyMatch(name -> name.startsWith(number));
    }

    void assertContent() throws IOException {
      RemoteWriteIT.assertContent(hdfs, file, content);
    }
  }

  /** What has files of deleted blocks come back as slots, soon. */
  static Map<String, String> recycling() {
    Map<String, String> keys = RemoteWriteIT.writing();
    keys.put(RdioConfigKeys.DATANODE_WRITE_RECYCLE.name(), "true");
    keys.put(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "16m");
    keys.put(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), "8s");
    keys.put(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s");
    keys.put("dfs.block.scanner.volume.bytes.per.second", "0"); // it might have a block open
    return keys;
  }

  /** On which the kernel has nothing to do by itself, as with inode tables that mkfs left as is. */
  private static LoopFileSystem volume(String fsType, long bytes) throws IOException {
    List<String> options =
        fsType.equals("ext4")
            ? List.of("-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0")
            : List.of();
    return LoopFileSystem.create(fsType, bytes, options, "defaults");
  }

  private void start(String fsType, Map<String, String> keys) throws IOException {
    start(volume(fsType, 400L << 20), keys);
  }

  private void start(LoopFileSystem on, Map<String, String> keys) throws IOException {
    volume = on;
    hdfs = new InJvmHdfs(volume, nameDirectory, keys);
    client = new WritingClient(hdfs, volume.device());
    awaitFullPool();
    requireZeros(hdfs);
  }

  /** Skips the test where nothing is recycled, for slots cost no zeros. Some are made by now. */
  static void requireZeros(InJvmHdfs by) {
    await("what /jmx shows is not from before")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IllegalStateException.class) // it is not there before its first
        .until(() -> metric(by, "SlotsMade") > 0);
    Requirements.require(metric(by, "SlotsZeroed") > 0, "the device writes zeroes by itself");
  }

  private static long metric(InJvmHdfs by, String name) {
    return ((Number) by.metric(name)).longValue();
  }

  @AfterEach
  void close() throws Exception {
    WriteFaultInjector.set(new WriteFaultInjector());
    Resources.close(client, hdfs, volume);
  }

  private void awaitMetric(String name, long value) {
    await(name).atMost(PATIENCE).until(() -> metric(hdfs, name), Long.valueOf(value)::equals);
  }

  private List<String> names(String folder) throws IOException {
    return Maps.files(volume.mountPoint().resolve("data/rdio").resolve(folder)).stream()
        .map(file -> file.getFileName().toString())
        .toList();
  }

  private boolean isPoolFull() throws IOException {
    return names("slots/pool/" + BLOCK).size() == SLOTS && names("slots/pool/" + SMALL).size() == 2;
  }

  private void awaitFullPool() {
    await("a full pool").atMost(PATIENCE).until(this::isPoolFull);
  }

  /** In the order in which files go from one to the next. */
  private boolean isNothingUnderWay() throws IOException {
    return names("slots/kept").isEmpty() && names("slots/leased").isEmpty();
  }

  private void awaitNothingUnderWay() {
    await("kept files come to their ends").atMost(PATIENCE).until(this::isNothingUnderWay);
  }

  private void awaitNoHold() {
    await("the hold link goes").atMost(PATIENCE).until(() -> names("pins").isEmpty());
  }

  /** To the device, by whomever; all that is to be written has been. */
  private long bytesWritten() throws IOException {
    Command.run("sync", "-f", volume.mountPoint().toString());
    String stat =
        Files.readString(Path.of("/sys/class/block/" + volume.device().getFileName() + "/stat"));
    return Long.parseLong(stat.trim().split("\\s+", -1)[SECTORS_WRITTEN]) * SECTOR;
  }

  /** The block itself is written once, and what file system and DataNode note is less than that. */
  @ParameterizedTest
  @CsvSource({"ext4, true", "ext4, false", "xfs, true", "xfs, false"})
  void deletedBlockIsASlotAgainWithoutZeros(String fsType, boolean recycles) throws Exception {
    Map<String, String> keys = recycling();
    keys.put(RdioConfigKeys.DATANODE_WRITE_RECYCLE.name(), Boolean.toString(recycles));
    start(fsType, keys);
    long before = bytesWritten();
    Written first = new Written(BLOCK);
    first.assertContent(); // by the page cache
    assertThat(names("slots/kept")).hasSize(recycles ? 1 : 0);
    first.delete();
    awaitNothingUnderWay();
    awaitFullPool();
    long written = bytesWritten() - before;

    assertThat(first.isFreeAgain()).isEqualTo(recycles);
    awaitMetric("SlotsRecycled", recycles ? 1 : 0);
    if (recycles) {
      assertThat(written).isBetween((long) BLOCK, 2L * BLOCK - SMALL);
    } else {
      assertThat(written).as("with a slot's zeros").isGreaterThanOrEqualTo(2L * BLOCK);
    }
    for (int i = 0; i < SLOTS; i++) {
      new Written(BLOCK).assertContent();
    }
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }

  /** Where the DataNode's dataset says it before; else HDFS copies it, and its file comes back. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void appendToAKeptBlockIsInPlaceWhereItIsToldBefore(boolean isTold) throws Exception {
    Map<String, String> keys = recycling();
    if (isTold) {
      keys.put(
          DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY,
          RecallingDatasetFactory.class.getName());
    }
    start("ext4", keys);
    Written block = new Written(SMALL);
    awaitNoHold();
    assertThat(names("slots/kept")).hasSize(1);
    Object inode = RemoteWriteIT.inode(hdfs, block.file);
    try (FSDataOutputStream out = hdfs.fileSystem.append(block.file.path())) {
      out.write(7);
    }
    assertThat(RemoteWriteIT.inode(hdfs, block.file).equals(inode)).isEqualTo(isTold);
    awaitNothingUnderWay();
    awaitFullPool();
    assertThat(block.isFreeAgain()).isEqualTo(!isTold);
    byte[] longer = Arrays.copyOf(block.content, SMALL + 1);
    longer[SMALL] = 7;
    RemoteWriteIT.assertContent(hdfs, block.file, longer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void pinnedBlockIsNoSlotBeforeItsReadersAreDone(String fsType) throws Exception {
    Map<String, String> keys = recycling();
    keys.put(RdioConfigKeys.DATANODE_LEASE_DURATION.name(), "15s");
    keys.put(RdioConfigKeys.DATANODE_IO_TIME_MAX.name(), "1s");
    start(fsType, keys);
    Written block = new Written(BLOCK);
    LocatedBlock located = hdfs.lastBlock(block.file.path());
    await("a map").atMost(PATIENCE).until(() -> hdfs.grant(located).hasFileMap());
    FileMap map = hdfs.grant(located).getFileMap();
    block.delete();
    await("HDFS deletes it")
        .atMost(PATIENCE)
        .until(() -> Maps.blockFiles(volume.mountPoint()).isEmpty());
    try (DeviceDirectory devices = new LocalDeviceDirectory(Map.of(), Duration.ofMinutes(1))) {
      GrantedBytes.check(devices, map, block.content);
      await("the holder answers no recall")
          .atMost(PATIENCE)
          .until(
              () -> {
                boolean isKept = names("slots/kept").size() == 1; // before the pin is looked for
                boolean isPinned = !names("pins").isEmpty();
                assertThat(isKept || !isPinned).as("kept as long as it is pinned").isTrue();
                return !isPinned;
              });
    }
    awaitNothingUnderWay();
    awaitFullPool();
    assertThat(block.isFreeAgain()).isTrue();
  }

  /** As a short-circuit reader has it: no link says so. */
  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void blockThatSomebodyHasOpenIsNoSlot(String fsType) throws Exception {
    start(fsType, recycling());
    Written block = new Written(BLOCK);
    Path file = Maps.blockFiles(volume.mountPoint()).get(0);
    try (InputStream reader = Files.newInputStream(file)) {
      block.delete();
      awaitNothingUnderWay();
      awaitFullPool();
      assertThat(block.isFreeAgain()).isFalse();
      for (int i = 0; i < SLOTS; i++) {
        new Written(BLOCK).assertContent();
      }
      assertThat(Arrays.mismatch(reader.readAllBytes(), block.content)).isEqualTo(-1);
    }
  }

  @Test
  void keptFileOutlivesARestart() throws Exception {
    start("ext4", recycling());
    Written block = new Written(BLOCK);
    hdfs.restartDataNode();
    assertThat(names("slots/kept")).hasSize(1);
    block.assertContent();
    assertDeletedComesBack(block);
  }

  private void assertDeletedComesBack(Written block) throws Exception {
    block.delete();
    assertComesBack(block);
  }

  private void assertComesBack(Written block) throws Exception {
    awaitNothingUnderWay();
    awaitFullPool();
    assertThat(block.isFreeAgain()).isTrue();
    for (int i = 0; i < SLOTS; i++) {
      Written next = new Written(BLOCK);
      next.assertContent();
      next.delete();
    }
    awaitNothingUnderWay();
    awaitFullPool();
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }

  /** Another DataNode takes its place, while it is held. */
  @ParameterizedTest
  @ValueSource(strings = {"beforeRecycle", "beforeStamp", "beforePool"})
  void dataNodeThatEndsAtAStep(String step) throws Exception {
    start("ext4", recycling());
    Written block = new Written(BLOCK);
    Hold hold = new Hold();
    WriteFaultInjector.set(new RecycleStep(step, hold));
    block.delete();
    hold.awaitReached();
    assertThat(block.isFreeAgain()).isFalse();
    hdfs.restartDataNode();
    hold.release();
    assertComesBack(block);
  }

  /** Also those that the pool would take. */
  @Test
  void fullVolumeGetsTheSpaceOfDeletedBlocksBack() throws Exception {
    start(volume("ext4", 200L << 20), recycling());
    List<Written> written = new ArrayList<>();
    for (int i = 0; i < SLOTS; i++) {
      written.add(new Written(BLOCK));
    }
    awaitNoHold();
    assertThat(names("slots/kept")).hasSize(SLOTS);
    FreeSpace space = new FreeSpace(volume.mountPoint());
    try {
      await("the pool gives its space to HDFS, which is short of it")
          .atMost(PATIENCE)
          .until(() -> isFilled(space) && names("slots/pool").isEmpty());
      assertThat(names("slots/kept")).as("of blocks that are there").hasSize(SLOTS);
      long others = fillers();
      for (Written each : written) {
        each.delete();
      }
      await("so do kept files")
          .atMost(PATIENCE)
          .until(() -> isFilled(space) && isNothingUnderWay() && names("slots/pool").isEmpty());
      assertThat(fillers() - others).isGreaterThan((SLOTS - 1L) * BLOCK);
      assertThat(space.isIntact()).isTrue();
    } finally {
      space.empty();
    }
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }

  private static boolean isFilled(FreeSpace space) throws IOException {
    space.fill();
    return true;
  }

  /** Bytes of the files that have all that is nobody's. */
  private long fillers() throws IOException {
    long bytes = 0;
    try (DirectoryStream<Path> fillers =
        Files.newDirectoryStream(volume.mountPoint(), "filler-*")) {
      for (Path filler : fillers) {
        bytes += Files.size(filler);
      }
    }
    return bytes;
  }
}
