// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import io.rdio.exclusive.wire.CachedDevice;
import io.rdio.exclusive.wire.DevicesReply;
import io.rdio.exclusive.wire.DevicesRequest;
import io.rdio.exclusive.wire.EvictedBlocks;
import io.rdio.exclusive.wire.EvictionsReply;
import io.rdio.exclusive.wire.PrefCacheGrpc;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to the storage node's agent: asks for its devices, then keeps a stream of evictions open.
 * When either breaks all begins anew after a back-off, devices too, for another agent may number
 * them differently. Never waits. Thread-safe.
 */
final class StorageLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StorageLink.class);
  private static final Duration FIRST_WAIT = Duration.ofMillis(200);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final int DEVICES_SECONDS = 5;
  private static final long CONNECT_NANOS = 1_000_000_000;

  // Length and flag of a gRPC message, and the header of the HTTP/2 frame that it goes in.
  private static final int FRAMING_BYTES = 5 + 9;

  private final ManagedChannel channel;
  private final String endpoint;
  private final EvictionCounters counters;
  private final MonotonicClock clock;
  private final BackOff backOff;

  @GuardedBy("this")
  private @Nullable Attempt attempt;

  @GuardedBy("this")
  private @Nullable List<CachedDevice> devices;

  @GuardedBy("this")
  private boolean connecting;

  @GuardedBy("this")
  private long connectingSince;

  @GuardedBy("this")
  private boolean complained;

  @GuardedBy("this")
  private boolean closed;

  /**
   * @param channel to the agent; shut down when this is closed
   * @param endpoint for messages
   */
  StorageLink(
      ManagedChannel channel, String endpoint, MonotonicClock clock, EvictionCounters counters) {
    this.channel = channel;
    this.endpoint = endpoint;
    this.counters = counters;
    this.clock = clock;
    DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
    this.backOff = new BackOff(FIRST_WAIT, LONGEST_WAIT, clock, random);
  }

  /** Connects if it is time to; to be called now and then. */
  synchronized void tick() {
    if (closed || attempt != null || backOff.leftNanos() > 0) {
      return;
    }
    if (!connecting) {
      connecting = true;
      connectingSince = clock.nanos();
      // The channel has a back-off of its own, up to minutes: ours is to hold.
      channel.resetConnectBackoff();
    }
    if (channel.getState(true) == ConnectivityState.TRANSIENT_FAILURE
        && clock.nanos() - connectingSince < CONNECT_NANOS) {
      // As long as it does not stand the channel fails calls at once, with the last failure: an
      // agent that is back would be found the next time only.
      return;
    }
    connecting = false;
    attempt = new Attempt();
    PrefCacheGrpc.newStub(channel)
        .withDeadlineAfter(DEVICES_SECONDS, TimeUnit.SECONDS)
        .devices(DevicesRequest.getDefaultInstance(), attempt.onDevices());
  }

  /** The agent's devices, once for each time that it was asked. */
  synchronized @Nullable List<CachedDevice> newDevices() {
    List<CachedDevice> told = devices;
    devices = null;
    return told;
  }

  /** Whether a batch would be taken now: else it would only pile up. */
  synchronized boolean isReady() {
    return attempt != null && devices == null && attempt.isReady();
  }

  /** Sends a batch; false if the stream broke meanwhile. */
  synchronized boolean send(EvictedBlocks batch) {
    if (attempt == null || attempt.stream == null) {
      return false;
    }
    attempt.stream.onNext(batch);
    counters.sentBatches.increment();
    counters.sentBytes.add(batch.getSerializedSize() + FRAMING_BYTES);
    return true;
  }

  private synchronized void gotDevices(Attempt of, List<CachedDevice> told) {
    if (of == attempt && !closed) {
      devices = told;
      PrefCacheGrpc.newStub(channel).evictions(of);
    }
  }

  private synchronized void broke(Attempt of, @Nullable Throwable why) {
    if (of != attempt) {
      return;
    }
    attempt = null;
    // What it told of its devices stands, also if nobody has looked yet: what is evicted until it
    // is
    // back is kept for it.
    counters.brokenStreams.increment();
    backOff.failed(0);
    if (!closed && !complained) {
      complained = true;
      LOG.warn(
          "RDIO: the storage agent at {} does not take evictions ({}); it is tried again, and what"
              + " does not fit into the buffer meanwhile is lost",
          endpoint,
          why == null ? "it ended the stream" : why.toString());
    }
  }

  private synchronized void opened(Attempt of) {
    if (of == attempt && !of.opened) {
      of.opened = true;
      counters.streams.increment();
      backOff.succeeded();
      complained = false;
    }
  }

  /** Ends the stream, and waits a little for the agent, if it is there, to have read it. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (attempt != null && attempt.stream != null && attempt.opened) {
        attempt.stream.onCompleted();
        channel.shutdown();
      } else {
        channel.shutdownNow();
      }
    }
    try {
      if (!channel.awaitTermination(1, TimeUnit.SECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  /** One time of asking for devices and streaming until it breaks. */
  private final class Attempt implements ClientResponseObserver<EvictedBlocks, EvictionsReply> {
    @Nullable ClientCallStreamObserver<EvictedBlocks> stream;
    boolean opened;

    StreamObserver<DevicesReply> onDevices() {
      return new StreamObserver<>() {
        @Override
        public void onNext(DevicesReply reply) {
          gotDevices(Attempt.this, reply.getDevicesList());
        }

        @Override
        public void onError(Throwable error) {
          broke(Attempt.this, error);
        }

        @Override
        public void onCompleted() {}
      };
    }

    boolean isReady() {
      return stream != null && stream.isReady();
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<EvictedBlocks> started) {
      // Called by evictions(), which holds the lock.
      stream = started;
      started.setOnReadyHandler(() -> opened(this));
    }

    @Override
    public void onNext(EvictionsReply reply) {}

    @Override
    public void onError(Throwable error) {
      broke(this, error);
    }

    @Override
    public void onCompleted() {
      broke(this, null);
    }
  }
}
