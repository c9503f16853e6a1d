// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.datanode.allocate.NewReplica;
import io.rdio.datanode.allocate.RbwReplica;
import io.rdio.datanode.volume.Replica;
import io.rdio.hdfs.client.locate.SmallCluster;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real DataNode makes of the steps of a remote write. */
final class HadoopReplicaWriterTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int LENGTH = 300_777;
  private static final int CHUNK = 512;

  @TempDir static Path folder;
  private static SmallCluster cluster;
  private static DistributedFileSystem fs;
  private static int files;

  private final byte[] content = new byte[LENGTH];
  private HadoopReplicaWriter writer;
  private NewFile file;
  private LocatedBlock located;
  private BlockKey block;
  private String storage;

  @BeforeAll
  static void start() throws IOException {
    cluster = new SmallCluster(folder, 1);
    await().atMost(PATIENCE).until(cluster::isUp);
    fs = SmallCluster.open(cluster.conf());
  }

  @AfterAll
  static void stop() throws IOException {
    fs.close();
    cluster.close();
  }

  @BeforeEach
  void open() throws IOException {
    new Random(1).nextBytes(content);
    writer = writer(null);
    file = NewFile.create(fs, "/file" + files++, SmallCluster.BLOCK_BYTES);
    located = file.addBlock(null);
    block = NewFile.key(located);
    storage = located.getStorageIDs()[0];
  }

  private static HadoopReplicaWriter writer(String encryption) {
    return new HadoopReplicaWriter(
        cluster.dataNode(0), new DataNodeReplicas(cluster.dataNode(0), encryption));
  }

  private RbwReplica create() throws Exception {
    return writer.create(
        new NewReplica(block, storage, SmallCluster.BLOCK_BYTES, ChecksumSpec.Type.CRC32C, CHUNK));
  }

  private static long reserved() throws IOException {
    try (var volumes = cluster.dataNode(0).getFSDataset().getFsVolumeReferences()) {
      return ((FsVolumeImpl) volumes.get(0)).getReservedForReplicas();
    }
  }

  /** CRCs into the meta file, the file with the bytes over the block file. */
  private void putInPlace(RbwReplica rbw) throws IOException {
    DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK);
    byte[] sums = new byte[checksum.getChecksumSize(LENGTH)];
    checksum.calculateChunkedSums(content, 0, LENGTH, sums, 0);
    Files.write(rbw.metaFile(), sums, StandardOpenOption.APPEND);
    Path slot = Files.write(rbw.storage().volumeRoot().resolve("slot"), content);
    byte[] last = Arrays.copyOfRange(sums, sums.length - 4, sums.length);
    assertThat(
            writer.putInPlace(
                rbw,
                LENGTH,
                last,
                () -> Files.move(slot, rbw.blockFile(), StandardCopyOption.ATOMIC_MOVE)))
        .isTrue();
  }

  private void assertFileIsWhole() throws IOException {
    try (FSDataInputStream in = fs.open(file.path())) {
      assertThat(Arrays.mismatch(in.readAllBytes(), content)).isEqualTo(-1);
    }
  }

  private Replica commit() throws Exception {
    RbwReplica rbw = create();
    assertThat(writer.claim(rbw)).isTrue();
    putInPlace(rbw);
    Replica replica = writer.finish(rbw);
    writer.notifyReceived(replica);
    return replica;
  }

  private ExtendedBlock written() {
    ExtendedBlock written = new ExtendedBlock(located.getBlock());
    written.setNumBytes(LENGTH);
    return written;
  }

  @Test
  void writtenBlockIsABlockAsAnyOther() throws Exception {
    long reserved = reserved();
    RbwReplica rbw = create();
    assertThat(rbw.blockFile()).hasSize(0);
    assertThat(Files.readAllBytes(rbw.metaFile())).containsExactly(0, 1, 2, 0, 0, 2, 0);
    assertThat(rbw.storage().storageId()).isEqualTo(storage);
    assertThat(reserved()).isEqualTo(reserved + SmallCluster.BLOCK_BYTES);
    assertThat(writer.finalized(block)).isNull();

    assertThat(writer.claim(rbw)).isTrue();
    putInPlace(rbw);
    Replica replica = writer.finish(rbw);
    writer.notifyReceived(replica);
    file.complete(written());

    assertThat(reserved()).isEqualTo(reserved);
    assertThat(replica).isEqualTo(writer.finalized(block));
    assertThat(replica.length()).isEqualTo(LENGTH);
    assertThat(replica.blockFile()).hasBinaryContent(content);
    assertFileIsWhole();
    assertThat(fs.getFileChecksum(file.path())).isNotNull();
  }

  /** As the hold link does it. */
  @Test
  void appendCopiesABlockThatHasAnotherLink() throws Exception {
    Replica replica = commit();
    file.complete(written());
    Path hold = folder.resolve("hold");
    Files.createLink(hold, replica.blockFile());

    try (FSDataOutputStream out = fs.append(file.path())) {
      out.write(7);
    }

    assertThat(hold).hasBinaryContent(content);
    assertThat(fs.getFileStatus(file.path()).getLen()).isEqualTo(LENGTH + 1);
  }

  @Test
  void recoveryThatCameFirstHasTheReplica() throws Exception {
    RbwReplica rbw = create();
    assertThat(writer.isThere(rbw)).isTrue();
    await().atMost(PATIENCE).until(() -> fs.recoverLease(file.path()));

    assertThat(writer.isThere(rbw)).isFalse();
    assertThat(writer.claim(rbw)).isFalse();
    writer.invalidate(rbw);
    assertThat(fs.getFileStatus(file.path()).getLen()).isZero();
  }

  /** It waits for the end of the thread that commits, and finds the replica whole. */
  @Test
  void recoveryInterruptsACommitAndFinalizesWhatItLeft() throws Exception {
    RbwReplica rbw = create();
    CountDownLatch claimed = new CountDownLatch(1);
    CompletableFuture<Exception> failure = new CompletableFuture<>();
    Thread commit =
        new Thread(
            () -> {
              assertThat(writer.claim(rbw)).isTrue();
              claimed.countDown();
              while (!Thread.currentThread().isInterrupted()) {
                LockSupport.park();
              }
              try {
                putInPlace(rbw);
                writer.finish(rbw);
                failure.complete(null);
              } catch (IOException | RuntimeException e) {
                failure.complete(e);
              }
            });
    commit.start();
    assertThat(claimed.await(1, TimeUnit.MINUTES)).isTrue();

    await().atMost(PATIENCE).until(() -> fs.recoverLease(file.path()));

    assertThat(failure.get(1, TimeUnit.MINUTES)).isInstanceOf(IOException.class);
    assertFileIsWhole();
  }

  /** Shows no interrupt at the first look, as if that came right behind it. */
  private static final class InterruptedLate extends Thread {
    private final AtomicInteger looks = new AtomicInteger();

    InterruptedLate(Runnable work) {
      super(work);
    }

    @Override
    public boolean isInterrupted() {
      return looks.getAndIncrement() > 0 && super.isInterrupted();
    }
  }

  /** HDFS takes the interrupt away, and still the replica is the recovery's. */
  @Test
  void norDoesItTakeAwayWhatARecoveryWaitsForThatCameInTheMidst() throws Exception {
    RbwReplica rbw = create();
    CompletableFuture<Boolean> discarded = new CompletableFuture<>();
    Thread commit =
        new InterruptedLate(
            () -> {
              try {
                assertThat(writer.claim(rbw)).isTrue();
                putInPlace(rbw);
                Thread.currentThread().interrupt();
                assertThatIOException()
                    .isThrownBy(() -> writer.finish(rbw))
                    .withMessageContaining("Interrupted Thread");
                discarded.complete(writer.discard(rbw));
              } catch (IOException | RuntimeException | AssertionError e) {
                discarded.completeExceptionally(e);
              }
            });
    commit.start();

    assertThat(discarded.get(1, TimeUnit.MINUTES)).isFalse();
    await().atMost(PATIENCE).until(() -> fs.recoverLease(file.path()));
    assertFileIsWhole();
  }

  @Test
  void onlyTheWriterPutsInPlaceAndFinishes() throws Exception {
    RbwReplica rbw = create();
    assertThat(writer.putInPlace(rbw, 1, new byte[4], () -> failed("renamed"))).isFalse();
    assertThatIOException().isThrownBy(() -> writer.finish(rbw));
    assertThat(writer.claim(rbw)).isTrue();
    assertThat(CompletableFuture.supplyAsync(() -> writer.claim(rbw)).get()).isFalse();
    assertThatIOException()
        .isThrownBy(
            () ->
                writer.putInPlace(
                    rbw,
                    1,
                    new byte[4],
                    () -> {
                      throw new IOException("no rename");
                    }))
        .withMessage("no rename");
    writer.release(rbw);
    assertThat(CompletableFuture.supplyAsync(() -> writer.claim(rbw)).get()).isTrue();
    writer.release(rbw);
    assertThat(writer.claim(rbw)).isFalse(); // the other thread's still
  }

  private static void failed(String what) {
    throw new AssertionError(what);
  }

  @Test
  void emptyReplicaIsInvalidatedAndAWholeOneIsNot() throws Exception {
    RbwReplica rbw = create();
    long reserved = reserved();
    writer.invalidate(rbw);
    assertThat(rbw.metaFile()).as("who begins it again does so at once").doesNotExist();
    assertThat(rbw.blockFile()).doesNotExist();
    writer.invalidate(rbw);
    assertThat(reserved()).isEqualTo(reserved - SmallCluster.BLOCK_BYTES);
    assertThat(writer.claim(rbw)).isFalse();

    RbwReplica again = create();
    assertThat(writer.claim(again)).isTrue();
    putInPlace(again);
    writer.invalidate(again);
    assertThat(writer.finish(again).blockFile()).hasBinaryContent(content);
  }

  /** The NameNode leaves it alone where its block is complete without it. */
  @Test
  void wholeReplicaIsDiscardedByItsWriterOnly() throws Exception {
    long reserved = reserved();
    RbwReplica rbw = create();
    assertThat(writer.claim(rbw)).isTrue();
    putInPlace(rbw);
    assertThat(reserved()).isGreaterThan(reserved);

    assertThat(CompletableFuture.supplyAsync(() -> isDiscarded(rbw)).get()).isFalse();
    Thread.currentThread().interrupt();
    assertThat(isDiscarded(rbw)).as("a recovery waits for this thread").isFalse();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(isDiscarded(rbw)).isTrue();

    assertThat(rbw.blockFile()).doesNotExist();
    assertThat(rbw.metaFile()).doesNotExist();
    assertThat(reserved()).isEqualTo(reserved);
    assertThat(isDiscarded(rbw)).isFalse();
    RbwReplica again = create();
    assertThat(writer.claim(again)).as("HDFS takes another one").isTrue();
    putInPlace(again);
    writer.finish(again);
    assertThat(isDiscarded(again)).as("it is finalized").isFalse();
    assertThat(writer.finalized(block)).isNotNull();
  }

  private boolean isDiscarded(RbwReplica rbw) {
    try {
      return writer.discard(rbw);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatCannotBeBegunIsRefusedWithItsReason() throws Exception {
    create();
    assertThat(reasonOf(this::create)).isEqualTo(FallbackReason.REPLICA_CHANGED);
    storage = "DS-elsewhere";
    assertThat(reasonOf(this::create)).isEqualTo(FallbackReason.STORAGE_UNSUPPORTED);
    block = new BlockKey("BP-0", 1, 1);
    assertThat(reasonOf(this::create)).isEqualTo(FallbackReason.DATANODE_NOT_READY);
  }

  @Test
  void tokenHasToAllowWritingToThatStorage() throws Exception {
    byte[] token = NewFile.token(located);
    writer.checkAccess(block, token, storage);
    assertRefused(block, new byte[0], storage);
    assertRefused(block, token, "DS-elsewhere");
    assertRefused(
        new BlockKey(block.poolId(), block.blockId() + 1, block.generationStamp()), token, storage);
    token[token.length / 2] ^= 1;
    assertRefused(block, token, storage);
    commit();
    file.complete(written());
    LocatedBlock toRead =
        fs.getClient().getLocatedBlocks(file.path().toString(), 0).getLastLocatedBlock();
    assertRefused(block, NewFile.token(toRead), storage);
    assertThat(
            reasonOf(() -> writer("key=true").checkAccess(block, NewFile.token(located), storage)))
        .isEqualTo(FallbackReason.ENCRYPTION_REQUIRED);
  }

  private void assertRefused(BlockKey key, byte[] token, String storageId) {
    assertThat(reasonOf(() -> writer.checkAccess(key, token, storageId)))
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  private static FallbackReason reasonOf(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return catchThrowableOfType(FallbackException.class, call).reason();
  }

  @Test
  void spaceIsThatOfTheVolume() throws Exception {
    RbwReplica rbw = create();
    assertThat(writer.storages()).containsExactly(rbw.storage());
    assertThat(writer.availableBytes(rbw.storage()))
        .isPositive()
        .isLessThanOrEqualTo(Files.getFileStore(folder).getUsableSpace());
  }
}
