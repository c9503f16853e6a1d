// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.rdio.core.thread.DaemonThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The storage node's port for compute nodes. Start and stop are for one thread. */
final class PrefCacheServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PrefCacheServer.class);
  private static final int THREADS = 2;
  private static final int MESSAGE_BYTES_MAX = 1 << 20;
  private static final int CALLS_PER_CONNECTION = 8;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, new DaemonThreads("rdio-prefcache"));
  private final EventLoopGroup eventLoops =
      new MultiThreadIoEventLoopGroup(
          1, new DaemonThreads("rdio-prefcache-net"), NioIoHandler.newFactory());
  private final PrefCacheService service;
  private final Server server;

  private PrefCacheServer(InetSocketAddress address, PrefCacheService service) {
    this.service = service;
    this.server =
        NettyServerBuilder.forAddress(address)
            .channelType(NioServerSocketChannel.class)
            .bossEventLoopGroup(eventLoops)
            .workerEventLoopGroup(eventLoops)
            .executor(threads)
            .maxInboundMessageSize(MESSAGE_BYTES_MAX)
            .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
            .handshakeTimeout(10, TimeUnit.SECONDS)
            .permitKeepAliveTime(10, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .keepAliveTime(1, TimeUnit.MINUTES)
            .addService(UnreadableMessages.guard(service, service::refusedUnread))
            .build();
  }

  /**
   * Opens the port and serves.
   *
   * @param address port 0 takes a free one
   * @throws IOException when the port cannot be opened
   */
  static PrefCacheServer start(InetSocketAddress address, PrefCacheService service)
      throws IOException {
    PrefCacheServer server = new PrefCacheServer(address, service);
    try {
      server.server.start();
      return server;
    } catch (IOException e) {
      server.close();
      throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
    }
  }

  int port() {
    return server.getPort();
  }

  PrefCacheService service() {
    return service;
  }

  /** Compute nodes' streams break; they connect again when there is a server again. */
  @Override
  public void close() {
    server.shutdownNow();
    try {
      if (!server.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.warn("Streams of compute nodes are still open after 5 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    threads.shutdown();
    if (!eventLoops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5_000)) {
      LOG.warn("PrefCache's network thread still runs after 5 s");
    }
  }
}
