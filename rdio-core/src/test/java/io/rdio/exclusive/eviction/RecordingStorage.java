// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.rdio.exclusive.wire.CachedDevice;
import io.rdio.exclusive.wire.DevicesReply;
import io.rdio.exclusive.wire.DevicesRequest;
import io.rdio.exclusive.wire.EvictedBlocks;
import io.rdio.exclusive.wire.EvictionsReply;
import io.rdio.exclusive.wire.PrefCacheGrpc;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A storage node's agent that keeps what it is told. */
final class RecordingStorage extends PrefCacheGrpc.PrefCacheImplBase {
  private final List<CachedDevice> devices;
  private final Consumer<BitSet> check;
  private final List<EvictedBlocks> batches = new CopyOnWriteArrayList<>();
  private final List<StreamObserver<EvictionsReply>> streams = new CopyOnWriteArrayList<>();

  RecordingStorage(CachedDevice... devices) {
    this(blocks -> {}, devices);
  }

  /**
   * @param check is told each batch's blocks, when it comes
   */
  RecordingStorage(Consumer<BitSet> check, CachedDevice... devices) {
    this.devices = List.of(devices);
    this.check = check;
  }

  static CachedDevice.Builder device(int number) {
    return CachedDevice.newBuilder()
        .setDevice(number)
        .setBlockBytes(4096)
        .setSegmentBytes(32768)
        .setBlocks(1 << 20);
  }

  @Override
  public void devices(DevicesRequest request, StreamObserver<DevicesReply> reply) {
    reply.onNext(DevicesReply.newBuilder().addAllDevices(devices).build());
    reply.onCompleted();
  }

  @Override
  public StreamObserver<EvictedBlocks> evictions(StreamObserver<EvictionsReply> reply) {
    streams.add(reply);
    return new StreamObserver<>() {
      @Override
      public void onNext(EvictedBlocks batch) {
        check.accept(blocks(batch));
        batches.add(batch);
      }

      @Override
      public void onError(Throwable error) {}

      @Override
      public void onCompleted() {
        reply.onNext(EvictionsReply.getDefaultInstance());
        reply.onCompleted();
      }
    };
  }

  /** Ends the streams that are open. */
  void breakStreams() {
    for (StreamObserver<EvictionsReply> stream : streams) {
      stream.onError(Status.UNAVAILABLE.asRuntimeException());
    }
    streams.clear();
  }

  /** All blocks that were told of a device. */
  BitSet blocksOf(int device) {
    BitSet all = new BitSet();
    batches.stream()
        .filter(b -> b.getDevice() == device)
        .map(RecordingStorage::blocks)
        .forEach(all::or);
    return all;
  }

  /** As the wire's definition says. */
  static BitSet blocks(EvictedBlocks batch) {
    BitSet blocks = new BitSet();
    long at = 0;
    for (int i = 0; i < batch.getStartsCount(); i++) {
      long first = at + batch.getStarts(i);
      at = first + (batch.getMoreBlocksCount() == 0 ? 8 : 1 + batch.getMoreBlocks(i));
      blocks.set(Math.toIntExact(first), Math.toIntExact(at));
    }
    return blocks;
  }
}
