// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.protocol.datatransfer.InvalidEncryptionKeyException;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.junit.jupiter.api.Test;

/** Which replica is read when others fail, and what is thrown when all do. */
class StockReplicaReaderTest {
  private static final int LENGTH = 10_000;
  private static final BlockRequest REQUEST =
      new BlockRequest(new TokenedBlock(new BlockKey("BP-1", 5, 6)), "/file");

  private final byte[] bytes = new byte[LENGTH];
  private final FakeDataNodes dataNodes = new FakeDataNodes(bytes, 2);
  private final StockReplicaReader reader =
      new StockReplicaReader(new StockBlock(dataNodes, dataNodes, REQUEST), LENGTH);

  StockReplicaReaderTest() {
    new Random(1).nextBytes(bytes);
  }

  @Test
  void sequentialReadsGoOnWithOneConnectionAndCloseItAtTheEnd() throws Exception {
    for (int at = 0; at < LENGTH; at += 2500) {
      assertReads(at, 2500);
    }
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 0+10000");
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void readElsewhereOpensAnew() throws Exception {
    assertReads(5000, 100);
    assertReads(200, 100);
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 5000+5000", "open 0 200+9800");
    assertThat(dataNodes.openReaders).isEqualTo(1);
    reader.close();
    reader.close();
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void fewBytesThatAreNotWantedAreSkipped() throws Exception {
    assertReads(0, 100);
    assertReads(5000, 100);
    assertReads(5100, 100);
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 0+10000", "skip 0 4900");
  }

  @Test
  void manyAreNot() throws Exception {
    int far = StockReplicaReader.SKIPPED_MOST + 10;
    FakeDataNodes large = new FakeDataNodes(new byte[3 * far], 1);
    StockReplicaReader opened =
        new StockReplicaReader(new StockBlock(large, large, REQUEST), 3L * far);
    opened.readFully(0, ByteBuffer.allocate(10));
    opened.readFully(far, ByteBuffer.allocate(10));
    assertThat(large.calls).contains("skip 0 " + StockReplicaReader.SKIPPED_MOST);
    opened.readFully(3L * far - 20, ByteBuffer.allocate(10));
    assertThat(large.calls).last().isEqualTo("open 0 " + (3 * far - 20) + "+20");
    opened.close();
    assertThat(large.openReaders).isZero();
  }

  /** What is skipped is verified, too. */
  @Test
  void replicaThatBreaksOffWhileBytesAreSkippedIsReplaced() throws Exception {
    assertReads(0, 100);
    dataNodes.onPacket =
        (replica, offset) -> {
          if (replica == 0) {
            throw new IOException("reset");
          }
        };
    assertReads(5000, 100);
    assertThat(dataNodes.calls)
        .containsExactly("locate", "open 0 0+10000", "skip 0 4900", "open 1 5000+5000");
  }

  @Test
  void replicaThatBreaksOffIsReplacedFromWhereItStopped() throws Exception {
    dataNodes.onPacket =
        (replica, offset) -> {
          if (replica == 0 && offset == 3000) {
            throw new IOException("reset");
          }
        };
    assertReads(0, LENGTH);
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 0+10000", "open 1 3000+7000");
  }

  @Test
  void allReplicasAreTriedAgainAtFreshLocationsBeforeItFails() {
    dataNodes.onOpen =
        (replica, offset) -> {
          throw new IOException("refused by " + replica);
        };
    assertThatThrownBy(() -> read(10, 20))
        .isInstanceOf(IOException.class)
        .hasMessage("refused by 1");
    assertThat(dataNodes.calls)
        .containsExactly(
            "locate",
            "open 0 10+9990",
            "open 1 10+9990",
            "refresh",
            "open 0 10+9990",
            "open 1 10+9990");
    dataNodes.onOpen = (replica, offset) -> {};
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void beginsByTheReplicaThatItIsToldAndTriesThoseBeforeItToo() throws Exception {
    StockReplicaReader second =
        new StockReplicaReader(
            new StockBlock(dataNodes, dataNodes, REQUEST), LENGTH, replicas -> replicas - 1);
    dataNodes.onOpen =
        (replica, offset) -> {
          if (replica == 1) {
            throw new IOException("down");
          }
        };
    second.readFully(0, ByteBuffer.allocate(10));
    second.close();
    assertThat(dataNodes.calls).containsExactly("locate", "open 1 0+10000", "open 0 0+10000");
  }

  @Test
  void readerWorksAgainAfterAFailure() throws Exception {
    dataNodes.onOpen =
        (replica, offset) -> {
          throw new IOException("down");
        };
    assertThatThrownBy(() -> read(0, 10)).isInstanceOf(IOException.class);
    dataNodes.onOpen = (replica, offset) -> {};
    assertReads(0, 10);
  }

  @Test
  void expiredTokenIsRefreshedBeforeAnotherReplicaIsBlamed() throws Exception {
    dataNodes.onOpen =
        (replica, offset) -> {
          if (!dataNodes.calls.contains("refresh")) {
            throw new InvalidToken("expired");
          }
        };
    assertReads(0, 10);
    assertThat(dataNodes.calls)
        .containsExactly("locate", "open 0 0+10000", "refresh", "open 0 0+10000");
  }

  @Test
  void refusedEncryptionKeyIsForgotten() throws Exception {
    dataNodes.onOpen =
        (replica, offset) -> {
          if (!dataNodes.calls.contains("forget key")) {
            throw new InvalidEncryptionKeyException("old");
          }
        };
    assertReads(0, 10);
    assertThat(dataNodes.calls).contains("forget key", "refresh");
  }

  @Test
  void corruptionIsAPlainFailureThatNamesIt() {
    dataNodes.onPacket =
        (replica, offset) -> {
          throw replica == 0
              ? new IOException("out of order")
              : new ChecksumException("bad chunk", offset);
        };
    assertThatThrownBy(() -> read(0, 10))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining("corrupt")
        .hasMessageContaining("blk_5_6")
        .hasCauseInstanceOf(ChecksumException.class);
  }

  @Test
  void oneCorruptReplicaOfTwoIsReportedOnceAndDoesNotMatter() throws Exception {
    firstReplicaIsCorrupt();
    assertReads(0, LENGTH);
    assertReads(0, LENGTH);
    assertThat(dataNodes.calls)
        .containsExactly(
            "locate", "open 0 0+10000", "open 1 0+10000", "corrupt 5 on uuid0", "open 1 0+10000");
  }

  @Test
  void reportThatFailsDoesNotMatter() throws Exception {
    firstReplicaIsCorrupt();
    dataNodes.onReport =
        (replica, offset) -> {
          throw new IOException("the NameNode is away");
        };
    assertReads(0, LENGTH);
    assertThat(dataNodes.calls).contains("corrupt 5 on uuid0");
  }

  @Test
  void twoReplicasThatLookCorruptAreNotReportedForThisHostMayBeBad() {
    dataNodes.onPacket =
        (replica, offset) -> {
          throw new ChecksumException("bad chunk", offset);
        };
    assertThatThrownBy(() -> read(0, 10))
        .as("so that DFSInputStream counts the one that it has in hand, too")
        .isExactlyInstanceOf(ChecksumException.class)
        .hasMessageContaining("blk_5_6");
    assertThat(dataNodes.calls).noneMatch(call -> call.startsWith("corrupt"));
  }

  /** As an internal block of an erasure-coded group, of which there is one each. */
  @Test
  void onlyReplicaIsReported() {
    FakeDataNodes one = new FakeDataNodes(bytes, 1);
    one.onPacket =
        (replica, offset) -> {
          throw new ChecksumException("bad chunk", offset);
        };
    StockReplicaReader only = new StockReplicaReader(new StockBlock(one, one, REQUEST), LENGTH);
    assertThatThrownBy(() -> only.readFully(0, ByteBuffer.allocate(10)))
        .isExactlyInstanceOf(IOException.class);
    assertThat(one.calls)
        .containsExactly(
            "locate", "open 0 0+10000", "refresh", "open 0 0+10000", "corrupt 5 on uuid0");
  }

  private void firstReplicaIsCorrupt() {
    dataNodes.onPacket =
        (replica, offset) -> {
          if (replica == 0) {
            throw new ChecksumException("bad chunk", offset);
          }
        };
  }

  @Test
  void earlyEndIsAFailureOfTheReplica() {
    StockReplicaReader longer =
        new StockReplicaReader(new StockBlock(dataNodes, dataNodes, REQUEST), 50);
    assertThatThrownBy(() -> longer.readFully(0, ByteBuffer.allocate(100)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended");
  }

  @Test
  void closeDoesNotWaitForAReadAndTheReadCleansUp() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    dataNodes.onPacket =
        (replica, offset) -> {
          reading.countDown();
          try {
            if (!closed.await(30, TimeUnit.SECONDS)) {
              throw new IOException("close() hangs");
            }
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        };
    FutureTask<byte[]> read = new FutureTask<>(() -> read(0, 10));
    new Thread(read).start();
    assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
    reader.close();
    closed.countDown();
    assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(Arrays.copyOf(bytes, 10));
    assertThat(dataNodes.openReaders).isZero();
    assertThatThrownBy(() -> read(0, 10))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed");
  }

  private byte[] read(int offset, int count) throws IOException {
    byte[] got = new byte[count];
    reader.readFully(offset, ByteBuffer.wrap(got));
    return got;
  }

  private void assertReads(int offset, int count) throws IOException {
    assertThat(read(offset, count)).isEqualTo(Arrays.copyOfRange(bytes, offset, offset + count));
  }
}
