// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.block.BlockKey;
import java.nio.ByteBuffer;

/**
 * A tier over a file in memory, of which each chunk's bytes follow from its name. Its writer is the
 * test's thread, unless the tier is started.
 */
final class TierFixture {
  static final int CHUNK = 64 << 10;
  static final int OF_REGION = Region.BYTES / CHUNK;
  static final int REGIONS = 15;

  private static final ThreadLocal<ByteBuffer> OF_THREAD =
      ThreadLocal.withInitial(TierFixture::memory);

  final MemoryFlashFile file = new MemoryFlashFile(FlashTier.MIN_BYTES);
  final ClientCounters counters = new ClientCounters();
  final FlashTier tier = new FlashTier(file, CHUNK, 42, counters);

  /** One that is ready to take chunks. */
  TierFixture() {
    settle();
  }

  static BlockKey block(int id) {
    return new BlockKey("BP-1-127.0.0.1-1", id, 1000 + id);
  }

  static int length(int id, long chunk) {
    return chunk == 3 ? 1 + id % CHUNK : CHUNK; // the last one of a block is short
  }

  static ByteBuffer memory() {
    return ByteBuffer.allocateDirect(CHUNK + FlashFile.PAGE)
        .alignedSlice(FlashFile.PAGE)
        .slice(0, CHUNK);
  }

  private static long word(int id, long chunk, int at) {
    return (id * 31L + chunk) * 0x9E3779B97F4A7C15L + at * 0xBF58476D1CE4E5B9L;
  }

  static void fill(int id, long chunk, ByteBuffer to) {
    for (int at = 0; at < CHUNK; at += Long.BYTES) {
      to.putLong(at, word(id, chunk, at));
    }
  }

  /** Whether a buffer has the bytes of a chunk. */
  static boolean isRight(int id, long chunk, ByteBuffer got) {
    int length = length(id, chunk);
    for (int at = 0; at + Long.BYTES <= length; at += Long.BYTES) {
      if (got.getLong(at) != word(id, chunk, at)) {
        return false;
      }
    }
    return true;
  }

  /** Has the writer do all that it has to do. */
  void settle() {
    boolean more = true;
    while (more) {
      more = tier.turn();
    }
  }

  boolean offer(int id, long chunk) {
    ByteBuffer bytes = OF_THREAD.get();
    fill(id, chunk, bytes);
    BlockKey block = block(id);
    return tier.offer(block, chunk, length(id, chunk), bytes, tier.ticket(block));
  }

  /** Offers chunk 0 of blocks, the writer keeping up. */
  void offerAll(int fromId, int toId) {
    for (int id = fromId; id < toId; id++) {
      assertThat(offer(id, 0)).isTrue();
      settle();
    }
  }

  /** Whether a chunk is read; if so, its bytes are right. */
  boolean read(int id, long chunk) {
    ByteBuffer got = OF_THREAD.get();
    boolean here = tier.read(block(id), chunk, length(id, chunk), got);
    assertThat(!here || isRight(id, chunk, got)).as("block %s chunk %s", id, chunk).isTrue();
    return here;
  }
}
