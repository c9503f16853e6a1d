// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.ChannelFactory;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnReply;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.datanode.grant.GrantResult;
import io.rdio.datanode.grant.ReplayedDataNode;
import io.rdio.datanode.server.ServerDoor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What lies between one client and the DataNode: every message waits until it is delivered. */
final class ReplayedWire extends MetadataPlaneGrpc.MetadataPlaneImplBase implements ChannelFactory {
  private static final AtomicInteger UNIQUE = new AtomicInteger();
  private static final long LIMIT_SECONDS = 60;

  private final String name = "replayed-" + UNIQUE.incrementAndGet();
  private final ReplayedDataNode dataNode;
  private final String client;
  private final Server server;
  private final LinkedBlockingQueue<StreamObserver<GrantReply>> asked = new LinkedBlockingQueue<>();
  private final List<ReturnRequest> returns = new ArrayList<>();
  private final List<Long> recalls = new ArrayList<>();
  private @Nullable RenewRequest renewal;
  private @Nullable StreamObserver<RenewReply> renewing;
  private @Nullable ServerCallStreamObserver<Recall> stream;
  private volatile @Nullable GrantReply refusal;

  ReplayedWire(ReplayedDataNode dataNode, String client) {
    this.dataNode = dataNode;
    this.client = client;
    try {
      server =
          InProcessServerBuilder.forName(name).directExecutor().addService(this).build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public ManagedChannel open(String endpoint) {
    return InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  @Override
  public void hello(HelloRequest request, StreamObserver<HelloReply> observer) {
    answer(
        observer,
        HelloReply.newBuilder()
            .setProtocolVersion(request.getProtocolVersion())
            .setIncarnation(dataNode.incarnation())
            .build());
  }

  private static <T> void answer(StreamObserver<T> observer, T reply) {
    observer.onNext(reply);
    observer.onCompleted();
  }

  /**
   * From now on a client that asks once more is refused at once, which the model has no step for:
   * there whoever took an answer too late asks again when it likes.
   *
   * @param incarnation that refuses; null: requests wait again
   */
  void refuseOnceMore(@Nullable Long incarnation) {
    refusal =
        incarnation == null
            ? null
            : reply(
                incarnation,
                new GrantResult.Refused(FallbackReason.REPLICA_NOT_FOUND, "asked once more"));
  }

  @Override
  public void grant(GrantRequest request, StreamObserver<GrantReply> observer) {
    GrantReply onceMore = refusal;
    if (onceMore != null) {
      answer(observer, onceMore);
    } else if (dataNode.isOther(BlockIds.decode(request.getBlocks(0).getBlock()))) {
      answer(observer, reply(dataNode.incarnation(), dataNode.grantOther(client)));
    } else {
      asked.add(observer);
    }
  }

  static GrantReply reply(long incarnation, GrantResult result) {
    return GrantReply.newBuilder()
        .setIncarnation(incarnation)
        .setLeaseMillis(ReplayedClient.TERM.toMillis())
        .addBlocks(ServerDoor.blockGrant(result))
        .build();
  }

  /** The request that the client sent for the model's block. */
  StreamObserver<GrantReply> request() {
    try {
      StreamObserver<GrantReply> observer = asked.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
      if (observer == null) {
        throw new AssertionError("the client sent no request");
      }
      return observer;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public synchronized void renew(RenewRequest request, StreamObserver<RenewReply> observer) {
    renewal = request;
    renewing = observer;
  }

  /** The renewal under way, or null. */
  synchronized @Nullable RenewRequest renewal() {
    return renewal;
  }

  /** Delivers the answer to it; null: the connection broke. */
  void answerRenewal(@Nullable RenewReply reply) {
    StreamObserver<RenewReply> observer;
    synchronized (this) {
      observer = renewing;
      renewal = null;
      renewing = null;
    }
    if (observer == null) {
      throw new AssertionError("no renewal is under way");
    }
    if (reply == null) {
      observer.onError(Status.UNAVAILABLE.asRuntimeException());
    } else {
      answer(observer, reply);
    }
  }

  @Override
  public void return_(ReturnRequest request, StreamObserver<ReturnReply> observer) {
    synchronized (this) {
      returns.add(request);
    }
    answer(observer, ReturnReply.getDefaultInstance());
  }

  /** Takes out what the client has returned since the last call. */
  synchronized List<ReturnRequest> returned() {
    List<ReturnRequest> all = List.copyOf(returns);
    returns.clear();
    return all;
  }

  @Override
  public void recalls(RecallsRequest request, StreamObserver<Recall> observer) {
    ServerCallStreamObserver<Recall> call = (ServerCallStreamObserver<Recall>) observer;
    call.setOnCancelHandler(() -> closed(call));
    synchronized (this) {
      stream = call;
    }
    dataNode.subscribe(client, this::recalled);
  }

  private synchronized void closed(ServerCallStreamObserver<Recall> call) {
    if (stream == call) {
      stream = null;
    }
  }

  private synchronized void recalled(long[] ids) {
    for (long id : ids) {
      recalls.add(id);
    }
  }

  synchronized boolean listens() {
    return stream != null;
  }

  /**
   * Delivers what was recalled until now, if the client still listens; false if that is nothing.
   */
  boolean deliverRecalls() {
    List<Long> ids;
    synchronized (this) {
      ids = List.copyOf(recalls);
      recalls.clear();
    }
    deliver(ids);
    return !ids.isEmpty();
  }

  /** Delivers a recall of these, if the client listens. */
  void deliver(List<Long> ids) {
    ServerCallStreamObserver<Recall> call;
    synchronized (this) {
      call = stream;
    }
    if (call != null && !ids.isEmpty()) {
      call.onNext(Recall.newBuilder().addAllLeaseIds(ids).build());
    }
  }

  /** The connection breaks, and what was on its way is lost. */
  void disconnect() {
    ServerCallStreamObserver<Recall> call;
    synchronized (this) {
      call = stream;
      stream = null;
      recalls.clear();
    }
    if (call != null) {
      call.onError(Status.UNAVAILABLE.asRuntimeException());
    }
  }
}
