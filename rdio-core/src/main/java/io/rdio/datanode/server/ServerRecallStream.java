// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.rdio.core.wire.proto.Recall;
import io.rdio.datanode.grant.GrantService.RecallSink;
import java.util.Arrays;

/**
 * One client's open stream of recalls. What the client does not take yet waits here, up to a bound;
 * beyond it recalls are dropped, which is safe: their leases are not renewed, and so the client
 * finds out. Thread-safe.
 */
final class ServerRecallStream implements RecallSink {
  /** Eight bytes each. A client that takes what comes never has as many waiting. */
  static final int WAITING_MAX = 4096;

  private static final int IDS_IN_ONE_MESSAGE = 1000;

  private final ServerCallStreamObserver<Recall> observer;
  private long[] waiting = new long[0];
  private boolean closed;

  ServerRecallStream(ServerCallStreamObserver<Recall> observer) {
    this.observer = observer;
  }

  @Override
  public synchronized void recall(long[] leaseIds) {
    if (closed || waiting.length == WAITING_MAX) {
      return;
    }
    int at = waiting.length;
    int added = Math.min(leaseIds.length, WAITING_MAX - at);
    waiting = Arrays.copyOf(waiting, at + added);
    System.arraycopy(leaseIds, 0, waiting, at, added);
    send();
    // The rest too, while the client takes it as fast as it comes.
    if (added < leaseIds.length) {
      recall(Arrays.copyOfRange(leaseIds, added, leaseIds.length));
    }
  }

  /** Sends what waits, as far as the client takes it. */
  synchronized void send() {
    int sent = 0;
    while (sent < waiting.length && !closed && observer.isReady() && !observer.isCancelled()) {
      int end = Math.min(waiting.length, sent + IDS_IN_ONE_MESSAGE);
      Recall.Builder message = Recall.newBuilder();
      for (int i = sent; i < end; i++) {
        message.addLeaseIds(waiting[i]);
      }
      observer.onNext(message.build());
      sent = end;
    }
    waiting = Arrays.copyOfRange(waiting, sent, waiting.length);
  }

  /** The client opened another one. */
  synchronized void replaced() {
    closed = true;
    waiting = new long[0];
    observer.onError(
        Status.ABORTED
            .withDescription("this client opened another stream of recalls")
            .asRuntimeException());
  }
}
