// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.filemap.BlockRequest;
import io.rdio.client.filemap.FileMapSource;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.stock.StockReplicaReader;
import java.io.Closeable;
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
final class FirstBytes implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FirstBytes.class);

  private final FileMapSource maps;
  private final StockBlockSource source;
  private final StockReplicaReader.Opener opener;
  private final BlockRequest request;
  private final ClientCounters counters;
  private final long most;
  private final long length;

  // Where stock HDFS may read: [begin, end), once there is a reader.
  private long begin;
  private long end;
  private FileMapSource.Load load;
  private volatile @Nullable StockReplicaReader reader;

  /**
   * @param load of the map; {@link Detours#LATER} to begin it when the reader goes on
   * @param most bytes from where the first read begins
   * @param length where the block's reader stops, in bytes from the block's start
   */
  FirstBytes(
      FileMapSource maps,
      FileMapSource.Load load,
      StockBlockSource source,
      StockReplicaReader.Opener opener,
      BlockRequest request,
      ClientCounters counters,
      long most,
      long length) {
    this.maps = maps;
    this.load = load;
    this.source = source;
    this.opener = opener;
    this.request = request;
    this.counters = counters;
    this.most = most;
    this.length = length;
  }

  /**
   * Reads what it may of a buffer's remaining bytes.
   *
   * @return bytes read; 0 when the device is to be asked now, because the map is here (or will not
   *     come), these bytes are not among the first, or stock HDFS failed
   */
  synchronized int read(long offset, ByteBuffer target) {
    if (load == Detours.LATER && (reader != null || target.remaining() > most)) {
      load = maps.begin(request);
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
      stock.readFully(offset, target.duplicate().limit(target.position() + count));
    } catch (IOException e) {
      LOG.debug("RDIO: no first bytes of {} by stock HDFS", request.block(), e);
      end = begin;
      return 0;
    }
    target.position(target.position() + count);
    counters.stockBytes.add(count);
    return count;
  }

  private StockReplicaReader start(long offset) {
    begin = offset;
    end = Math.min(length, offset + most);
    StockReplicaReader stock = new StockReplicaReader(source, opener, request, end);
    reader = stock;
    FallbackReason reason =
        load == Detours.LATER ? FallbackReason.FIRST_READ : FallbackReason.MAP_LOADING;
    counters.fallback(reason);
    FallbackLog.SHARED.log(
        new FallbackException(reason, request.block() + " from " + offset), request.fileName());
    return stock;
  }

  /** As Hadoop counts it, to the DataNode that sends them. */
  int networkDistance() {
    StockReplicaReader stock = reader;
    return stock == null ? Integer.MAX_VALUE : stock.networkDistance();
  }

  /** Does not wait for a read under way. */
  @Override
  public void close() {
    StockReplicaReader stock = reader;
    if (stock != null) {
      stock.close();
    }
  }
}
