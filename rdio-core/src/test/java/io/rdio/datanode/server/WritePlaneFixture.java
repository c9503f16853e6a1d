// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static io.rdio.core.testing.Patience.await;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.wire.CommitAsk;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.wire.proto.CommitPart;
import io.rdio.core.wire.proto.CommitReply;
import io.rdio.core.wire.proto.WritePlaneGrpc;
import io.rdio.datanode.allocate.FakeWriteRoom;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;

/** A write plane without a network, in front of a room that does as it is told. */
final class WritePlaneFixture implements AutoCloseable {
  static final String CLIENT = "client";
  static final BlockKey BLOCK = FakeHdfs.block(1);
  static final int ALLOCATIONS_MAX = 2;

  final FakeWriteRoom room = new FakeWriteRoom(3);
  final ManualTimer timer = new ManualTimer();
  final AtomicInteger cancelled = new AtomicInteger();
  final WritePlaneService service;
  final ManagedChannel channel;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final Server server;

  WritePlaneFixture(Path root) throws IOException {
    room.tokensOn = false;
    GrantFixture dataNode = new GrantFixture(root);
    service =
        new WritePlaneService(
            room,
            dataNode.service,
            new ServerSessions(dataNode.service),
            timer,
            ALLOCATIONS_MAX,
            ProtocolRange.SUPPORTED);
    String name = root.toString();
    server =
        InProcessServerBuilder.forName(name)
            .executor(threads)
            .intercept(new Cancellations())
            .addService(ServerGarbageCheck.guard(service))
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).build();
  }

  /** Counts the calls that the server knows to be given up. */
  private final class Cancellations implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
        @Override
        public void onCancel() {
          super.onCancel();
          cancelled.incrementAndGet();
        }
      };
    }
  }

  static ConditionFactory soon() {
    return await();
  }

  WritePlaneGrpc.WritePlaneBlockingStub stub() {
    return WritePlaneGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
  }

  static AllocateRequest.Builder asking(BlockKey block) {
    SlotAsk ask = new SlotAsk(block, "DS-1", 1 << 20, ChecksumSpec.Type.CRC32C, 512, 0);
    return WriteCodec.encode(ask).setProtocolVersion(ProtocolVersion.WRITES).setClientId(CLIENT);
  }

  /** Lends a slot for a block, and gives the lease's id. */
  long lend(BlockKey block) {
    return stub().allocate(asking(block).build()).getGrant().getLeaseId();
  }

  CommitHead.Builder head(BlockKey block, long lease, long length) {
    return WriteCodec.encode(new CommitAsk(room.incarnation(), lease, block, length))
        .setClientId(CLIENT);
  }

  static CommitPart part(CommitHead.Builder head) {
    return CommitPart.newBuilder().setHead(head).build();
  }

  static CommitPart part(int bytes) {
    return CommitPart.newBuilder().setChecksums(ByteString.copyFrom(new byte[bytes])).build();
  }

  /** A commit of a test, with what became of it. */
  static final class Upload implements ClientResponseObserver<CommitPart, CommitReply> {
    final CompletableFuture<CommitReply> reply = new CompletableFuture<>();
    ClientCallStreamObserver<CommitPart> parts;

    @Override
    public void beforeStart(ClientCallStreamObserver<CommitPart> stream) {
      parts = stream;
    }

    @Override
    public void onNext(CommitReply answer) {
      reply.complete(answer);
    }

    @Override
    public void onError(Throwable error) {
      reply.completeExceptionally(error);
    }

    @Override
    public void onCompleted() {
      reply.completeExceptionally(new IllegalStateException("no answer"));
    }
  }

  Upload upload(CommitPart... parts) {
    Upload upload = new Upload();
    WritePlaneGrpc.newStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS).commit(upload);
    for (CommitPart part : parts) {
      upload.parts.onNext(part);
    }
    return upload;
  }

  /** Sends all of a commit; the answer comes. */
  Upload commit(CommitPart... parts) {
    Upload upload = upload(parts);
    upload.parts.onCompleted();
    return upload;
  }

  /** Sends bytes as a part and ends the call. */
  void garbage(ClientCall.Listener<byte[]> listener, byte[] bytes) {
    ClientCall<byte[], byte[]> call =
        channel.newCall(
            RawBytes.method(WritePlaneGrpc.getCommitMethod(), MethodType.CLIENT_STREAMING),
            CallOptions.DEFAULT);
    call.start(listener, new Metadata());
    call.request(1);
    call.sendMessage(bytes);
    call.halfClose();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
    threads.shutdownNow();
  }
}
