// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.core.tls.TlsContext;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.grant.GrantService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata plane's gRPC server in a DataNode, on few daemon threads. Plain NIO: no native
 * transport is worth a second library in the DataNode. Start and stop are for one thread.
 */
public final class MetadataServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataServer.class);
  private static final int CALL_THREADS = 2;
  private static final int GRANT_THREADS = 8;

  // gRPC logs a trace for each message that is too large, with which a stranger could fill the
  // DataNode's log. They are counted; kept here because loggers that nobody keeps forget their
  // level.
  private static final java.util.logging.Logger GRPC_STREAMS =
      java.util.logging.Logger.getLogger(
          NettyServerBuilder.class.getPackageName() + ".NettyServerStream");

  static {
    GRPC_STREAMS.setLevel(Level.SEVERE);
  }

  private final ThreadPoolExecutor callThreads;
  private final ThreadPoolExecutor grantCallThreads;
  private final ThreadPoolExecutor grantThreads;
  private final ThreadPoolExecutor listThread;
  private final EventLoopGroup eventLoops;
  private final ServerBadRequests badRequests = new ServerBadRequests();
  private final LongAdder connectionsRefused = new LongAdder();
  private final Handshakes handshakes = new Handshakes();
  private final Server server;

  /**
   * Opens the port and serves.
   *
   * @param address to listen on; port 0 takes a free one
   * @param connectionsPerAddress of clients at one address; calls and requests are bounded with it
   * @throws IOException when the port cannot be opened
   */
  public static MetadataServer start(
      InetSocketAddress address, int connectionsPerAddress, GrantService grants)
      throws IOException {
    return start(address, MetadataServerPolicy.of(connectionsPerAddress), grants);
  }

  /** As {@link #start(InetSocketAddress, int, GrantService)}, with other bounds. */
  public static MetadataServer start(
      InetSocketAddress address, MetadataServerPolicy policy, GrantService grants)
      throws IOException {
    return start(address, policy, grants, null);
  }

  /**
   * As {@link #start(InetSocketAddress, int, GrantService)}, with or without TLS.
   *
   * @param tls of a server, which stays the caller's to close; null for plain text
   */
  public static MetadataServer start(
      InetSocketAddress address,
      MetadataServerPolicy policy,
      GrantService grants,
      @Nullable TlsContext tls)
      throws IOException {
    return start(address, policy, grants, null, tls);
  }

  /**
   * As {@link #start(InetSocketAddress, int, GrantService)}, with all that can be chosen.
   *
   * @param room that the write plane lends slots of, which stays the caller's to close; null where
   *     nothing can be written
   * @param tls of a server, which stays the caller's to close; null for plain text
   */
  public static MetadataServer start(
      InetSocketAddress address,
      MetadataServerPolicy policy,
      GrantService grants,
      @Nullable WriteRoom room,
      @Nullable TlsContext tls)
      throws IOException {
    MetadataServer server = new MetadataServer(address, policy, grants, room, tls);
    try {
      server.server.start();
      if (room != null) {
        server.grantThreads.execute(ServerRehearsal::proveOnce);
      }
      return server;
    } catch (IOException e) {
      server.close();
      throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
    }
  }

  private MetadataServer(
      InetSocketAddress address,
      MetadataServerPolicy policy,
      GrantService grants,
      @Nullable WriteRoom room,
      @Nullable TlsContext tls) {
    MetadataServerLimits limits = policy.limits();
    callThreads = threads("rdio-call", CALL_THREADS, limits.callsQueued());
    // The network's thread does itself what finds no room, and reads no more meanwhile. To refuse
    // would lose what belongs to calls that are under way.
    callThreads.setRejectedExecutionHandler(new ThreadPoolExecutor.CallerRunsPolicy());
    grantCallThreads = threads("rdio-grant-call", CALL_THREADS, limits.callsQueued());
    grantCallThreads.setRejectedExecutionHandler(new ThreadPoolExecutor.CallerRunsPolicy());
    grantThreads = threads("rdio-grant", GRANT_THREADS, limits.grantsWaiting());
    listThread = threads("rdio-list", 1, MetadataServerLimits.LISTINGS_PER_ADDRESS);
    eventLoops =
        new MultiThreadIoEventLoopGroup(
            1, new DaemonThreads("rdio-net"), NioIoHandler.newFactory());
    server =
        connections(address, limits, tls)
            .executor(callThreads)
            .callExecutor(new CallThreads())
            .maxInboundMessageSize(
                room == null
                    ? MetadataServerLimits.MESSAGE_BYTES_MAX
                    : MetadataServerLimits.PART_MESSAGE_BYTES_MAX)
            .addStreamTracerFactory(badRequests)
            // What is given later is asked first.
            .intercept(grantLimit(limits))
            .intercept(new ServerListLeasesCheck(policy.mayListLeases()))
            .intercept(new ServerCallLimit(limits, room != null))
            .addServices(services(policy, grants, room))
            .build();
  }

  /** How many connections there may be, for how long, and what one may do. */
  private NettyServerBuilder connections(
      InetSocketAddress address, MetadataServerLimits limits, @Nullable TlsContext tls) {
    AddressShares connections =
        new AddressShares(limits.connectionsPerAddress(), limits.connections());
    NettyServerBuilder builder = NettyServerBuilder.forAddress(address);
    if (tls != null) {
      builder.sslContext(tls.sslContext());
    }
    return builder
        .channelFactory(
            () ->
                new ServerSocket(
                    connections,
                    connectionsRefused,
                    () -> new TransportCheck(handshakes, tls != null)))
        .bossEventLoopGroup(eventLoops)
        .workerEventLoopGroup(eventLoops)
        .maxConcurrentCallsPerConnection(MetadataServerLimits.CALLS_PER_CONNECTION)
        .handshakeTimeout(limits.handshake().toMillis(), TimeUnit.MILLISECONDS)
        .maxConnectionIdle(limits.idle().toMillis(), TimeUnit.MILLISECONDS)
        .permitKeepAliveTime(10, TimeUnit.SECONDS)
        .permitKeepAliveWithoutCalls(true)
        .keepAliveTime(1, TimeUnit.MINUTES)
        .maxRstFramesPerWindow(limits.resets(), MetadataServerLimits.RESETS_SECONDS);
  }

  private List<ServerServiceDefinition> services(
      MetadataServerPolicy policy, GrantService grants, @Nullable WriteRoom room) {
    ServerSessions sessions = new ServerSessions(grants);
    List<ServerServiceDefinition> services = new ArrayList<>();
    services.add(
        ServerGarbageCheck.guard(
            new MetadataPlaneService(
                grants,
                room,
                sessions,
                grantThreads,
                listThread,
                new ServerRecallStreams(grants, policy.limits().recallStreams()),
                policy.versions())));
    if (room != null) {
      services.add(
          ServerGarbageCheck.guard(
              new WritePlaneService(
                  room,
                  grants,
                  sessions,
                  this::after,
                  policy.limits().grantsWaiting(),
                  policy.versions())));
    }
    return services;
  }

  private static ServerGrantLimit grantLimit(MetadataServerLimits limits) {
    return new ServerGrantLimit(
        MetadataServerLimits.GRANTS_PER_ADDRESS, limits.grantsWaiting(), System::nanoTime);
  }

  private Runnable after(long nanos, Runnable work) {
    Future<?> timer = eventLoops.schedule(work, nanos, TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }

  /**
   * Grants and commits are large: to parse many of them must not keep the renewals of others
   * waiting.
   */
  private final class CallThreads implements ServerCallExecutorSupplier {
    private static final Set<String> LARGE = Set.of("Grant", "Allocate", "Commit");

    @Override
    public <Q, P> Executor getExecutor(ServerCall<Q, P> call, Metadata headers) {
      return LARGE.contains(String.valueOf(call.getMethodDescriptor().getBareMethodName()))
          ? grantCallThreads
          : callThreads;
    }
  }

  private static ThreadPoolExecutor threads(String name, int count, int waitingMax) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            count,
            count,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(waitingMax),
            new DaemonThreads(name));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** The port it listens on. */
  public int port() {
    return server.getPort();
  }

  /** Requests refused as a whole: malformed, too large, too many at a time, or failed inside. */
  public long badRequests() {
    return badRequests.count();
  }

  /** Connections closed because their address had as many as it may have. */
  public long connectionsRefused() {
    return connectionsRefused.sum();
  }

  /**
   * Connections that came to nothing for TLS's sake: a certificate missing or not trusted, plain
   * text where TLS is wanted, or the reverse.
   */
  public long handshakesFailed() {
    return handshakes.failures();
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
    grantCallThreads.shutdown();
    listThread.shutdown();
    callThreads.shutdown();
    if (!eventLoops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5_000)) {
      LOG.warn("The metadata plane's network thread still runs after 5 s");
    }
  }
}
