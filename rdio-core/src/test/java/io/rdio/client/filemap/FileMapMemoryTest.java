// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.client.plane.ChunkCrcs;
import io.rdio.client.plane.FileMap;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.proto.Extents;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.Witness;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

/** What a cached block takes of the heap, all objects counted, against what the cache says. */
class FileMapMemoryTest {
  private static final int BLOCKS = 2000;
  private static final int MAX_BLOCK_BYTES = 344;

  private final FileMapCacheFixture fixture = new FileMapCacheFixture(1L << 30, 0);
  private long next;
  private long counts;

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aBlockOfFourExtentsTakesAtMost344BytesAndTheCacheCountsWhatBlocksTake() throws Exception {
    load(BLOCKS, 4, 0); // so that tables are as full before as behind
    Measured last = measure(heap(), 4, 0);
    assertThat(last.each).isLessThanOrEqualTo(MAX_BLOCK_BYTES);
    for (int extents : new int[] {1, 40}) {
      last = measure(last.heap, extents, 0);
    }
    for (int crcBytes : new int[] {32, ChunkCrcs.PAGE_BYTES}) {
      last = measure(last.heap, 1, crcBytes);
    }
  }

  /** What the cache holds on to, and what each of the last blocks takes of it. */
  private record Measured(GraphLayout heap, long each) {}

  /**
   * Asserts that the cache counts what one more block takes.
   *
   * @param before in no field: it would be found in the heap
   */
  private Measured measure(GraphLayout before, int extents, int crcBytes) throws Exception {
    long counted = fixture.cache.weightedBytes();
    load(BLOCKS, extents, crcBytes);
    GraphLayout after = heap();
    long heapEach = growth(before, after) / BLOCKS;
    long countedEach = (fixture.cache.weightedBytes() - counted) / BLOCKS;
    assertThat(countedEach)
        .as("counted for a block of %s extents and %s CRC bytes", extents, crcBytes)
        .isCloseTo(heapEach, within(heapEach / 10));
    return new Measured(after, heapEach);
  }

  /**
   * Objects of which there is one for each block, and tables. Beside them class loaders, threads
   * and all else that can be reached from a channel come and go.
   */
  private static long growth(GraphLayout before, GraphLayout after) {
    long bytes = 0;
    for (Class<?> type : after.getClasses()) {
      long more = after.getClassCounts().count(type) - before.getClassCounts().count(type);
      if (more > BLOCKS / 2 || type == Object[].class) {
        bytes += after.getClassSizes().count(type) - before.getClassSizes().count(type);
      }
    }
    return bytes;
  }

  private void load(int count, int extents, int crcBytes) throws Exception {
    fixture.dataNode("a").garble = reply -> withExtents(reply, extents);
    for (int i = 0; i < count; i++) {
      next++;
      fixture.file(List.of(next), "a");
      // As HDFS does: each request has strings of its own.
      BlockKey key = new BlockKey(new String("BP-1"), next, 1001);
      FileMap map = fixture.cache.get(new BlockRequest(new TokenedBlock(key), "/file" + next));
      if (crcBytes > 0) {
        fixture.cache.keepCrcs(map, 0, 1, ByteBuffer.allocate(crcBytes), 0, crcBytes);
      }
    }
  }

  /** Every map has a witness of its own, as those have whose blocks were pinned one by one. */
  private GrantReply withExtents(GrantReply reply, int count) {
    counts++;
    GrantReply.Builder changed = reply.toBuilder();
    Extents.Builder extents = Extents.newBuilder();
    for (long i = 0; i < count; i++) {
      extents.addPhysical(i << 21).addLength(1 << 20);
    }
    changed
        .getBlocksBuilder(0)
        .getFileMapBuilder()
        .setBlockLength((long) count << 20)
        .setBlockExtents(extents)
        .setMetaLength(7 + count * 8192L)
        .setMetaExtents(Extents.newBuilder().addPhysical(1L << 39).addLength(1 << 20))
        .setWitness(Witness.newBuilder().setOffset(8192).setNonce(7).setCount(counts));
    return changed.build();
  }

  /** All that the cache holds on to, less what only the test has put there. */
  private GraphLayout heap() {
    fixture.locations.known.clear();
    fixture.dataNode("a").grants.clear();
    return GraphLayout.parseInstance(fixture.cache);
  }
}
