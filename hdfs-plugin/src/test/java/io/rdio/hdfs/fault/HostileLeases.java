// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.grpc.ManagedChannel;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Takes leases on the same blocks from many addresses under ever new names, until it is closed. */
final class HostileLeases extends Thread implements AutoCloseable {
  private static final int ADDRESSES = 20;
  private static final int PATIENCE_SECONDS = 20;

  private final GrantRequest.Builder request;
  private final String namesBegin;
  private final int namesAtATime;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final Set<String> refusals = ConcurrentHashMap.newKeySet();
  private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean ends;

  /**
   * Begins at once.
   *
   * @param namesAtATime of each address
   */
  HostileLeases(
      HostileClient client, GrantRequest.Builder request, String namesBegin, int namesAtATime)
      throws IOException {
    super("hostile-leases");
    this.request = request;
    this.namesBegin = namesBegin;
    this.namesAtATime = namesAtATime;
    for (int host = 1; host <= ADDRESSES; host++) {
      channels.add(client.channel(host));
    }
    start();
  }

  /** Whether a lease was refused with a text that has this. */
  boolean isRefused(String text) {
    return refusals.stream().anyMatch(refusal -> refusal.contains(text));
  }

  /** Calls that failed as a whole. */
  Queue<Exception> failures() {
    return failures;
  }

  @Override
  public void run() {
    for (int name = 0; !ends; name += namesAtATime) {
      List<Future<GrantReply>> replies = new ArrayList<>();
      for (ManagedChannel channel : channels) {
        for (int i = 0; i < namesAtATime; i++) {
          replies.add(
              MetadataPlaneGrpc.newFutureStub(channel)
                  .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                  .grant(request.setClientId(namesBegin + (name + i)).build()));
        }
      }
      replies.forEach(this::take);
    }
  }

  private void take(Future<GrantReply> reply) {
    try {
      for (BlockGrant block : reply.get().getBlocksList()) {
        if (!block.hasFileMap()) {
          // Without the figures, which are ever new.
          refusals.add(block.getRefusal().getDetail().replaceAll("[0-9]+", "#"));
        }
      }
    } catch (Exception e) {
      failures.add(e);
    }
  }

  @Override
  public void close() {
    ends = true;
    try {
      join(TimeUnit.SECONDS.toMillis(2 * PATIENCE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
