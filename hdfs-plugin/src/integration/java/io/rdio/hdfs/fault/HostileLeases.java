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
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Takes leases from many addresses under ever new names, until it is closed. */
final class HostileLeases extends Thread implements AutoCloseable {
  private static final int ADDRESSES = 20;
  private static final int PATIENCE_SECONDS = 60;

  private final List<LocatedBlock> blocks;
  private final int blocksOfEach;
  private final String namesBegin;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final Set<String> refusals = ConcurrentHashMap.newKeySet();
  private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean ends;

  /**
   * Begins at once.
   *
   * @param blocksOfEach addresses take so many blocks, each the next of them; a divisor of all
   */
  HostileLeases(
      HostileClient client, List<LocatedBlock> blocks, int blocksOfEach, String namesBegin)
      throws IOException {
    super("hostile-leases");
    this.blocks = blocks;
    this.blocksOfEach = blocksOfEach;
    this.namesBegin = namesBegin;
    for (int host = 1; host <= ADDRESSES; host++) {
      channels.add(client.channel(host));
    }
    start();
  }

  /** Why leases were refused, without figures. */
  Set<String> refusals() {
    return refusals;
  }

  /** Calls that failed as a whole. */
  Queue<Exception> failures() {
    return failures;
  }

  @Override
  public void run() {
    for (int name = 0; !ends; name++) {
      List<Future<GrantReply>> replies = new ArrayList<>();
      for (int i = 0; i < channels.size(); i++) {
        replies.add(
            MetadataPlaneGrpc.newFutureStub(channels.get(i))
                .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .grant(request(i).setClientId(namesBegin + name).build()));
      }
      replies.forEach(this::take);
    }
  }

  private GrantRequest.Builder request(int address) {
    int first = address * blocksOfEach % blocks.size();
    return HostileRequests.grant(blocks.subList(first, first + blocksOfEach));
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
