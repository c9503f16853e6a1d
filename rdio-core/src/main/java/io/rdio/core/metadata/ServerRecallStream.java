// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.grpc.stub.ServerCallStreamObserver;
import io.rdio.core.grant.RecallSink;
import io.rdio.core.metadata.proto.Recall;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * One client's open stream of recalls. What the client does not take yet waits here, up to a bound;
 * beyond it recalls are dropped, which is safe: their leases are not renewed. Thread-safe.
 */
final class ServerRecallStream implements RecallSink {
  private static final int IDS_IN_ONE_MESSAGE = 1000;

  private final ServerCallStreamObserver<Recall> observer;
  private final int waitingMax;
  private final Set<Long> waiting = new LinkedHashSet<>();

  ServerRecallStream(ServerCallStreamObserver<Recall> observer, int waitingMax) {
    this.observer = observer;
    this.waitingMax = waitingMax;
  }

  @Override
  public synchronized void recall(long[] leaseIds) {
    for (long id : leaseIds) {
      if (waiting.size() < waitingMax) {
        waiting.add(id);
      }
    }
    send();
  }

  /** Sends what waits, as far as the client takes it. */
  synchronized void send() {
    while (!waiting.isEmpty() && observer.isReady() && !observer.isCancelled()) {
      Recall.Builder message = Recall.newBuilder();
      Iterator<Long> ids = waiting.iterator();
      while (ids.hasNext() && message.getLeaseIdsCount() < IDS_IN_ONE_MESSAGE) {
        message.addLeaseIds(ids.next());
        ids.remove();
      }
      observer.onNext(message.build());
    }
  }
}
