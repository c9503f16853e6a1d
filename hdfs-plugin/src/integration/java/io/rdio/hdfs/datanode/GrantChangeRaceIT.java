// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.hdfs.it.FreeSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HeldAppend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Grants of a block that HDFS appends to or truncates meanwhile, each held at each of its steps
 * while the other goes on: a grant is refused, or its map shows the bytes and checksums of the
 * generation stamp that was granted, whatever happens to the free space.
 */
@Tag("loop")
final class GrantChangeRaceIT {
  /** Its last chunk is not full: an append in place changes that chunk's checksum. */
  private static final int LENGTH = 1_500_777;

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir java.nio.file.Path nameDirectory;
  private final List<FileMap> granted = new ArrayList<>();

  /** What HDFS does to the file's only block. */
  private enum Change {
    APPEND,
    TRUNCATE
  }

  @AfterEach
  void holdNobody() {
    HeldGrant.none();
    HeldAppend.at(() -> {});
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void refusedOrTheBytesThatWereGranted(String fsType) throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create(fsType, 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs =
            new InJvmHdfs(
                volume,
                nameDirectory,
                Map.of(
                    "dfs.datanode.du.reserved.calculator",
                    HeldAppend.class.getName(),
                    // On a full volume it leaves a file open.
                    "dfs.block.scanner.volume.bytes.per.second",
                    "0"));
        DeviceDirectory devices = new LocalDeviceDirectory(Map.of(), Duration.ofMinutes(1))) {
      for (Change change : Change.values()) {
        for (String step : List.of("beforeLink", "afterLink", "afterSync")) {
          assertRefused(changedWhileAGrantIsAt(step, change, hdfs), step + " " + change);
        }
        for (String step : List.of("afterRecheck", "beforeReply")) {
          BlockGrant grant = changedWhileAGrantIsAt(step, change, hdfs);
          assertThat(grant.hasFileMap()).as(step + " " + change + ": " + grant).isTrue();
          granted.add(grant.getFileMap());
        }
        assertRefused(grantedWhileAChangeIsUnderWay(change, hdfs), "a late link, " + change);
      }
      new FreeSpace(volume.mountPoint()).fill();
      for (FileMap map : granted) {
        GrantedBytes.check(devices, map, randomBytes(LENGTH));
      }
    }
  }

  private static void assertRefused(BlockGrant grant, String when) {
    assertThat(grant.getRefusal().getReason())
        .as(when + ": " + grant)
        .isIn(FallbackReason.REPLICA_CHANGED.name(), FallbackReason.REPLICA_NOT_FINALIZED.name());
  }

  private static BlockGrant changedWhileAGrantIsAt(String step, Change change, InJvmHdfs hdfs)
      throws Exception {
    Path file = hdfs.write(step + change, randomBytes(LENGTH));
    Hold grantHeld = HeldGrant.at(step);
    CompletableFuture<BlockGrant> grant = grant(hdfs, file);
    grantHeld.awaitReached();

    change(change, file, hdfs);
    grantHeld.release();

    BlockGrant result = grant.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    check(change, file, hdfs);
    return result;
  }

  /** The link comes between a change's look at the link count and the change. */
  private static BlockGrant grantedWhileAChangeIsUnderWay(Change change, InJvmHdfs hdfs)
      throws Exception {
    Path file = hdfs.write("late" + change, randomBytes(LENGTH));
    Hold grantHeld = HeldGrant.at("beforeLink");
    CompletableFuture<BlockGrant> grant = grant(hdfs, file);
    grantHeld.awaitReached();
    Hold changeHeld = new Hold();
    HeldAppend.at(changeHeld::pass);
    HeldTruncate truncates = new HeldTruncate(changeHeld);
    try {
      CompletableFuture<Void> changed =
          CompletableFuture.runAsync(() -> change(change, file, hdfs));
      changeHeld.awaitReached();

      grantHeld.release();
      await()
          .atMost(PATIENCE)
          .until(() -> grant.isDone() || grantHeld.waitsIn(HadoopReplicaSource.class, "find"));
      changeHeld.release();

      changed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } finally {
      truncates.end();
    }
    BlockGrant result = grant.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    check(change, file, hdfs);
    return result;
  }

  private static CompletableFuture<BlockGrant> grant(InJvmHdfs hdfs, Path file) throws IOException {
    LocatedBlock block = hdfs.lastBlock(file);
    byte[] token = InJvmHdfs.token(block);
    return CompletableFuture.supplyAsync(() -> hdfs.grant(block.getBlock(), token));
  }

  private static void change(Change change, Path file, InJvmHdfs hdfs) {
    try {
      if (change == Change.APPEND) {
        try (FSDataOutputStream out = hdfs.fileSystem.append(file)) {
          out.write(randomBytes(700));
        }
      } else {
        hdfs.fileSystem.truncate(file, LENGTH / 2);
        await().atMost(PATIENCE).until(() -> hdfs.fileSystem.isFileClosed(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** HDFS did what it was asked for. */
  private static void check(Change change, Path file, InJvmHdfs hdfs) throws IOException {
    byte[] expected =
        Arrays.copyOf(randomBytes(LENGTH), change == Change.APPEND ? LENGTH + 700 : LENGTH / 2);
    if (change == Change.APPEND) {
      System.arraycopy(randomBytes(700), 0, expected, LENGTH, 700);
    }
    try (FSDataInputStream in = hdfs.fileSystem.open(file)) {
      assertThat(Arrays.mismatch(in.readAllBytes(), expected)).isEqualTo(-1);
    }
  }
}
