// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static io.rdio.hdfs.datanode.InJvmHdfs.randomBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.datanode.write.NewFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Commit that ends at each of its steps leaves what docs/remote-writes.md says. */
@Tag("loop")
final class CommitIT {
  private static final int BLOCK = 4 << 20;
  private static final int LENGTH = 3_000_777;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Before the block file has its name: nothing of the block is left, its slot is quarantined. */
  private static final List<String> NOTHING_LEFT =
      List.of("beforeHold", "beforeCut", "beforeReadBack", "beforeMeta", "beforeRename");

  /** It has its name, and is not finalized: its file is held, and nothing else of it is left. */
  private static final List<String> TAKEN_AWAY = List.of("afterRename", "beforeFinish");

  /** Finalized: who asks again is told so. */
  private static final List<String> FINALIZED = List.of("beforeSeal", "beforeKeep", "beforeAnswer");

  @TempDir Path nameDirectory;
  private final byte[] content = randomBytes(LENGTH);
  private Path slots;
  private Path pins;
  private InJvmHdfs hdfs;
  private WritingClient client;

  /** One file of one block that was written, and is committed. */
  private final class Case {
    final NewFile file;
    final LocatedBlock located;
    final WriteSlot slot;

    Case(String name) throws IOException {
      file = NewFile.create(hdfs.fileSystem, "/" + name, BLOCK);
      located = file.addBlock(null);
      slot = client.awaitSlot(located, BLOCK);
      client.write(slot, content);
    }

    FallbackReason refusal() {
      return RemoteWriteIT.reasonOf(() -> client.commit(slot, content));
    }

    void commitAgain() throws Exception {
      client.commit(slot, content);
      assertWhole();
    }

    /** The same of a DataNode that may just have begun, and not answer yet. */
    void commitAgainBehindAStart() throws Exception {
      await()
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(FallbackException.class)
          .untilAsserted(() -> client.commit(slot, content));
      assertWhole();
    }

    private void assertWhole() throws IOException {
      file.complete(WritingClient.written(located, content));
      RemoteWriteIT.assertContent(hdfs, file, content);
    }

    /** A recovery that came before would try for half a minute what cannot be. */
    void awaitInvalidated() {
      BlockKey block = NewFile.key(located);
      await().atMost(PATIENCE).until(() -> RemoteWriteIT.replica(hdfs, block) == null);
    }

    /** What lease recovery makes of it. */
    void assertRecovered(boolean whole) throws IOException {
      await().atMost(PATIENCE).until(() -> hdfs.fileSystem.recoverLease(file.path()));
      RemoteWriteIT.assertContent(hdfs, file, whole ? content : new byte[0]);
    }

    /** Files of this block below a folder of RDIO's. */
    long filesIn(Path folder) throws IOException {
      String number = "." + located.getBlock().getBlockId() + ".";
      try (Stream<Path> files = Files.walk(folder)) {
        return files.filter(path -> path.getFileName().toString().contains(number)).count();
      }
    }

    void assertQuarantined(boolean isThere) throws IOException {
      assertThat(filesIn(slots.resolve("leased"))).isEqualTo(isThere ? 1 : 0);
    }
  }

  @AfterEach
  void injectNothing() {
    WriteFaultInjector.set(new WriteFaultInjector());
  }

  /** What is done with a cluster of its own. */
  private interface Work {
    void run() throws Exception;
  }

  private void with(Work work) throws Exception {
    try (LoopFileSystem volume = RemoteWriteIT.volume("ext4");
        InJvmHdfs ours = new InJvmHdfs(volume, nameDirectory, RemoteWriteIT.writing());
        WritingClient writing = new WritingClient(ours, volume.device())) {
      hdfs = ours;
      client = writing;
      slots = volume.mountPoint().resolve("data/rdio/slots");
      pins = volume.mountPoint().resolve("data/rdio/pins");
      work.run();
      assertThat(hdfs.fsck()).contains("is HEALTHY");
    }
  }

  @Test
  void stepThatFails() throws Exception {
    with(
        () -> {
          for (String step : NOTHING_LEFT) {
            Case failed = failedAt(step);
            failed.assertQuarantined(true);
            failed.awaitInvalidated();
            failed.assertRecovered(false);
          }
          for (String step : TAKEN_AWAY) {
            Case renamed = failedAt(step);
            renamed.assertQuarantined(false);
            renamed.awaitInvalidated();
            renamed.assertRecovered(false);
            assertThat(renamed.filesIn(pins)).as("the hold link").isEqualTo(1);
          }
          for (String step : FINALIZED) {
            Case finalized = failedAt(step);
            finalized.commitAgain();
            assertThat(finalized.filesIn(pins)).as("the hold link").isEqualTo(1);
          }
        });
  }

  private Case failedAt(String step) throws IOException {
    Case failed = new Case("failed-" + step);
    WriteFaultInjector.set(
        new WriteStep(
            step,
            () -> {
              throw new IllegalStateException("fails " + step);
            }));
    assertThat(failed.refusal()).as(step).isEqualTo(FallbackReason.INTERNAL_ERROR);
    return failed;
  }

  /**
   * The DataNode ends while a Commit is at a step, and another takes its place. Not between rename
   * and length, which the Commit has the lock of: to a volume that is what comes before the finish.
   */
  @Test
  void dataNodeThatEndsAtAStep() throws Exception {
    with(
        () -> {
          for (String step : NOTHING_LEFT) {
            Case ended = endedAt(step);
            ended.assertQuarantined(true);
            ended.assertRecovered(false);
          }
          Case whole = endedAt("beforeFinish");
          whole.assertQuarantined(false);
          whole.assertRecovered(true);
          for (String step : FINALIZED) {
            Case finalized = endedAt(step);
            finalized.commitAgainBehindAStart();
            assertThat(finalized.filesIn(pins)).as("the hold link").isGreaterThanOrEqualTo(1);
          }
        });
  }

  private Case endedAt(String step) throws Exception {
    Case ended = new Case("ended-" + step);
    Hold hold = new Hold();
    WriteFaultInjector.set(
        new WriteStep(
            step,
            () -> {
              hold.pass();
              throw new IllegalStateException("ended with its DataNode");
            }));
    CompletableFuture<FallbackReason> refusal = CompletableFuture.supplyAsync(ended::refusal);
    hold.awaitReached();
    hdfs.restartDataNode();
    hold.release();
    assertThat(refusal.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    return ended;
  }
}
