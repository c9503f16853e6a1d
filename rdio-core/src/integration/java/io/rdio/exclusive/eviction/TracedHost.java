// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.rdio.core.device.DeviceViews;
import io.rdio.core.linux.ExtentWindow;
import io.rdio.core.linux.InodeExtents;
import io.rdio.core.linux.MountedFileSystem;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.Patience;
import io.rdio.core.testing.Requirements;
import io.rdio.exclusive.wire.CachedDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * KTracer on this host with real BPF programs and a storage agent in this process, which gets what
 * is sent while it is being sent. The test turns the crank: {@link #tick}.
 */
final class TracedHost implements AutoCloseable {
  static final EvictionTracer.Settings SETTINGS =
      new EvictionTracer.Settings(
          Duration.ofMillis(100), 0, 1 << 16, 1 << 16, 1 << 18, Duration.ofSeconds(10));

  final RecordingStorage storage;
  final KernelEvictions kernel;
  final EvictionTracer tracer;
  private final Path node;
  private final Server server;

  private TracedHost(
      Path node,
      KernelEvictions kernel,
      ExtentEpochs epochs,
      EvictionTracer.Settings settings,
      Consumer<BitSet> check)
      throws IOException {
    this.node = node;
    this.kernel = kernel;
    CachedDevice device = RecordingStorage.device(7).build();
    storage = new RecordingStorage(check, device);
    String name = UUID.randomUUID().toString();
    server =
        InProcessServerBuilder.forName(name).directExecutor().addService(storage).build().start();
    tracer =
        new EvictionTracer(
            settings,
            InProcessChannelBuilder.forName(name).directExecutor().build(),
            name,
            new LocalDeviceFinder(Map.of(7, node)),
            epochs,
            List.of(kernel),
            System::nanoTime);
  }

  /** Traces a device; skips the test where the kernel does not let us. */
  static TracedHost of(Path node, KernelEvictions.Probe probe, Consumer<BitSet> check)
      throws IOException {
    KernelEvictions kernel = load(probe);
    return started(new TracedHost(node, kernel, kernel.epochs(), SETTINGS, check));
  }

  /** The same by other settings, where nobody looks at what comes. */
  static TracedHost of(Path node, EvictionTracer.Settings settings) throws IOException {
    KernelEvictions kernel = load(KernelEvictions.Probe.TP_BTF);
    return started(new TracedHost(node, kernel, kernel.epochs(), settings, blocks -> {}));
  }

  /** The same, but blind for extents that are freed or moved. */
  static TracedHost blind(Path node, Consumer<BitSet> check) throws IOException {
    ExtentEpochs unchanging =
        new ExtentEpochs() {
          @Override
          public int slot(int kernelDevice, long inode) {
            return 0;
          }

          @Override
          public int epoch(int slot) {
            return 0;
          }
        };
    return started(
        new TracedHost(node, load(KernelEvictions.Probe.TP_BTF), unchanging, SETTINGS, check));
  }

  static KernelEvictions load(KernelEvictions.Probe probe) throws IOException {
    Requirements.require(
        Files.exists(Path.of("/sys/kernel/btf/vmlinux")), "this kernel has no BTF");
    if (!Files.isDirectory(Path.of("/sys/kernel/tracing/events"))) {
      Command.run("mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing");
    }
    return new KernelEvictions(probe, true);
  }

  private static TracedHost started(TracedHost host) throws IOException {
    host.tracer.startSources();
    Patience.await()
        .until(
            () -> {
              host.tick();
              return !host.tracer.traced().isEmpty();
            });
    return host;
  }

  void tick() {
    tracer.tick();
  }

  /** Turns the crank until so many blocks have come, and returns all that came. */
  BitSet awaitBlocks(int count) {
    Patience.await()
        .until(
            () -> {
              tick();
              return storage.blocksOf(7).cardinality() >= count;
            });
    return storage.blocksOf(7);
  }

  /** Blocks of the device that files have now, by FIEMAP. */
  BitSet blocksOf(Path... files) throws IOException {
    DeviceViews.View view = new DeviceViews().named(node);
    MountedFileSystem mount = MountedFileSystem.on(view.major(), view.minor()).orElseThrow();
    InodeExtents extents = new InodeExtents(mount, view.major(), view.minor());
    BitSet blocks = new BitSet();
    for (Path file : files) {
      Optional<ExtentWindow> window =
          extents.window(inode(file), generation(file), 0, 1L << 40, true);
      window
          .orElseThrow()
          .pieces(
              0,
              1L << 40,
              (at, length) -> blocks.set((int) (at / 4096), (int) ((at + length) / 4096)));
    }
    return blocks;
  }

  static long inode(Path file) throws IOException {
    return (Long) Files.getAttribute(file, "unix:ino");
  }

  /** FS_IOC_GETVERSION tells it, on both file systems. */
  static int generation(Path file) throws IOException {
    return Integer.parseUnsignedInt(Command.run("lsattr", "-v", file.toString()).split(" +", 2)[0]);
  }

  @Override
  public void close() {
    tracer.close();
    server.shutdownNow();
  }
}
