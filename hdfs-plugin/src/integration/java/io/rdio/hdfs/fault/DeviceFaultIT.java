// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.core.FallbackReason.DEVICE_AMBIGUOUS;
import static io.rdio.core.FallbackReason.DEVICE_IO_ERROR;
import static io.rdio.core.FallbackReason.DEVICE_MISMATCH;
import static io.rdio.core.FallbackReason.DEVICE_TIMEOUT;
import static io.rdio.core.testing.Patience.await;
import static io.rdio.hdfs.cluster.Shape.SHORT_EXT4;
import static io.rdio.hdfs.cluster.Shape.SHORT_XFS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.HangingFile;
import io.rdio.core.testing.LoopDevice;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Shape;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client whose view of the volume fails, goes, shrinks or is another device, while the DataNode's
 * is in order: right bytes, the reason counted, and RDIO again once the view is in order.
 */
@Tag("loop")
@Shares({SHORT_EXT4, SHORT_XFS})
@ParameterizedClass(name = "{0}")
@MethodSource("io.rdio.hdfs.cluster.TestClusters#fileSystems")
class DeviceFaultIT {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 4 * BLOCK;
  private static final Duration RECOVERY_TIME_MAX = Duration.ofSeconds(60);

  @Parameter String fsType;
  @TempDir Path folder;

  private static SharedClusters clusters;
  private static Cluster cluster;
  private static FileSystem stock;

  @BeforeParameterizedClassInvocation
  static void start(String fsType, SharedClusters shared) throws IOException {
    clusters = shared;
    cluster = clusters.of(Shape.ofShortLeases(fsType));
    stock = cluster.fileSystem(false);
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
  }

  @Test
  void deviceThatFailsUnderAnOpenReader() throws Exception {
    SeededFile file = SeededFile.write(stock, "/failing", LENGTH, 1);
    Path dead = sparse("dead");
    try (LoopDevice view = LoopDevice.attach(image(), "--read-only");
        RdioClient client = clientOf(view)) {
      Counts counts = Counts.now();
      long before = counts.rdioBytes();
      try (FSDataInputStream in = client.fs().open(file.path())) {
        file.check(0, in.readNBytes(1000));
        assertThat(counts.rdioBytes()).isEqualTo(before + 1000);
        view.changeMedium(dead);
        setLength(dead, 0); // a loop device without a file behind it fails each read with EIO
        byte[] positional = new byte[5000];
        in.readFully(BLOCK / 2, positional);
        file.check(BLOCK / 2, positional);
        file.check(1000, in.readNBytes(LENGTH));
      }
      assertThat(counts.fallbacks()).containsKey(DEVICE_IO_ERROR);
      assertThat(client.readByStock(file)).isNotEmpty();
      setLength(dead, Files.size(image()));
      view.changeMedium(image());
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  @Test
  void deviceThatHangsUnderAnOpenReader() throws Exception {
    SeededFile file = SeededFile.write(stock, "/hanging", LENGTH, 5);
    try (HangingFile slow = HangingFile.over(image());
        LoopDevice view = LoopDevice.attach(slow.file(), "--read-only");
        RdioClient client = clientOf(view, "1s")) {
      Counts counts = Counts.now();
      try (FSDataInputStream in = client.fs().open(file.path())) {
        file.check(0, in.readNBytes(1000));
        slow.hang();
        byte[] positional = new byte[5000];
        in.readFully(BLOCK / 2, positional);
        file.check(BLOCK / 2, positional);
        file.check(1000, in.readNBytes(LENGTH));
        assertThat(counts.fallbacks()).containsKey(DEVICE_TIMEOUT);
        assertThat(slow.waiting()).isPositive();
      } finally {
        slow.answer();
      }
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  /** As a task that Spark kills: its thread is interrupted in a read. */
  @Test
  void interruptedReaderOfADeviceThatHangs() throws Exception {
    SeededFile file = SeededFile.write(stock, "/killed", LENGTH, 6);
    try (HangingFile slow = HangingFile.over(image());
        LoopDevice view = LoopDevice.attach(slow.file(), "--read-only");
        RdioClient client = clientOf(view, "10m")) {
      client.readByRdio(file);
      CompletableFuture<Boolean> flagKept = new CompletableFuture<>();
      slow.hang();
      Thread task = new Thread(() -> flagKept.complete(isInterruptedReading(client, file)));
      task.start();
      await().until(() -> slow.waiting() > 0);
      task.interrupt();
      assertThat(flagKept.get(60, TimeUnit.SECONDS)).isTrue();
      slow.answer();
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  private static boolean isInterruptedReading(RdioClient client, SeededFile file) {
    try (FSDataInputStream in = client.fs().open(file.path())) {
      in.readNBytes(LENGTH);
      return false;
    } catch (InterruptedIOException e) {
      return Thread.currentThread().isInterrupted();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void deviceThatGoesUnderAnOpenReader() throws Exception {
    SeededFile file = SeededFile.write(stock, "/going", LENGTH, 2);
    LoopDevice view = LoopDevice.attach(image(), "--read-only");
    String node = view.node().toString();
    RdioClient client = clientOf(view);
    try {
      try (FSDataInputStream in = client.fs().open(file.path())) {
        file.check(0, in.readNBytes(1000));
        view.close();
        file.check(1000, in.readNBytes(LENGTH));
      }
      client.close(); // nobody has it open any more
      await()
          .atMost(RECOVERY_TIME_MAX)
          .until(
              () -> {
                System.gc();
                return !Files.exists(Path.of("/sys/class/block", node.substring(5), "loop"));
              });
      try (RdioClient later = clientOf(view)) {
        assertThat(later.readByStock(file)).containsOnlyKeys(DEVICE_MISMATCH);
        Command.run("losetup", "--read-only", node, image().toString());
        await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> later.readByRdio(file));
      }
    } finally {
      view.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void olderCopyOfTheDeviceIsNotRead(boolean verifyChecksum) throws Exception {
    SeededFile before = SeededFile.write(stock, "/before", LENGTH, 3);
    try (RdioClient client = clientOn(cluster.volume(0).device())) {
      client.readByRdio(before); // what the copy is to have must be on the device
    }
    Path copy = copyOfImage();
    emptyHdfs(); // so that the next file lies where this one lay
    SeededFile file = SeededFile.write(stock, "/after", LENGTH, System.nanoTime());
    try (LoopDevice stale = LoopDevice.attach(copy);
        RdioClient right = clientOn(cluster.volume(0).device());
        RdioClient client = clientOf(stale)) {
      FileMap map = Maps.of(right.fs(), file.path(), 0);
      byte[] there = bytesAt(copy, map.blockExtents());
      assertThat(Arrays.equals(there, file.range(0, BLOCK))).as("the copy has the block").isFalse();
      client.fs().setVerifyChecksum(verifyChecksum);

      assertThat(client.readByStock(file)).containsOnlyKeys(DEVICE_MISMATCH);
    }
  }

  @Test
  void copyBesideTheDeviceIsAmbiguousUntilOneIsNamed() throws Exception {
    SeededFile file = SeededFile.write(stock, "/twice", LENGTH, 5);
    try (RdioClient client = client();
        RdioClient named = clientOn(cluster.volume(0).device())) {
      try (LoopDevice stale = LoopDevice.attach(copyOfImage())) {
        assertThat(client.readByStock(file))
            .as(stale.node() + "")
            .containsOnlyKeys(DEVICE_AMBIGUOUS);
        named.readByRdio(file);
      }
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  /** What was granted before the copy was taken is on it. */
  @Test
  void newerCopyServesUntilItShrinks() throws Exception {
    SeededFile file = SeededFile.write(stock, "/shrinking", LENGTH, 6);
    try (RdioClient first = clientOn(cluster.volume(0).device())) {
      first.readByRdio(file);
      Path copy = copyOfImage();
      try (LoopDevice view = LoopDevice.attach(copy);
          RdioClient client = clientOf(view)) {
        Counts counts = Counts.now();
        try (FSDataInputStream in = client.fs().open(file.path())) {
          file.check(0, in.readNBytes(1000));
          assertThat(counts.fallbacks()).isEmpty();
          setLength(copy, 1 << 20);
          Command.run("losetup", "--set-capacity", view.node().toString());
          file.check(1000, in.readNBytes(LENGTH));
        }
        assertThat(counts.fallbacks())
            .isNotEmpty()
            .allSatisfy((reason, count) -> assertThat(reason.name()).startsWith("DEVICE_"));
        assertThat(client.readByStock(file)).isNotEmpty();
      }
    }
  }

  @Test
  void deviceThatIsShorterThanTheVolume() throws Exception {
    SeededFile file = SeededFile.write(stock, "/short", LENGTH, 7);
    Path copy = copyOfImage();
    setLength(copy, Files.size(copy) / 2);
    try (LoopDevice view = LoopDevice.attach(copy);
        RdioClient client = clientOf(view)) {
      assertThat(client.readByStock(file)).containsOnlyKeys(DEVICE_MISMATCH);
    }
  }

  private static RdioClient client(String... keys) throws IOException {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("dfs.client.rdio.datanode.backoff", "1s"));
    all.addAll(List.of("dfs.client.rdio.quarantine", "2s"));
    all.addAll(List.of(keys));
    return RdioClient.of(cluster, all.toArray(String[]::new));
  }

  private static RdioClient clientOf(LoopDevice view) throws IOException {
    return clientOn(view.node().toString());
  }

  private static RdioClient clientOf(LoopDevice view, String readTimeout) throws IOException {
    return client(
        "dfs.client.rdio.devices",
        uuid() + "=" + view.node(),
        "dfs.client.rdio.read.timeout",
        readTimeout);
  }

  private static String uuid() throws IOException {
    return Command.run("blkid", "-o", "value", "-s", "UUID", cluster.volume(0).device());
  }

  private static RdioClient clientOn(String node) throws IOException {
    return client("dfs.client.rdio.devices", uuid() + "=" + node);
  }

  /** The file behind the DataNode's device. */
  private static Path image() throws IOException {
    return Path.of(
        Command.run("losetup", "--noheadings", "-O", "BACK-FILE", cluster.volume(0).device()));
  }

  private Path copyOfImage() throws IOException {
    Path copy = folder.resolve("copy");
    Command.run("sync", "-f", cluster.volume(0).mountPoint().toString());
    Command.run("cp", "--sparse=always", image().toString(), copy.toString());
    return copy;
  }

  private static byte[] bytesAt(Path image, ExtentList extents) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BLOCK);
    try (FileChannel channel = FileChannel.open(image)) {
      for (int i = 0; i < extents.count() && bytes.hasRemaining(); i++) {
        long end = Math.min(extents.end(i), BLOCK);
        bytes.limit((int) end);
        channel.read(bytes, extents.physical(i));
        bytes.limit(BLOCK);
      }
    }
    return bytes.array();
  }

  private Path sparse(String name) throws IOException {
    Path file = Files.createFile(folder.resolve(name));
    setLength(file, Files.size(image()));
    return file;
  }

  private static void setLength(Path file, long length) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.setLength(length);
    }
  }

  @AfterEach
  void emptyHdfs() throws IOException {
    clusters.clean(Shape.ofShortLeases(fsType));
  }
}
