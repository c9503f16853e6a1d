// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.core.tls.TlsContext;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Channels over NIO, in plain text or with TLS, that share one event loop and two threads for
 * callbacks: the metadata plane carries few and small messages. All threads are daemons.
 */
public final class NettyChannelFactory implements ChannelFactory {
  /**
   * A block file of 1 GiB in extents of 4 KiB and eight following ones stay below this. Parsed, a
   * reply of someone who means ill takes some twenty times its bytes.
   */
  private static final int MAX_REPLY_BYTES = 24 << 20;

  private static final int CALLBACK_THREADS = 2;
  private static final int IDLE_MINUTES = 5;

  private final EventLoopGroup eventLoop =
      new MultiThreadIoEventLoopGroup(
          1, new DaemonThreads("rdio-client-net"), NioIoHandler.newFactory());
  private final ExecutorService callbacks = callbackPool();
  private final @Nullable TlsContext tls;

  /** Of channels in plain text, for which no class of TLS is loaded. */
  public NettyChannelFactory() {
    this(null);
  }

  /**
   * Of channels with TLS, on which the DataNode must prove that it has the host name of the
   * endpoint.
   *
   * @param tls of a client, closed together with this factory; null for plain text
   */
  public NettyChannelFactory(@Nullable TlsContext tls) {
    this.tls = tls;
    if (tls != null) {
      tls.watch();
    }
  }

  @Override
  public ManagedChannel open(String endpoint) {
    int colon = endpoint.lastIndexOf(':');
    String host = endpoint.substring(0, colon).replace("[", "").replace("]", "");
    int port = Integer.parseInt(endpoint.substring(colon + 1));
    requireAuthority(host, port);
    NettyChannelBuilder builder = NettyChannelBuilder.forAddress(host, port);
    if (tls == null) {
      builder.usePlaintext();
    } else {
      builder.sslContext(tls.sslContext());
    }
    return builder
        // A proxy set for the JVM is for the web, not for the storage network.
        .proxyDetector(address -> null)
        .channelType(NioSocketChannel.class)
        .eventLoopGroup(eventLoop)
        .executor(callbacks)
        .offloadExecutor(callbacks)
        .maxInboundMessageSize(MAX_REPLY_BYTES)
        .idleTimeout(IDLE_MINUTES, TimeUnit.MINUTES)
        .disableRetry()
        .build();
  }

  /** What gRPC needs and, for some names that are none, answers with a NullPointerException. */
  private static void requireAuthority(String host, int port) {
    try {
      if (new URI(null, null, host, port, null, null, null).getRawAuthority() == null) {
        throw new IllegalArgumentException("no host");
      }
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for threads that are daemons
  public void close() {
    eventLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    callbacks.shutdown();
    if (tls != null) {
      tls.close();
    }
  }

  private static ExecutorService callbackPool() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            CALLBACK_THREADS,
            CALLBACK_THREADS,
            IDLE_MINUTES,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(),
            new DaemonThreads("rdio-client-rpc"));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
