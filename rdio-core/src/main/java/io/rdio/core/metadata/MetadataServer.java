// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rdio.core.grant.GrantService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata plane's gRPC server in a DataNode, on few daemon threads. Plain NIO: no native
 * transport is worth a second library in the DataNode. Start and stop are for one thread.
 */
public final class MetadataServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataServer.class);
  private static final int MESSAGE_BYTES_MAX = 4 << 20;
  private static final int CALL_THREADS = 2;
  private static final int GRANT_THREADS = 8;
  private static final int GRANTS_WAITING_MAX = 256;

  private final ThreadPoolExecutor callThreads;
  private final ThreadPoolExecutor grantThreads;
  private final EventLoopGroup eventLoops;
  private final MetadataPlaneService service;
  private final Server server;

  /**
   * Opens the port and serves.
   *
   * @param address to listen on; port 0 takes a free one
   * @throws IOException when the port cannot be opened
   */
  public static MetadataServer start(InetSocketAddress address, GrantService grants)
      throws IOException {
    MetadataServer server = new MetadataServer(address, grants);
    try {
      server.server.start();
      return server;
    } catch (IOException e) {
      server.close();
      throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
    }
  }

  private MetadataServer(InetSocketAddress address, GrantService grants) {
    callThreads = threads("rdio-call", CALL_THREADS, Integer.MAX_VALUE);
    grantThreads = threads("rdio-grant", GRANT_THREADS, GRANTS_WAITING_MAX);
    eventLoops =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("rdio-net", true), NioIoHandler.newFactory());
    service = new MetadataPlaneService(grants, grantThreads);
    server =
        NettyServerBuilder.forAddress(address)
            .channelType(NioServerSocketChannel.class)
            .bossEventLoopGroup(eventLoops)
            .workerEventLoopGroup(eventLoops)
            .executor(callThreads)
            .maxInboundMessageSize(MESSAGE_BYTES_MAX)
            .permitKeepAliveTime(10, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .keepAliveTime(1, TimeUnit.MINUTES)
            .addService(ServerGarbageCheck.guard(service))
            .build();
  }

  private static ThreadPoolExecutor threads(String name, int count, int waitingMax) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            count,
            count,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(waitingMax),
            new DefaultThreadFactory(name, true));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** The port it listens on. */
  public int port() {
    return server.getPort();
  }

  /** Requests refused as a whole: malformed, too large, or failed inside. */
  public long badRequests() {
    return service.badRequests();
  }

  /** Stops serving. Pins and leases stay as they are. */
  @Override
  public void close() {
    server.shutdownNow();
    try {
      if (!server.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.warn("Calls on the metadata plane are still under way after 5 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    grantThreads.shutdown();
    callThreads.shutdown();
    if (!eventLoops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5_000)) {
      LOG.warn("The metadata plane's network thread still runs after 5 s");
    }
  }
}
