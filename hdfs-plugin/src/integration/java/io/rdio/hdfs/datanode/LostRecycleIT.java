// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.testing.Resources;
import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.datanode.PromisedBlocks.Stage;
import io.rdio.hdfs.datanode.write.NewFile;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of deleted blocks become slots again, and other blocks (W15), on a device with a volatile
 * write cache that loses its power between any two I/Os of DataNode and writer, as in {@link
 * LostCacheIT}. A block whose deletion is lost with the power has its own bytes; none is back when
 * its file may have been written to.
 *
 * <p>At which moments: see {@link PowerCuts}.
 */
@Tag("loop")
final class LostRecycleIT {
  private static final int BLOCK = 1 << 20;

  /** Files that stock HDFS wrote. */
  private static final int OTHERS = 2;

  /** One for a slot that is made anew, and one that is left free for a file that comes back. */
  private static final int SLOTS = 2;

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir static Path nameDirectory;
  private static LoggedVolume volume;
  private static InJvmHdfs hdfs;
  private static WritingClient client;
  private static final AtomicInteger FILES = new AtomicInteger();
  private static final PromisedBlocks PROMISED = new PromisedBlocks();

  /** Those that were closed and that nobody deleted. */
  private static final List<SeededFile> CLOSED = new ArrayList<>();

  /** Blocks of one slot, one after the other: two that were deleted, and one that is there. */
  private static final List<Written> LIVES = new ArrayList<>();

  /** The deleted block whose file is lent anew. */
  private static Written before;

  /** The block that it is lent for, and that is not committed. */
  private static Written open;

  private final PowerCuts cuts = new PowerCuts(volume, PROMISED);

  /** A file of one block, which fills its slot. */
  private static final class Written {
    final SeededFile file;
    final long block;
    final WriteSlot slot;
    private final NewFile created;
    private final LocatedBlock located;

    /** Of which nothing is written yet. */
    Written(boolean isSettled) throws IOException {
      int number = FILES.incrementAndGet();
      created = NewFile.create(hdfs.fileSystem, "/written-" + number, BLOCK);
      file = new SeededFile(created.path(), SeededFile.random(BLOCK, number));
      located = created.addBlock(null);
      block = located.getBlock().getBlockId();
      PROMISED.add(block, file.bytes(), isSettled);
      slot = client.awaitSlot(located, BLOCK);
    }

    boolean isIn(Written other) {
      return slot.grant().slot() == other.slot.grant().slot();
    }

    void write() throws IOException {
      client.write(slot, file.bytes());
    }

    Written commit() throws IOException, FallbackException {
      write();
      client.commit(slot, file.bytes());
      created.complete(WritingClient.written(located, file.bytes()));
      CLOSED.add(file);
      return this;
    }
  }

  @BeforeAll
  static void write() throws Exception {
    volume = LoggedVolume.create();
    Map<String, String> keys = RecycledSlotIT.recycling();
    keys.put("dfs.blocksize", Integer.toString(BLOCK));
    keys.put(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), Integer.toString(SLOTS * BLOCK));
    hdfs = new InJvmHdfs(volume.mountPoint(), nameDirectory, keys);
    client = new WritingClient(hdfs, volume.agentsNode());
    writeOthers();
    await("a full pool").atMost(PATIENCE).until(() -> names("pool").size() == SLOTS);
    RecycledSlotIT.requireZeros(hdfs);
    LIVES.add(new Written(true).commit());
    before = new Written(true).commit();
    volume.beginLog();
    try {
      StageMarks marks = new StageMarks(volume.log(), Stage.FINALIZED);
      WriteFaultInjector.set(marks);
      liveTwiceMore(marks);
      recycle(before, marks);
      open = nextIn(before);
      open.write();
    } finally {
      WriteFaultInjector.set(new WriteFaultInjector());
      volume.log().end();
    }
  }

  private static void writeOthers() throws IOException {
    for (int i = 1; i <= OTHERS; i++) {
      byte[] bytes = SeededFile.random(BLOCK, -i);
      SeededFile other = new SeededFile(hdfs.write("other" + i, bytes), bytes);
      PROMISED.add(hdfs.lastBlock(other.path()).getBlock().getBlockId(), bytes, true);
      CLOSED.add(other);
    }
  }

  private static void liveTwiceMore(StageMarks marks) throws Exception {
    for (int life = 0; life < 2; life++) {
      Written last = LIVES.get(life);
      recycle(last, marks);
      LIVES.add(nextIn(last).commit());
    }
  }

  /** Has HDFS delete a block, and waits for its file in the pool, under whatever nonce. */
  private static void recycle(Written deleted, StageMarks marks) throws IOException {
    CLOSED.remove(deleted.file);
    marks.mark(deleted.block, Stage.DELETED);
    assertThat(hdfs.fileSystem.delete(deleted.file.path(), false)).isTrue();
    String slot = "%016x.".formatted(deleted.slot.grant().slot());
    await("its slot is free")
        .atMost(PATIENCE)
        .until(() -> names("pool").stream().anyMatch(name -> name.startsWith(slot)));
  }

  /** The first block that gets a slot, which is free; those that get the others are committed. */
  private static Written nextIn(Written deleted) throws Exception {
    for (int i = 0; i <= SLOTS; i++) {
      Written next = new Written(false);
      if (next.isIn(deleted)) {
        return next;
      }
      next.commit();
    }
    throw new AssertionError("the slot of block " + deleted.block + " is not lent");
  }

  private static List<String> names(String folder) throws IOException {
    return Maps.files(volume.mountPoint().resolve("data/rdio/slots").resolve(folder)).stream()
        .map(file -> file.getFileName().toString())
        .toList();
  }

  @AfterAll
  static void close() throws Exception {
    Resources.close(client, hdfs, volume);
  }

  private static String nameOf(Written written) {
    return "/blk_" + written.block + ":";
  }

  @Test
  void eachStepOfItIsInTheLog() {
    cuts.assertBothWaysAreUsed();
    List<Stage> written = List.of(Stage.LEASED, Stage.COMMITTING, Stage.FINALIZED);
    List<Stage> recycled = List.of(Stage.DELETED, Stage.UNNAMED, Stage.FREED, Stage.STAMPED);
    List<Stage> both = new ArrayList<>(written);
    both.addAll(recycled);
    assertThat(cuts.stagesOf(LIVES.get(0).block)).isEqualTo(recycled);
    assertThat(cuts.stagesOf(LIVES.get(1).block)).isEqualTo(both);
    assertThat(cuts.stagesOf(LIVES.get(2).block)).isEqualTo(written);
    assertThat(cuts.stagesOf(before.block)).isEqualTo(recycled);
    assertThat(cuts.stagesOf(open.block)).containsExactly(Stage.LEASED);
  }

  @Test
  void whatWasPromisedIsThere() throws IOException {
    cuts.assertPromised();
  }

  /** So it is these flushes that the other test lives by. */
  @Test
  void whereFlushesOfTheDataNodeDoNothingItIsNot() throws IOException {
    assertThat(cuts.brokenIfDeafTo(LoggedVolume.DATA_NODE)).isNotEmpty();
  }

  /** Where the deletion is not durable, and the next writer's bytes are: what W15.2 keeps off. */
  @Test
  void whereDeletionsAreLostBlocksAreBackWithBytesOfOthers() throws IOException {
    assertThat(cuts.brokenIfLostTo(LoggedVolume.DATA_NODE))
        .anyMatch(what -> what.contains("first wrong byte") && what.contains(nameOf(LIVES.get(0))))
        .anyMatch(what -> what.contains("first wrong byte") && what.contains(nameOf(before)));
  }

  @Test
  void dataNodeGoesOnWithWhatTheLossHasLeft() throws Exception {
    hdfs.stopDataNode();
    cuts.losePower();
    hdfs.startDataNode();
    for (SeededFile file : CLOSED) {
      await("the DataNode has its blocks again")
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(IOException.class)
          .untilAsserted(() -> LostCacheIT.assertIsWhole(hdfs, file));
    }
    await().atMost(PATIENCE).until(() -> hdfs.fileSystem.recoverLease(open.file.path()));
    await("what was lent comes back")
        .atMost(PATIENCE)
        .until(() -> names("leased").isEmpty() && !names("pool").isEmpty());
    LostCacheIT.assertIsWhole(hdfs, new Written(false).commit().file);
    assertThat(hdfs.fsck()).contains("is HEALTHY");
  }
}
