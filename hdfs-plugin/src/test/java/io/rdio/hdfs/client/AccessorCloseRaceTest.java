// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.read.RdioClientFaultInjector;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.direct.Detours;
import io.rdio.hdfs.client.direct.DeviceWays;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.BlockToRead;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Accessors closed by another thread while they read, thousands of times, from the device and after
 * it failed: right bytes or an IOException, and neither windows nor stock readers are left.
 */
class AccessorCloseRaceTest {
  private static final int ROUNDS = 3_000;
  private static final int LENGTH = 100_001;

  private final TestBlock block =
      new TestBlock(5, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final FakeDataNodes dataNodes = new FakeDataNodes(block.bytes, 2);
  private final ExecutorService closer = Executors.newSingleThreadExecutor();
  private int closedInRead;

  @AfterEach
  void reset() {
    RdioClientFaultInjector.reset();
    closer.shutdownNow();
  }

  @Test
  void readingFromTheDevice() throws Exception {
    race();
    assertThat(closedInRead).as("closes in the middle of a read").isPositive();
    assertThat(dataNodes.calls).as("calls to DataNodes").isEmpty();
  }

  @Test
  void readingOnByStockHdfs() throws Exception {
    RdioClientFaultInjector.set(
        new RdioClientFaultInjector() {
          @Override
          public void beforeDeviceRead(BlockDevice device, long offset, int length)
              throws FallbackException {
            throw new FallbackException(FallbackReason.BUFFERS_EXHAUSTED, "injected");
          }
        });
    race();
    assertThat(dataNodes.calls).as("calls to DataNodes").isNotEmpty();
    assertThat(dataNodes.openReaders).isZero();
  }

  private void race() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < ROUNDS; i++) {
      RdioReplicaAccessor accessor =
          RdioReplicaAccessor.open(
              DeviceWays.of(fixture.context, Detours.NONE),
              new BlockToRead(block.request, true, LENGTH, dataNodes));
      int patience = random.nextInt(3_000);
      Future<?> close = closer.submit(() -> closeAfter(patience, accessor));
      readUntilClosed(accessor);
      close.get();
    }
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  private static void closeAfter(int spins, RdioReplicaAccessor accessor) {
    for (int i = 0; i < spins; i++) {
      Thread.onSpinWait();
    }
    accessor.close();
    accessor.close();
  }

  /** In pieces that are no multiples of anything, from the start again and again. */
  private void readUntilClosed(RdioReplicaAccessor accessor) {
    byte[] piece = new byte[7_001];
    try {
      while (true) {
        for (int at = 0; at < LENGTH; at += piece.length) {
          int count = accessor.read(at, piece, 0, piece.length);
          assertThat(count).isEqualTo(Math.min(piece.length, LENGTH - at));
          if (count == piece.length) {
            assertThat(piece).isEqualTo(block.range(at, count));
          }
        }
      }
    } catch (IOException closed) {
      closedInRead += String.valueOf(closed.getMessage()).endsWith("closed meanwhile") ? 1 : 0;
    }
  }
}
