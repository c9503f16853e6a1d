// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.wire.NettyChannelFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** KTracer on a compute node: the kernel's evictions, on their way to one storage node. */
public final class KTracerAgent implements AutoCloseable {
  private final NettyChannelFactory channels;
  private final KernelEvictions kernel;
  private final EvictionTracer tracer;

  private KTracerAgent(
      NettyChannelFactory channels, KernelEvictions kernel, EvictionTracer tracer) {
    this.channels = channels;
    this.kernel = kernel;
    this.tracer = tracer;
  }

  /**
   * Loads the programs and begins to trace whatever the storage node caches, as soon as it can be
   * reached.
   *
   * @param kernel closed with this, also if this fails
   * @param storage host:port of PrefCache
   * @param named this host's nodes for devices that it cannot find by itself
   */
  public static KTracerAgent start(
      KernelEvictions kernel,
      String storage,
      Map<Integer, Path> named,
      EvictionTracer.Settings settings)
      throws IOException {
    NettyChannelFactory channels = new NettyChannelFactory();
    EvictionTracer tracer =
        new EvictionTracer(
            settings,
            channels.open(storage),
            storage,
            new LocalDeviceFinder(named),
            kernel.epochs(),
            List.of(kernel),
            System::nanoTime);
    KTracerAgent agent = new KTracerAgent(channels, kernel, tracer);
    try {
      tracer.start();
      return agent;
    } catch (IOException e) {
      agent.close();
      throw e;
    }
  }

  /** What is traced, and its counters. */
  public EvictionTracer tracer() {
    return tracer;
  }

  /** The kernel's part of it. */
  public KernelEvictions kernel() {
    return kernel;
  }

  /** Ends it; nothing of it is in the kernel any more when it returns. */
  @Override
  public void close() {
    tracer.close();
    channels.close();
  }
}
