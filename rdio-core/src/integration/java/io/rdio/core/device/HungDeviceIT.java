// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.HangingFile;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.Requirements;
import io.rdio.nativeio.NativeLibrary;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A block device of the kernel whose reads are answered late. */
@Tag("loop")
class HungDeviceIT {
  private static final int BLOCK = 4096;
  private static final int BYTES = 1 << 20;
  private static final Duration TIMEOUT = Duration.ofMillis(300);
  private static final UUID FS = new UUID(1, 2);

  @TempDir Path folder;
  private final ByteBuffer target = ByteBuffer.allocateDirect(9 * BLOCK).alignedSlice(BLOCK);
  private HangingFile file;
  private LoopDevice loop;
  private DirectBlockDevice device;

  @BeforeEach
  void attach() throws Exception {
    Requirements.requireLoop("ext4");
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    Path image = folder.resolve("image");
    try (RandomAccessFile bytes = new RandomAccessFile(image.toFile(), "rw")) {
      bytes.setLength(BYTES);
      ByteBuffer superblock = Superblocks.ext4(FS, BYTES / BLOCK, 2, 0, Superblocks.METADATA_CSUM);
      bytes.getChannel().write(superblock, 0);
      bytes.seek(5 * BLOCK);
      bytes.write(7);
    }
    file = HangingFile.over(image);
    loop = LoopDevice.attach(file.file(), "--read-only");
    device = DirectBlockDevice.open(loop.node(), 512);
  }

  @AfterEach
  void detach() throws Exception {
    if (file != null) {
      file.answer();
      if (device != null) {
        device.discard();
      }
      if (loop != null) {
        loop.close();
      }
      file.close();
    }
  }

  private static FallbackReason refusal(RingQueue queue, int ticket) {
    return catchThrowableOfType(FallbackException.class, () -> queue.await(ticket)).reason();
  }

  private FallbackReason trial() {
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, device::requireAnswering);
    return refusal == null ? null : refusal.reason();
  }

  @Test
  void lateReadIsGivenUpAndItsMemoryWrittenToLater() throws Exception {
    try (RingQueue queue = RingQueue.open(TIMEOUT)) {
      file.hang();
      int first = queue.prepare(device, 5 * BLOCK, target, 0, BLOCK);
      int second = queue.prepare(device, 5 * BLOCK, target, BLOCK, BLOCK);
      assertThat(refusal(queue, first)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
      assertThat(queue.discard(second)).isFalse();
      assertThat(queue.poll()).isFalse();
      assertThat(trial()).as("while it owes two reads").isEqualTo(FallbackReason.DEVICE_TIMEOUT);
      assertThat(target.get(0)).isZero();

      file.answer();
      await().until(queue::poll);
      assertThat(target.get(0)).isEqualTo((byte) 7);
      assertThat(queue.discard(first)).isTrue();
      assertThat(queue.discard(second)).isTrue();
      await().until(() -> trial() == null);
      int third = queue.prepare(device, 5 * BLOCK, target, 2 * BLOCK, BLOCK);
      assertThat(queue.await(third)).isEqualTo(BLOCK);
    }
  }

  @Test
  void interruptedThreadStopsWaiting() throws Exception {
    try (RingQueue queue = RingQueue.open(Duration.ofMinutes(10))) {
      file.hang();
      int ticket = queue.prepare(device, 5 * BLOCK, target, 0, BLOCK);
      CompletableFuture<Boolean> flagKept = new CompletableFuture<>();
      Thread reader =
          new Thread(
              () -> {
                FallbackReason reason = refusal(queue, ticket);
                flagKept.complete(
                    reason == FallbackReason.INTERRUPTED && Thread.currentThread().isInterrupted());
              });
      reader.start();
      await().until(() -> file.waiting() > 0);
      reader.interrupt();
      assertThat(flagKept.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(trial()).as("nothing is known against the device").isNull();
      file.answer();
      await().until(queue::poll);
      assertThat(queue.discard(ticket)).isTrue();
    }
  }

  @Test
  void interruptedThreadWaitsForNoReadThatNobodyWants() throws Exception {
    Duration longer = Duration.ofMinutes(10);
    try (RingQueue queue = RingQueue.open(longer, longer)) {
      file.hang();
      int ticket = queue.prepare(device, 5 * BLOCK, target, 0, BLOCK);
      CompletableFuture<Boolean> discarded = new CompletableFuture<>();
      Thread reader = new Thread(() -> discarded.complete(queue.discard(ticket)));
      reader.start();
      await().until(() -> file.waiting() > 0);
      reader.interrupt();
      assertThat(discarded.get(60, TimeUnit.SECONDS)).isFalse();
      file.answer();
      await().until(queue::poll);
      assertThat(queue.discard(ticket)).isTrue();
    }
  }

  @Test
  void queueThatIsLostIsFreedLater() throws Exception {
    RingQueue queue = RingQueue.open(TIMEOUT);
    file.hang();
    queue.prepare(device, 5 * BLOCK, target, 0, BLOCK);
    queue.submit();
    queue.close();
    assertThat(target.get(0)).isZero();
    file.answer();
    await().until(() -> target.get(0) == 7);
  }

  @Test
  void searchDoesNotWaitForADeviceThatHangs() throws Exception {
    DeviceIdentity identity = new DeviceIdentity("ext4", FS, BYTES, "", 0, "/dev/there");
    Path node = loop.node();
    try (LocalDeviceDirectory directory = new LocalDeviceDirectory(Map.of(FS, node), TIMEOUT)) {
      file.hang();
      assertThat(refusal(directory, identity)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
      int asked = file.waiting();
      assertThat(refusal(directory, identity)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
      directory.forget(identity);
      assertThat(refusal(directory, identity)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
      assertThat(file.waiting()).as("asked once").isEqualTo(asked);
      file.answer();
      await()
          .untilAsserted(
              () -> {
                directory.forget(identity);
                assertThat(directory.resolve(identity).name()).isEqualTo(node.toString());
              });
    }
  }

  private static FallbackReason refusal(LocalDeviceDirectory directory, DeviceIdentity identity) {
    return catchThrowableOfType(FallbackException.class, () -> directory.resolve(identity))
        .reason();
  }
}
