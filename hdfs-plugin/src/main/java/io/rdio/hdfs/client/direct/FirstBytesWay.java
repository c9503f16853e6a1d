// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.read.ReadContext;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.stock.StockReplicaReader;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BufferWay;
import io.rdio.hdfs.client.way.FallbackLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A block's first reads by stock HDFS, before its map is here. A grant takes a DataNode longer than
 * sending the first bytes does, since it makes pins durable before it answers; readers of a block
 * never opened before, and those that want no more of it, would notice nothing of RDIO but that.
 *
 * <p>Safe for any number of threads, one at a time.
 */
final class FirstBytesWay extends BufferWay {
  private static final Logger LOG = LoggerFactory.getLogger(FirstBytesWay.class);

  private final ReadContext context;
  private final BlockToRead block;
  private final long most;

  // Where stock HDFS may read: [begin, end), once there is a reader.
  private long begin;
  private long end;
  private FileMapSource.Load load;
  private volatile @Nullable StockReplicaReader reader;

  /**
   * @param load of the map; {@link Detours#LATER} to begin it when the reader goes on
   * @param most bytes from where the first read begins
   */
  private FirstBytesWay(
      ReadContext context, BlockToRead block, FileMapSource.Load load, long most) {
    this.context = context;
    this.block = block;
    this.load = load;
    this.most = most;
  }

  /**
   * Waits for nothing but what {@link Detours#begin} waits for.
   *
   * @return null where the map is here, or is to be waited for
   * @throws FallbackException FIRST_READ or MAP_LOADING where stock HDFS is to read all of it
   */
  static @Nullable FirstBytesWay open(ReadContext context, Detours detours, BlockToRead block)
      throws FallbackException {
    FileMapSource.Load load = detours.begin(context.maps(), block.request(), block.length());
    return load.isDone() ? null : new FirstBytesWay(context, block, load, detours.firstBytes());
  }

  /**
   * Reads what it may.
   *
   * @return bytes read; 0 when the device is to be asked now, because the map is here (or will not
   *     come), these bytes are not among the first, or stock HDFS failed
   */
  @Override
  protected synchronized int read(long offset, ByteBuffer target) {
    if (load == Detours.LATER && (reader != null || target.remaining() > most)) {
      load = context.maps().begin(block.request());
    }
    if (load.isDone()) {
      return 0;
    }
    StockReplicaReader stock = reader == null ? start(offset) : reader;
    if (offset < begin || offset >= end) {
      return 0;
    }
    int count = (int) Math.min(target.remaining(), end - offset);
    try {
      stock.readFully(offset, target.limit(target.position() + count));
    } catch (IOException e) {
      LOG.debug("RDIO: no first bytes of {} by stock HDFS", block.request().block(), e);
      end = begin;
      return 0;
    }
    context.counters().stockBytes.add(count);
    return count;
  }

  private StockReplicaReader start(long offset) {
    begin = offset;
    end = Math.min(block.length(), offset + most);
    StockReplicaReader stock = new StockReplicaReader(block.stock(), end);
    reader = stock;
    FallbackReason reason =
        load == Detours.LATER ? FallbackReason.FIRST_READ : FallbackReason.MAP_LOADING;
    context.counters().fallback(reason);
    FallbackLog.SHARED.log(
        new FallbackException(reason, block.request().block() + " from " + offset),
        block.request().fileName());
    return stock;
  }

  @Override
  public boolean isByDevice() {
    return false;
  }

  @Override
  public int networkDistance() {
    StockReplicaReader stock = reader;
    return stock == null ? Integer.MAX_VALUE : stock.networkDistance();
  }

  @Override
  public void close() {
    StockReplicaReader stock = reader;
    if (stock != null) {
      stock.close();
    }
  }
}
