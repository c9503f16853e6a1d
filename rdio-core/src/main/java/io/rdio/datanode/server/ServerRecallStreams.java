// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.rdio.core.wire.proto.Recall;
import io.rdio.datanode.grant.GrantService;
import java.util.HashMap;
import java.util.Map;

/**
 * The streams of recalls that are open, one for each client: a new one takes the place of the old
 * one, which is closed. Bounded; who gets none goes on without, for a recall is never needed for
 * safety. Thread-safe.
 */
final class ServerRecallStreams {
  private final GrantService grants;
  private final int max;
  private final Map<String, ServerRecallStream> open = new HashMap<>();

  ServerRecallStreams(GrantService grants, int max) {
    this.grants = grants;
    this.max = max;
  }

  /**
   * Sends a client's recalls to this call from now on, first those that are unanswered.
   *
   * @throws ServerRequestException RESOURCE_EXHAUSTED when there are as many as there may be
   */
  void open(String clientId, ServerCallStreamObserver<Recall> call) throws ServerRequestException {
    ServerRecallStream stream = new ServerRecallStream(call);
    call.setOnReadyHandler(stream::send);
    call.setOnCancelHandler(() -> ended(clientId, stream));
    boolean opened = false;
    try {
      put(clientId, stream);
      opened = true;
    } finally {
      if (!opened) {
        ended(clientId, stream); // the call is answered with why; nobody would cancel it
      }
    }
  }

  private void put(String clientId, ServerRecallStream stream) throws ServerRequestException {
    ServerRecallStream before;
    synchronized (this) {
      if (open.size() >= max && !open.containsKey(clientId)) {
        throw new ServerRequestException(
            Status.RESOURCE_EXHAUSTED.withDescription(
                "this DataNode has " + max + " streams of recalls open and opens no more"));
      }
      before = open.put(clientId, stream);
      grants.subscribe(clientId, stream);
    }
    if (before != null) {
      before.replaced();
    }
  }

  private synchronized void ended(String clientId, ServerRecallStream stream) {
    if (open.remove(clientId, stream)) {
      grants.unsubscribe(clientId, stream);
    }
  }

  synchronized int size() {
    return open.size();
  }
}
