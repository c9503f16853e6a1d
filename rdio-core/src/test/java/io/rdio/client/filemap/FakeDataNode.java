// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.BlockId;
import io.rdio.core.wire.proto.DeviceIdentity;
import io.rdio.core.wire.proto.Extents;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.Refusal;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnReply;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.core.wire.proto.Witness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A DataNode's plugin in this JVM that does what the test tells it. */
final class FakeDataNode extends MetadataPlaneGrpc.MetadataPlaneImplBase implements AutoCloseable {
  static final long TERM_MILLIS = 60_000;

  final String endpoint;
  final List<GrantRequest> grants = new CopyOnWriteArrayList<>();
  final List<RenewRequest> renewals = new CopyOnWriteArrayList<>();
  final List<Long> returned = new CopyOnWriteArrayList<>();
  final List<HelloRequest> hellos = new CopyOnWriteArrayList<>();
  final List<StreamObserver<Recall>> recallStreams = new CopyOnWriteArrayList<>();
  final ConcurrentLinkedQueue<Runnable> heldAnswers = new ConcurrentLinkedQueue<>();

  private final Server server;
  private final AtomicLong nextLease = new AtomicLong(100);
  private final Map<Long, FallbackReason> refusals = new HashMap<>();

  volatile long incarnation = 7;
  volatile long leaseMillis = TERM_MILLIS;
  volatile long renewMillis = TERM_MILLIS;
  volatile int protocolVersion = 1;
  volatile boolean holdGrants;
  volatile @Nullable Status failure;

  /** Of a {@link #failure}. */
  volatile Metadata trailers = new Metadata();

  volatile Runnable beforeGrantAnswer = () -> {};
  volatile LongConsumer onReturn = id -> {};

  /** Leaves returns unanswered, in {@link #held}. */
  volatile boolean holdReturns;

  final List<ServerCallStreamObserver<ReturnReply>> held = new CopyOnWriteArrayList<>();
  volatile UnaryOperator<GrantReply> garble = UnaryOperator.identity();
  volatile UnaryOperator<byte[]> garbleBytes = UnaryOperator.identity();

  FakeDataNode(String endpoint) {
    this.endpoint = endpoint;
    try {
      server =
          InProcessServerBuilder.forName(endpoint)
              .directExecutor()
              .addService(GarbledReplies.of(this, bytes -> garbleBytes.apply(bytes)))
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void refuse(long blockId, FallbackReason reason) {
    refusals.put(blockId, reason);
  }

  /** Fails all that it is asked for, as busy, until {@link #failure} is null again. */
  void beBusy() {
    trailers.put(Metadata.Key.of("rdio-retry-after-ms", Metadata.ASCII_STRING_MARSHALLER), "0");
    failure = Status.RESOURCE_EXHAUSTED;
  }

  void grantAgain(long blockId) {
    refusals.remove(blockId);
  }

  /** Of the lease that is granted next. */
  long nextLeaseId() {
    return nextLease.get() + 1;
  }

  void recall(long leaseId) {
    recallStreams
        .get(recallStreams.size() - 1)
        .onNext(Recall.newBuilder().addLeaseIds(leaseId).build());
  }

  void answerHeld() {
    holdGrants = false;
    Runnable answer = heldAnswers.poll();
    while (answer != null) {
      answer.run();
      answer = heldAnswers.poll();
    }
  }

  @Override
  public void hello(HelloRequest request, StreamObserver<HelloReply> observer) {
    hellos.add(request);
    if (failed(observer)) {
      return;
    }
    observer.onNext(
        HelloReply.newBuilder()
            .setProtocolVersion(protocolVersion)
            .setIncarnation(incarnation)
            .build());
    observer.onCompleted();
  }

  @Override
  public void grant(GrantRequest request, StreamObserver<GrantReply> observer) {
    grants.add(request);
    if (failed(observer)) {
      return;
    }
    GrantReply.Builder reply =
        GrantReply.newBuilder().setIncarnation(incarnation).setLeaseMillis(leaseMillis);
    request.getBlocksList().forEach(block -> reply.addBlocks(grant(block.getBlock())));
    Runnable answer =
        () -> {
          beforeGrantAnswer.run();
          observer.onNext(garble.apply(reply.build()));
          observer.onCompleted();
        };
    if (holdGrants) {
      heldAnswers.add(answer);
    } else {
      answer.run();
    }
  }

  private BlockGrant grant(BlockId block) {
    FallbackReason refusal = refusals.get(block.getBlockId());
    if (refusal != null) {
      return BlockGrant.newBuilder()
          .setRefusal(Refusal.newBuilder().setReason(refusal.name()).setDetail("as told"))
          .build();
    }
    return BlockGrant.newBuilder()
        .setFileMap(
            map(block.getBlockId(), nextLease.incrementAndGet()).toBuilder().setBlock(block))
        .build();
  }

  FileMap map(long blockId, long leaseId) {
    return FileMap.newBuilder()
        .setLeaseId(leaseId)
        .setDevice(
            DeviceIdentity.newBuilder()
                .setFsType("ext4")
                .setFsUuid(ByteString.copyFrom(new byte[16]))
                .setSizeBytes(1L << 40)
                .setName("/dev/x"))
        .setStorageId("storage of " + endpoint)
        .setBlockLength(1000)
        .setMetaLength(7 + 2 * 4)
        .setBlockExtents(Extents.newBuilder().addPhysical(blockId << 20).addLength(4096))
        .setMetaExtents(Extents.newBuilder().addPhysical(4096).addLength(4096))
        .setChecksumType(2)
        .setBytesPerChecksum(512)
        .setMetaHeaderLength(7)
        .setWitness(Witness.newBuilder().setOffset(8192).setNonce(incarnation).setCount(1))
        .build();
  }

  @Override
  public void renew(RenewRequest request, StreamObserver<RenewReply> observer) {
    renewals.add(request);
    if (failed(observer)) {
      return;
    }
    RenewReply.Builder reply = RenewReply.newBuilder().setIncarnation(incarnation);
    request.getLeaseIdsList().forEach(id -> reply.addLeaseMillis(renewMillis));
    observer.onNext(reply.build());
    observer.onCompleted();
  }

  @Override
  public void return_(ReturnRequest request, StreamObserver<ReturnReply> observer) {
    request
        .getLeaseIdsList()
        .forEach(
            id -> {
              onReturn.accept(id);
              returned.add(id);
            });
    if (holdReturns) {
      held.add((ServerCallStreamObserver<ReturnReply>) observer);
      return;
    }
    observer.onNext(ReturnReply.getDefaultInstance());
    observer.onCompleted();
  }

  @Override
  public void recalls(RecallsRequest request, StreamObserver<Recall> observer) {
    recallStreams.add(observer);
  }

  private boolean failed(StreamObserver<?> observer) {
    Status status = failure;
    if (status != null) {
      observer.onError(status.asRuntimeException(trailers));
    }
    return status != null;
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
