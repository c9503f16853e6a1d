// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.MemoryCgroup;
import io.rdio.core.testing.Requirements;
import io.rdio.core.wire.NettyChannelFactory;
import io.rdio.exclusive.eviction.EvictionTracer;
import io.rdio.exclusive.eviction.KernelEvictions;
import io.rdio.exclusive.eviction.LocalDeviceFinder;
import io.rdio.nativeio.BpfLibrary;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Both halves on one machine: the compute node's page cache is that of a file system on a loop
 * device, kept small by a memory cgroup; the storage node's is that of the file behind it.
 */
class NearExclusiveIT {
  private static final int FILE_MIB = 64;
  private static final long LEVEL_1_BYTES = 24L << 20;

  @Test
  void whatTheComputeNodeEvictsItReadsBackFromTheStorageNodesMemory() throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.require(
        BpfLibrary.availability().isAvailable(), BpfLibrary.availability().detail());
    Path image = Files.createTempFile(Path.of("target").toAbsolutePath(), "prefcache-", ".img");
    Command.run("truncate", "-s", "160M", image.toString());
    try (LoopDevice loop = LoopDevice.attach(image);
        LoopFileSystem fs = LoopFileSystem.on(loop.node(), "ext4");
        MemoryCgroup small = MemoryCgroup.create(LEVEL_1_BYTES)) {
      Path file = fs.mountPoint().resolve("data");
      Command.run("dd", "if=/dev/urandom", "of=" + file, "bs=1M", "count=" + FILE_MIB);
      Command.run("dd", "of=" + file, "oflag=nocache", "conv=notrunc,fdatasync", "count=0");
      cacheInBothLevels(new StorageDevices().find(0, loop.node(), null), file, small);
    } finally {
      Files.delete(image);
    }
  }

  private static void cacheInBothLevels(StorageDevice device, Path file, MemoryCgroup small)
      throws Exception {
    PrefCacheOptions options =
        new PrefCacheOptions(
            new InetSocketAddress("localhost", 0),
            SegmentGeometry.PAPER,
            128L << 20,
            SegmentCache.DROP_AT,
            SegmentPolicy.FIFO,
            OnWrite.DROP,
            PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH,
            PrefCacheOptions.DEFAULT_QUEUE_RUNS);
    try (PrefCacheAgent storage = PrefCacheAgent.start(options, List.of(device));
        NettyChannelFactory channels = new NettyChannelFactory();
        EvictionTracer compute = tracer(channels, "localhost:" + storage.port(), device)) {
      compute.start();
      await().until(() -> !compute.traced().isEmpty());
      small.run("cat " + file + " > /dev/null");
      awaitPrefetched(storage, 0);
      Map<String, Long> before = storage.metrics().asMap();
      small.run("cat " + file + " > /dev/null");
      awaitPrefetched(storage, before.get("prefetched_bytes"));
      Map<String, Long> after = storage.metrics().asMap();
      long read = after.get("read_bytes") - before.get("read_bytes");
      long hit = after.get("hit_bytes") - before.get("hit_bytes");
      assertThat(read).isGreaterThan((FILE_MIB << 20) - LEVEL_1_BYTES);
      assertThat((double) hit / read).as("hit ratio of the second pass").isGreaterThan(0.4);
      assertThat(after.get("lost_requests")).isZero();
      assertThat(after.get("refused_batches")).isZero();
    }
  }

  private static EvictionTracer tracer(
      NettyChannelFactory channels, String storage, StorageDevice device) throws Exception {
    KernelEvictions kernel = new KernelEvictions(KernelEvictions.Probe.BEST, false);
    return new EvictionTracer(
        EvictionTracer.Settings.DEFAULT,
        channels.open(storage),
        storage,
        new LocalDeviceFinder(Map.of(device.number(), device.node())),
        kernel.epochs(),
        List.of(kernel),
        System::nanoTime);
  }

  /** What did not fit into level 1, or half of that: some of it goes only with the next pass. */
  private static void awaitPrefetched(PrefCacheAgent storage, long before) {
    long most = (FILE_MIB << 20) - LEVEL_1_BYTES;
    await()
        .until(
            () -> {
              Map<String, Long> now = storage.metrics().asMap();
              return now.get("prefetched_bytes") - before > most / 2
                  && now.get("queued_bytes") == 0;
            });
  }
}
