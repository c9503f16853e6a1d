// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.datanode.server.RawBytes;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A DataNode of an older version: reads each request as it would have, demands that it is what it
 * was sent then, and answers with the bytes that it sent.
 */
final class RecordedDataNode {
  private final RecordedMessages recorded;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile StreamObserver<byte[]> recalls;

  RecordedDataNode(RecordedMessages recorded) {
    this.recorded = recorded;
  }

  /** Names of the requests that came, in their order. */
  List<String> requests() {
    return requests;
  }

  /** Asks for the lease that was granted. */
  void recall() {
    recalls.onNext(recorded.bytes("recalls.reply"));
  }

  ServerServiceDefinition service() {
    ServerServiceDefinition.Builder service =
        ServerServiceDefinition.builder(MetadataPlaneGrpc.SERVICE_NAME);
    service.addMethod(
        unary(MetadataPlaneGrpc.getHelloMethod()),
        // It never looked at what a client says of itself here.
        ServerCalls.asyncUnaryCall((request, observer) -> answer("hello", observer)));
    add(service, MetadataPlaneGrpc.getGrantMethod(), "grant");
    add(service, MetadataPlaneGrpc.getRenewMethod(), "renew");
    add(service, MetadataPlaneGrpc.getReturnMethod(), "return");
    service.addMethod(
        RawBytes.method(
            MetadataPlaneGrpc.getRecallsMethod(), MethodDescriptor.MethodType.SERVER_STREAMING),
        ServerCalls.asyncServerStreamingCall(
            (request, observer) -> {
              demand("recalls", request);
              requests.add("recalls");
              recalls = observer;
            }));
    return service.build();
  }

  private static MethodDescriptor<byte[], byte[]> unary(MethodDescriptor<?, ?> method) {
    return RawBytes.method(method, MethodDescriptor.MethodType.UNARY);
  }

  private void add(
      ServerServiceDefinition.Builder service, MethodDescriptor<?, ?> method, String name) {
    service.addMethod(
        unary(method),
        ServerCalls.asyncUnaryCall(
            (request, observer) -> {
              demand(name, request);
              answer(name, observer);
            }));
  }

  private void demand(String name, byte[] request) {
    try {
      assertThat(recorded.text(name + ".request", request))
          .as(name)
          .isEqualTo(recorded.text(name + ".request", recorded.bytes(name + ".request")));
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answer(String name, StreamObserver<byte[]> observer) {
    requests.add(name);
    observer.onNext(recorded.bytes(name + ".reply"));
    observer.onCompleted();
  }
}
