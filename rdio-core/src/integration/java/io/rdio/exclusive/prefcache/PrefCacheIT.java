// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.sun.nio.file.ExtendedOpenOption;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.rdio.core.linux.Libc;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.Requirements;
import io.rdio.exclusive.wire.CachedDevice;
import io.rdio.exclusive.wire.DevicesRequest;
import io.rdio.exclusive.wire.EvictedBlocks;
import io.rdio.exclusive.wire.EvictionsReply;
import io.rdio.exclusive.wire.PrefCacheGrpc;
import io.rdio.nativeio.BpfLibrary;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The storage node's agent on a loop device over a file of this machine's disk. The test is the
 * compute node: it sends descriptors and reads the device with O_DIRECT.
 */
class PrefCacheIT {
  private static final int BLOCK = 4096;
  private static final int SEGMENT = 8;
  private static final long DEVICE_BYTES = 64L << 20;
  // Far from the file system's metadata.
  private static final long FIRST = 4096;
  private static final int BLOCKS = 1024;

  private Path file;
  private LoopDevice loop;
  private StorageDevice device;
  private PrefCacheAgent agent;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.requireTool("fincore");
    Requirements.requireTool("bpftool");
    Requirements.require(
        BpfLibrary.availability().isAvailable(), BpfLibrary.availability().detail());
    file = Files.createTempFile(Path.of("target").toAbsolutePath(), "prefcache-", ".img");
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] content = new byte[(int) DEVICE_BYTES];
      new Random(7).nextBytes(content);
      image.write(content);
    }
    loop = LoopDevice.attach(file);
    Command.run("mkfs.ext4", "-q", "-E", "nodiscard", loop.node().toString());
    device = new StorageDevices().find(0, loop.node(), null);
    dropPageCache();
    startAgent(DeviceLoad.ofSysfs(Path.of("/sys"), List.of(device)), OnWrite.DROP);
  }

  @AfterEach
  void stop() throws Exception {
    stopAgent();
    if (loop != null) {
      loop.close();
      Files.delete(file);
    }
  }

  private void startAgent(DeviceLoad load, OnWrite onWrite) throws IOException {
    PrefCacheOptions options =
        new PrefCacheOptions(
            new InetSocketAddress("localhost", 0),
            SegmentGeometry.PAPER,
            32L << 20,
            SegmentCache.DROP_AT,
            SegmentPolicy.FIFO,
            onWrite,
            PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH,
            PrefCacheOptions.DEFAULT_QUEUE_RUNS);
    List<StorageDevice> devices = List.of(device);
    agent = new PrefCacheAgent(options, devices, load, new KernelIoObserver(devices));
    channel = NettyChannelBuilder.forAddress("localhost", agent.port()).usePlaintext().build();
  }

  private void stopAgent() throws Exception {
    if (channel != null) {
      channel.shutdownNow();
      channel.awaitTermination(5, TimeUnit.SECONDS);
      channel = null;
    }
    if (agent != null) {
      agent.close();
      agent = null;
    }
  }

  @Test
  void whatComputeNodesEvictedIsPrefetchedAndWhatTheyReadBackIsLetGoOf() throws Exception {
    assertThat(send(wholeSegments(FIRST, BLOCKS)).get())
        .satisfies(reply -> assertThat(reply.getAdmitted()).isEqualTo(BLOCKS));
    awaitResident(BLOCKS);
    assertThat(metrics("prefetched_bytes")).isEqualTo((long) BLOCKS * BLOCK);

    readDirect(FIRST, BLOCKS);
    await().until(() -> metrics("hit_bytes") == (long) BLOCKS * BLOCK);
    awaitResident(0);
    assertThat(metrics("resident_bytes")).isZero();
    assertThat(metrics("wasted_bytes")).isZero();
  }

  @Test
  void whatAMissBroughtInIsLetGoOfToo() throws Exception {
    readDirect(FIRST, BLOCKS);
    await().until(() -> metrics("read_bytes") == (long) BLOCKS * BLOCK);
    awaitResident(0);
    assertThat(metrics("hit_bytes")).isZero();
  }

  @Test
  void aReadOfPartOfASegmentLeavesTheRestInThePageCache() throws Exception {
    send(wholeSegments(FIRST, SEGMENT)).get();
    awaitResident(SEGMENT);
    readDirect(FIRST, 2);
    await().until(() -> metrics("hit_bytes") == 2L * BLOCK);
    awaitResident(SEGMENT - 2);
    assertThat(metrics("retained_segments")).isEqualTo(1);
    assertThat(metrics("resident_bytes")).isEqualTo((SEGMENT - 2L) * BLOCK);
  }

  @Test
  void aWriteDropsWhatIsCachedAndTheNextReadHasTheNewBytes() throws Exception {
    send(wholeSegments(FIRST, SEGMENT)).get();
    awaitResident(SEGMENT);
    ByteBuffer written = aligned(SEGMENT * BLOCK);
    while (written.hasRemaining()) {
      written.put((byte) 'w');
    }
    try (FileChannel direct = open(StandardOpenOption.WRITE)) {
      direct.write(written.flip(), FIRST * BLOCK);
    }
    await().until(() -> metrics("resident_bytes") == 0);
    assertThat(metrics("wasted_bytes")).isEqualTo((long) SEGMENT * BLOCK);
    assertThat(readDirect(FIRST, SEGMENT)).isEqualTo(written.rewind());
    awaitResident(0);
  }

  @Test
  void whereWritesUpdateTheBlockStaysAndItsNextReadIsAHit() throws Exception {
    stopAgent();
    startAgent(busy -> 0, OnWrite.UPDATE);
    send(wholeSegments(FIRST, SEGMENT)).get();
    awaitResident(SEGMENT);
    try (FileChannel direct = open(StandardOpenOption.WRITE)) {
      direct.write(aligned(BLOCK), FIRST * BLOCK);
    }
    readDirect(FIRST, 1);
    await().until(() -> metrics("hit_bytes") == BLOCK);
  }

  @Test
  void nothingIsPrefetchedWhileTheDeviceIsBusy() throws Exception {
    stopAgent();
    AtomicInteger requests = new AtomicInteger(PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH + 1);
    startAgent(device -> requests.get(), OnWrite.DROP);
    send(wholeSegments(FIRST, BLOCKS)).get();
    await().until(() -> metrics("pauses") > 10);
    assertThat(metrics("queued_bytes")).isEqualTo((long) BLOCKS * BLOCK);
    assertThat(metrics("prefetched_bytes")).isZero();
    requests.set(PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH);
    awaitResident(BLOCKS);
  }

  @Test
  void aNewAgentKnowsNothingAndLeavesNothingInTheKernel() throws Exception {
    int programs = programs();
    send(wholeSegments(FIRST, SEGMENT)).get();
    awaitResident(SEGMENT);
    stopAgent();
    // The kernel frees it a little later.
    await().until(() -> programs() == programs - 1);
    startAgent(busy -> 0, OnWrite.DROP);
    assertThat(metrics("resident_bytes")).isZero();
    readDirect(FIRST, SEGMENT);
    awaitResident(0);
    assertThat(metrics("hit_bytes")).isZero();
    send(wholeSegments(FIRST, SEGMENT)).get();
    awaitResident(SEGMENT);
  }

  @Test
  void computeNodesLearnWhichDeviceItIs() throws Exception {
    CachedDevice told =
        PrefCacheGrpc.newBlockingStub(channel)
            .devices(DevicesRequest.getDefaultInstance())
            .getDevices(0);
    assertThat(told.getFsUuid())
        .isEqualTo(Command.run("blkid", "-p", "-s", "UUID", "-o", "value", loop.node().toString()));
    assertThat(told.getBlocks()).isEqualTo(DEVICE_BYTES / BLOCK);
    assertThat(told.getBlockBytes()).isEqualTo(BLOCK);
    assertThat(told.getSegmentBytes()).isEqualTo(SEGMENT * BLOCK);
  }

  @Test
  void aBatchThatMakesNoSenseIsRefusedAsAWholeAndEndsItsStream() throws Exception {
    EvictedBlocks.Builder beyond = wholeSegments(FIRST, SEGMENT).toBuilder();
    beyond.addStarts(DEVICE_BYTES / BLOCK / SEGMENT * SEGMENT);
    assertRefused(beyond.build(), "run 1 reaches beyond the 16384 blocks of device 0");
    assertRefused(
        EvictedBlocks.newBuilder().setDevice(7).addStarts(0).build(),
        "device 7 is not one of the 1 that are cached here");
    // A field of the wrong wire type: no message at all.
    EvictedBlocks unreadable =
        EvictedBlocks.newBuilder()
            .setUnknownFields(
                com.google.protobuf.UnknownFieldSet.newBuilder()
                    .addField(
                        2,
                        com.google.protobuf.UnknownFieldSet.Field.newBuilder()
                            .addLengthDelimited(ByteString.copyFrom(new byte[] {-1}))
                            .build())
                    .build())
            .build();
    assertRefused(unreadable, "not a message of prefcache.proto");
    assertThat(metrics("refused_batches")).isEqualTo(3);
    assertThat(metrics("described_bytes")).isZero();
    assertThat(metrics("streams")).isZero();
  }

  private void assertRefused(EvictedBlocks batch, String why) {
    assertThatThrownBy(() -> send(batch).get())
        .isInstanceOf(ExecutionException.class)
        .cause()
        .satisfies(
            e -> assertThat(Status.fromThrowable(e).getCode().name()).isEqualTo("INVALID_ARGUMENT"))
        .hasMessageContaining(why);
  }

  private static EvictedBlocks wholeSegments(long first, int blocks) {
    EvictedBlocks.Builder batch = EvictedBlocks.newBuilder().addStarts(first);
    for (int at = SEGMENT; at < blocks; at += SEGMENT) {
      batch.addStarts(0);
    }
    return batch.build();
  }

  private CompletableFuture<EvictionsReply> send(EvictedBlocks batch) {
    CompletableFuture<EvictionsReply> answer = new CompletableFuture<>();
    StreamObserver<EvictedBlocks> stream =
        PrefCacheGrpc.newStub(channel)
            .evictions(
                new StreamObserver<>() {
                  @Override
                  public void onNext(EvictionsReply reply) {
                    answer.complete(reply);
                  }

                  @Override
                  public void onError(Throwable e) {
                    answer.completeExceptionally(e);
                  }

                  @Override
                  public void onCompleted() {}
                });
    stream.onNext(batch);
    stream.onCompleted();
    return answer;
  }

  private long metrics(String name) {
    return agent.metrics().asMap().get(name);
  }

  private void awaitResident(int blocks) {
    await().untilAsserted(() -> assertThat(fincore()).isEqualTo((long) blocks * BLOCK));
    agent
        .metrics()
        .memoryBytes()
        .ifPresent(memory -> assertThat(memory).isEqualTo((long) blocks * BLOCK));
  }

  private long fincore() throws IOException {
    return Long.parseLong(
        Command.run("fincore", "--bytes", "--noheadings", "--output", "RES", file.toString())
            .trim());
  }

  private static int programs() throws IOException {
    return Command.run("bpftool", "prog", "show").split("name request_comple", -1).length - 1;
  }

  private FileChannel open(StandardOpenOption how) throws IOException {
    return FileChannel.open(loop.node(), how, ExtendedOpenOption.DIRECT);
  }

  /** Four segments at a time, which is one request to the device. */
  private ByteBuffer readDirect(long first, int blocks) throws IOException {
    ByteBuffer bytes = aligned(blocks * BLOCK);
    try (FileChannel direct = open(StandardOpenOption.READ)) {
      while (bytes.position() < blocks * BLOCK) {
        bytes.limit(Math.min(blocks * BLOCK, bytes.position() + 4 * SEGMENT * BLOCK));
        direct.read(bytes, first * BLOCK + bytes.position());
      }
    }
    return bytes.flip();
  }

  private static ByteBuffer aligned(int bytes) {
    return ByteBuffer.allocateDirect(bytes + BLOCK).alignedSlice(BLOCK).limit(bytes);
  }

  private void dropPageCache() throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    int fd = Libc.LIBC.open(file.toString(), Libc.O_RDONLY);
    PageCacheCalls.LIBC.posix_fadvise(fd, 0, 0, PageCacheCalls.FADV_DONTNEED);
    Libc.LIBC.close(fd);
    assertThat(fincore()).isZero();
  }
}
