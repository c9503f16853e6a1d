// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.testing.HangingFile;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.datanode.write.NewFile;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.QueuedDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fabric that finishes each write a second time, long after it was answered. What keeps that from
 * landing in other files, and that it lands there without: so the checker of such damage, which
 * {@code WriteAttackIT} has too, finds it.
 */
@Tag("loop")
final class LateWriteIT {
  private static final int BLOCK = 4 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path nameDirectory;
  private final byte[] content = randomBytes(BLOCK);
  private final Copies late = new Copies();
  private LoopFileSystem volume;
  private InJvmHdfs hdfs;
  private WritingClient client;

  /** Keeps a second try of each write, until they are to land. */
  private static final class Copies implements HangingFile.WriteQueue {
    private final Queue<Runnable> tries = new ConcurrentLinkedQueue<>();

    @Override
    public boolean holds(Runnable write) {
      return false;
    }

    @Override
    public void done(Runnable again) {
      tries.add(again);
    }

    void land() {
      assertThat(tries).isNotEmpty();
      for (Runnable next = tries.poll(); next != null; next = tries.poll()) {
        next.run();
      }
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  /**
   * @param ioTime {@code I}: what the DataNode believes of the fabric
   */
  private void with(String ioTime, Work work) throws Exception {
    Map<String, String> keys = RemoteWriteIT.writing();
    keys.put(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "4m"); // one slot
    keys.put(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), ioTime);
    try (LoopFileSystem own = RemoteWriteIT.volume("ext4");
        InJvmHdfs ours = new InJvmHdfs(own, nameDirectory, keys);
        QueuedDevice device = QueuedDevice.to(own.device().toString(), late);
        WritingClient writing = new WritingClient(ours, device.node())) {
      volume = own;
      hdfs = ours;
      client = writing;
      work.run();
    }
  }

  /** Whether there is no slot in one of the folders of slots. */
  private boolean isEmpty(String folder) throws IOException {
    return Maps.files(volume.mountPoint().resolve("data/rdio/slots").resolve(folder)).isEmpty();
  }

  /** Whether other files, which get all space that is nobody's, are as they were behind it. */
  private boolean isHarmless() throws IOException {
    FreeSpace space = new FreeSpace(volume.mountPoint());
    await("the pool gives its space to HDFS, which is short of it")
        .atMost(PATIENCE)
        .until(
            () -> {
              space.fill();
              return isEmpty("pool") && isEmpty("making");
            });
    space.fill();
    try {
      assertThat(space.isIntact()).as("before the late writes").isTrue();
      late.land();
      return space.isIntact();
    } finally {
      space.empty(); // what a DataNode of a full volume has not put away keeps it mounted
    }
  }

  @ParameterizedTest
  @CsvSource({"60s, true", "1s, false"})
  void quarantineCoversWhatLandsBehindAnAbort(String ioTime, boolean isCovered) throws Exception {
    with(
        ioTime,
        () -> {
          NewFile file = NewFile.create(hdfs.fileSystem, "/aborted", BLOCK);
          WriteSlot slot = client.awaitSlot(file.addBlock(null), BLOCK);
          client.write(slot, content);
          client.abort(slot);
          if (!isCovered) {
            await().atMost(PATIENCE).until(() -> isEmpty("leased"));
          }
          assertThat(isHarmless()).isEqualTo(isCovered);
        });
  }

  /** W6, and without it: its link is taken away behind the DataNode's back. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void holdLinkCoversWhatLandsBehindADeletion(boolean isHeld) throws Exception {
    with(
        "60s",
        () -> {
          NewFile file = NewFile.create(hdfs.fileSystem, "/deleted", BLOCK);
          LocatedBlock located = file.addBlock(null);
          WriteSlot slot = client.awaitSlot(located, BLOCK);
          client.write(slot, content);
          client.commit(slot, content);
          file.complete(WritingClient.written(located, content));
          if (!isHeld) {
            for (Path link : Maps.pinFiles(volume.mountPoint())) {
              Files.delete(link);
            }
          }
          hdfs.fileSystem.delete(file.path(), false);
          await().atMost(PATIENCE).until(() -> Maps.blockFiles(volume.mountPoint()).isEmpty());
          assertThat(isHarmless()).isEqualTo(isHeld);
        });
  }
}
