// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.ManagedChannel;
import io.rdio.core.wire.ChannelFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The gRPC channel to one DataNode. A channel that is given up is replaced by a new one, and not
 * made idle: a call that begins while its channel becomes idle may wait until its deadline, or be
 * thrown out with "Resolution is pending" (seen with grpc-java 1.85). Thread-safe.
 */
final class PlaneConnection {
  private final String endpoint;
  private final ChannelFactory channels;
  private volatile ManagedChannel current;

  /** Given up, and not ended yet: calls are under way on them until their deadlines at most. */
  @GuardedBy("this")
  private final List<ManagedChannel> ending = new ArrayList<>();

  @GuardedBy("this")
  private boolean closed;

  /**
   * @throws IllegalArgumentException if the endpoint is no host:port
   */
  PlaneConnection(String endpoint, ChannelFactory channels) {
    this.endpoint = endpoint;
    this.channels = channels;
    this.current = channels.open(endpoint);
  }

  String endpoint() {
    return endpoint;
  }

  /** For the next call. Nothing is connected before the first. */
  ManagedChannel current() {
    return current;
  }

  /**
   * Gives a channel up; what is under way on it ends by itself.
   *
   * @return false if that was done before
   */
  synchronized boolean replace(ManagedChannel dead) {
    if (dead != current) {
      return false;
    }
    if (!closed) {
      current = channels.open(endpoint);
      dead.shutdown();
      ending.removeIf(ManagedChannel::isTerminated);
      ending.add(dead);
    }
    return true;
  }

  private synchronized List<ManagedChannel> close() {
    closed = true;
    List<ManagedChannel> all = new ArrayList<>(ending);
    all.add(current);
    return all;
  }

  /** Lets calls under way end, and begins no more. */
  void shutdown() {
    close().forEach(ManagedChannel::shutdown);
  }

  /** Ends calls under way, too. */
  void shutdownNow() {
    close().forEach(ManagedChannel::shutdownNow);
  }

  /**
   * Waits until no channel has a call or a connection left, once {@link #shutdown} was called.
   *
   * @return false if the time is up
   */
  boolean awaitTermination(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    for (ManagedChannel channel : close()) {
      if (!channel.awaitTermination(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        return false;
      }
    }
    return true;
  }
}
