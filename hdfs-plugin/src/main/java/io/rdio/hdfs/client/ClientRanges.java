// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import io.rdio.hdfs.client.vectored.RangeSource;
import io.rdio.hdfs.client.way.BlockWay;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of one stream's blocks by the thin client's ways. Thread-safe.
 *
 * <p>Whether its file is still being written the stream does not tell; a block that is, is refused
 * by whoever has its map.
 */
final class ClientRanges implements RangeSource {
  private final ClientStream stream;

  ClientRanges(ClientStream stream) {
    this.stream = stream;
  }

  @Override
  public boolean mayRead() {
    try {
      return stream.client().ways().mayHaveRanges();
    } catch (FallbackException e) {
      return false; // a read meets it again, and counts it
    } catch (RuntimeException | LinkageError e) {
      failed(e);
      return false;
    }
  }

  @Override
  public @Nullable RangeReads open(LocatedBlock located, long end, long wanted)
      throws FallbackException {
    ThinClient client = stream.client();
    return client.ways().openRanges(stream.block(client, located, end), wanted);
  }

  @Override
  public void readByDataNode(LocatedBlock located, long offset, ByteBuffer target, int count)
      throws FallbackException, IOException {
    ThinClient client = stream.client();
    try (BlockWay way = client.ways().stock(stream.block(client, located, offset + count))) {
      long start = System.nanoTime();
      way.read(offset, target, target.position(), count);
      stream.readByDataNode(count, way.networkDistance(), System.nanoTime() - start);
    }
  }

  @Override
  public void read(int bytes) {
    stream.read(bytes);
  }

  @Override
  public void together(int ranges) {
    JvmCounters.READS.vectoredRanges.add(ranges);
    JvmCounters.READS.vectoredTogether.accumulate(ranges);
  }

  @Override
  public void failed(Throwable accident) {
    stream.failed(accident);
  }
}
