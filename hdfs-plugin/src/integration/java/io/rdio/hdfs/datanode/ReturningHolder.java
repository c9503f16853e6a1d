// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.grpc.stub.StreamObserver;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.Recall;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.ReturnReply;
import io.rdio.core.wire.proto.ReturnRequest;

/** Gives back what is recalled from the test's client, as one does that reads no more. */
final class ReturningHolder implements StreamObserver<Recall> {
  private final MetadataPlaneGrpc.MetadataPlaneStub plane;
  private final long incarnation;

  private ReturningHolder(InJvmHdfs hdfs) {
    this.plane = hdfs.asyncPlane();
    this.incarnation = hdfs.plane().hello(HelloRequest.getDefaultInstance()).getIncarnation();
  }

  /** From now on. */
  static void start(InJvmHdfs hdfs) {
    ReturningHolder holder = new ReturningHolder(hdfs);
    holder.plane.recalls(RecallsRequest.newBuilder().setClientId(InJvmHdfs.CLIENT).build(), holder);
  }

  @Override
  public void onNext(Recall recall) {
    plane.return_(
        ReturnRequest.newBuilder()
            .setClientId(InJvmHdfs.CLIENT)
            .setIncarnation(incarnation)
            .addAllLeaseIds(recall.getLeaseIdsList())
            .build(),
        new StreamObserver<>() {
          @Override
          public void onNext(ReturnReply reply) {}

          @Override
          public void onError(Throwable error) {}

          @Override
          public void onCompleted() {}
        });
  }

  @Override
  public void onError(Throwable error) {}

  @Override
  public void onCompleted() {}
}
