// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.StreamObserver;
import io.rdio.exclusive.wire.EvictedBlocks;
import io.rdio.exclusive.wire.EvictionsReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A compute node's read or write, and the eviction of the same blocks that follows it. */
class ObservedRequestsTest {
  private static final int BLOCK = 4096;
  private static final List<StorageDevice> DEVICES =
      List.of(
          new StorageDevice(
              0, Path.of("/dev/loop0"), 7 << 20, 1 << 30, Path.of("/file"), 0, 0, "", "", ""));

  /** A completed request. */
  private record Request(boolean write, long first, int blocks) {}

  /** Hands out one request with each call, as if there were no room for more. */
  private static final class Ring implements IoObserver {
    final ArrayDeque<Request> completed = new ArrayDeque<>();
    boolean closed;

    @Override
    public int poll(int timeoutMillis, Listener listener) {
      assertThat(closed).isFalse();
      Request next = completed.poll();
      if (next == null) {
        return 0;
      }
      if (next.write()) {
        listener.written(0, next.first() * BLOCK, (long) next.blocks() * BLOCK);
      } else {
        listener.read(0, next.first() * BLOCK, (long) next.blocks() * BLOCK);
      }
      return 1;
    }

    @Override
    public long lost() {
      return 0;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** One that is always done at once. */
  private static final class Store implements SegmentStore {
    @Override
    public void fetch(int device, long firstBlock, int blocks) {}

    @Override
    public void admit(int device, long firstBlock, int blocks) {}

    @Override
    public void release(int device, long firstBlock, int blocks) {}

    @Override
    public void releaseWritten(int device, long firstBlock, int blocks) {}

    @Override
    public void releaseRead(int device, long firstBlock, int blocks) {}

    @Override
    public void settle(Unwanted unwanted) {}

    @Override
    public OptionalLong residentBytes() {
      return OptionalLong.empty();
    }

    @Override
    public void close() {}
  }

  private static final class Replies implements StreamObserver<EvictionsReply> {
    @Override
    public void onNext(EvictionsReply reply) {}

    @Override
    public void onError(Throwable error) {}

    @Override
    public void onCompleted() {}
  }

  private final Ring ring = new Ring();
  private final PrefCache cache =
      new PrefCache(
          listener ->
              new SegmentCache(
                  SegmentGeometry.PAPER,
                  1 << 20,
                  SegmentCache.DROP_AT,
                  SegmentPolicy.FIFO,
                  OnWrite.DROP,
                  listener),
          new Store(),
          new PrefetchQueue(100, 64));
  private final ObservedRequests requests =
      new ObservedRequests(
          ring,
          new IoObserver.Listener() {
            @Override
            public void read(int device, long offset, long bytes) {
              cache.wasRead(device, offset / BLOCK, (int) (bytes / BLOCK));
            }

            @Override
            public void written(int device, long offset, long bytes) {
              cache.wasWritten(device, offset / BLOCK, (int) (bytes / BLOCK));
            }
          });
  private final StreamObserver<EvictedBlocks> stream =
      new PrefCacheService(cache, SegmentGeometry.PAPER, DEVICES, this::catchUp)
          .evictions(new Replies());

  private void catchUp() {
    try {
      requests.catchUp();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void evict(long first, int blocks) {
    stream.onNext(EvictedBlocks.newBuilder().addStarts(first).addMoreBlocks(blocks - 1).build());
  }

  @Test
  void readThatIsSeenLateDoesNotPassForOneThatWantsTheBlocksBack() throws Exception {
    ring.completed.add(new Request(false, 16, 8));
    ring.completed.add(new Request(true, 24, 8));
    ring.completed.add(new Request(false, 32, 8));

    evict(16, 24);
    for (int i = 0; i < 3; i++) {
      // The observing thread, which did not get to it before.
      requests.poll(10);
    }

    assertThat(cache.counts().late()).isZero();
    assertThat(cache.counts().read()).isEqualTo(16);
    assertThat(cache.prefetchNext()).isEqualTo(24);
    assertThat(cache.counts().hits()).isZero();
  }

  @Test
  void readBehindTheEvictionDoesWantThemBack() throws Exception {
    evict(16, 16);
    assertThat(cache.prefetchNext()).isEqualTo(16);
    evict(32, 8);

    ring.completed.add(new Request(false, 16, 8));
    ring.completed.add(new Request(false, 32, 8));
    evict(100, 1);

    assertThat(cache.counts().hits()).isEqualTo(8);
    assertThat(cache.counts().late()).isEqualTo(8);
  }

  @Test
  void nothingIsAskedOfAnObserverThatIsClosed() throws Exception {
    requests.close();

    requests.poll(10);
    requests.catchUp();

    assertThat(ring.closed).isTrue();
  }
}
