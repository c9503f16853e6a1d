// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.positional.PositionalSource;
import io.rdio.hdfs.client.way.BlockWay;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * One stream's blocks by position, by the thin client's ways. Thread-safe.
 *
 * <p>There is no way to a block that is still being written: nobody has its map.
 */
final class ClientPositions implements PositionalSource {
  private final ClientStream stream;
  private final BooleanSupplier open;

  /**
   * @param open whether the stream's file system is
   */
  ClientPositions(ClientStream stream, BooleanSupplier open) {
    this.stream = stream;
    this.open = open;
  }

  @Override
  public boolean isOpen() {
    return open.getAsBoolean();
  }

  @Override
  public boolean mayRead() {
    try {
      stream.client();
      return true;
    } catch (FallbackException e) {
      return false; // Hadoop's own read meets it again, and counts it
    }
  }

  @Override
  public @Nullable BlockWay open(LocatedBlock located) throws FallbackException {
    ThinClient client = stream.client();
    return client.ways().openPositional(stream.block(client, located, located.getBlockSize()));
  }

  @Override
  public void read(int bytes) {
    stream.read(bytes);
    JvmCounters.READS.positionalReads.increment();
  }

  @Override
  public void read(int bytes, BlockWay by, long nanos) {
    if (by.isByDevice()) {
      read(bytes);
    } else {
      stream.readByDataNode(bytes, by.networkDistance(), nanos);
    }
  }

  @Override
  public void failed(Throwable accident) {
    stream.failed(accident);
  }
}
