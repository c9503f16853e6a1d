// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.rdio.exclusive.wire.CachedDevice;
import io.rdio.exclusive.wire.DevicesReply;
import io.rdio.exclusive.wire.DevicesRequest;
import io.rdio.exclusive.wire.EvictedBlocks;
import io.rdio.exclusive.wire.EvictionsReply;
import io.rdio.exclusive.wire.PrefCacheGrpc;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * What compute nodes may say. A stream's next batch is read from the network only when the one
 * before it has been dealt with, so a stream holds one batch of memory and one thread at most.
 */
final class PrefCacheService extends PrefCacheGrpc.PrefCacheImplBase {
  /** Compute nodes that may be connected. */
  static final int MAX_STREAMS = 256;

  private final PrefCache cache;
  private final SegmentGeometry geometry;
  private final List<StorageDevice> devices;
  private final DescriptorCheck check;
  private final Runnable catchUp;
  private final AtomicInteger streams = new AtomicInteger();
  private final LongAdder refusedBatches = new LongAdder();

  /**
   * @param catchUp has the cache told of all requests that were completed until now
   */
  PrefCacheService(
      PrefCache cache, SegmentGeometry geometry, List<StorageDevice> devices, Runnable catchUp) {
    this.cache = cache;
    this.catchUp = catchUp;
    this.geometry = geometry;
    this.devices = List.copyOf(devices);
    this.check = new DescriptorCheck(geometry, devices);
  }

  @Override
  public void devices(DevicesRequest request, StreamObserver<DevicesReply> to) {
    DevicesReply.Builder reply = DevicesReply.newBuilder();
    for (StorageDevice device : devices) {
      reply.addDevices(
          CachedDevice.newBuilder()
              .setDevice(device.number())
              .setNamespaceUuid(device.namespaceUuid())
              .setWwid(device.wwid())
              .setFsUuid(device.fsUuid())
              .setBlockBytes(geometry.blockBytes())
              .setSegmentBytes(geometry.segmentBytes())
              .setBlocks(check.blocks(device)));
    }
    to.onNext(reply.build());
    to.onCompleted();
  }

  @Override
  public StreamObserver<EvictedBlocks> evictions(StreamObserver<EvictionsReply> to) {
    if (streams.incrementAndGet() > MAX_STREAMS) {
      streams.decrementAndGet();
      to.onError(
          Status.RESOURCE_EXHAUSTED
              .withDescription(MAX_STREAMS + " compute nodes are connected; no more are served")
              .asRuntimeException());
      return new Stream(to, false);
    }
    return new Stream(to, true);
  }

  /** Counts a batch that is no message at all, which never came here. */
  void refusedUnread() {
    refusedBatches.increment();
  }

  /** Batches that made no sense. */
  long refusedBatches() {
    return refusedBatches.sum();
  }

  /** Compute nodes that are connected. */
  int streams() {
    return streams.get();
  }

  /** Of one compute node; gRPC calls it from one thread at a time. */
  private final class Stream implements StreamObserver<EvictedBlocks> {
    private final StreamObserver<EvictionsReply> to;
    private boolean open;
    private long blocks;
    private long admitted;

    Stream(StreamObserver<EvictionsReply> to, boolean open) {
      this.to = to;
      this.open = open;
    }

    @Override
    public void onNext(EvictedBlocks batch) {
      if (!open) {
        return;
      }
      try {
        blocks += check.forEach(batch, (first, count) -> {});
      } catch (IllegalArgumentException e) {
        refusedBatches.increment();
        end();
        to.onError(Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asRuntimeException());
        return;
      }
      catchUp.run();
      check.forEach(
          batch, (first, count) -> admitted += cache.evicted(batch.getDevice(), first, count));
    }

    @Override
    public void onError(Throwable gone) {
      end();
    }

    @Override
    public void onCompleted() {
      if (open) {
        end();
        to.onNext(EvictionsReply.newBuilder().setBlocks(blocks).setAdmitted(admitted).build());
        to.onCompleted();
      }
    }

    private void end() {
      if (open) {
        open = false;
        streams.decrementAndGet();
      }
    }
  }
}
