// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.rdio.core.time.BackOff;
import io.rdio.core.wire.RetryAfter;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the stream of recalls of one DataNode open while leases are held. A broken stream is opened
 * again after the back-off; until then leases go on, for their deadline keeps them safe.
 * Thread-safe.
 */
final class RecallStream {
  private static final Logger LOG = LoggerFactory.getLogger(RecallStream.class);

  private final DataNodeChannel channel;
  private final BackOff backOff;
  private final Supplier<RecallsRequest> request;
  private final Consumer<List<Long>> onRecall;

  @GuardedBy("this")
  private @Nullable Call open;

  RecallStream(
      DataNodeChannel channel,
      BackOff backOff,
      Supplier<RecallsRequest> request,
      Consumer<List<Long>> onRecall) {
    this.channel = channel;
    this.backOff = backOff;
    this.request = request;
    this.onRecall = onRecall;
  }

  /**
   * Opens the stream unless it is open or was broken a moment ago. A stream that could not be
   * opened, for an {@code Error} that this throws, is one that was broken.
   */
  void ensureOpen() {
    Call call;
    synchronized (this) {
      if (open != null || backOff.leftNanos() > 0) {
        return;
      }
      call = new Call();
      open = call;
    }
    boolean sent = false;
    try {
      channel.recalls(request.get(), call);
      sent = true;
    } finally {
      if (!sent) {
        ended(call, null); // gRPC may say so too, or know nothing of the call
      }
    }
    call.opened();
  }

  /** Closes the stream: no lease is held any more. */
  void close() {
    Call call;
    synchronized (this) {
      call = open;
      open = null;
    }
    if (call != null) {
      call.cancel();
    }
  }

  private synchronized void ended(Call call, @Nullable Throwable error) {
    if (open == call) {
      open = null;
      backOff.failed(RetryAfter.nanos(error));
      LOG.debug("RDIO: recall stream of {} ended", channel.endpoint(), error);
    }
  }

  private final class Call implements ClientResponseObserver<RecallsRequest, Recall> {
    @GuardedBy("this")
    private @Nullable ClientCallStreamObserver<RecallsRequest> stream;

    @GuardedBy("this")
    private boolean opened;

    @GuardedBy("this")
    private boolean unwanted;

    @Override
    public synchronized void beforeStart(ClientCallStreamObserver<RecallsRequest> requestStream) {
      stream = requestStream;
    }

    /** gRPC has the request: until then it throws if the call was cancelled. */
    void opened() {
      synchronized (this) {
        opened = true;
      }
      cancelIfUnwanted();
    }

    void cancel() {
      synchronized (this) {
        unwanted = true;
      }
      cancelIfUnwanted();
    }

    private void cancelIfUnwanted() {
      ClientCallStreamObserver<RecallsRequest> mine;
      synchronized (this) {
        mine = opened && unwanted ? stream : null;
      }
      if (mine != null) {
        mine.cancel("no lease is held", null);
      }
    }

    @Override
    public void onNext(Recall recall) {
      onRecall.accept(recall.getLeaseIdsList());
    }

    @Override
    public void onError(Throwable error) {
      ended(this, error);
    }

    @Override
    public void onCompleted() {
      ended(this, null);
    }
  }
}
