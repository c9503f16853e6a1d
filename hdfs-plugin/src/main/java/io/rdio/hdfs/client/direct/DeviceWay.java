// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.plane.FileMap;
import io.rdio.client.read.ExtentReader;
import io.rdio.client.read.ReadContext;
import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.stock.StockVerdict;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWay;
import java.nio.ByteBuffer;

/** By the device that the block lies on, as this host sees it. */
final class DeviceWay implements BlockWay {
  private final ReadContext context;
  private final BlockToRead block;
  private final ExtentReader reader;

  private DeviceWay(ReadContext context, BlockToRead block, ExtentReader reader) {
    this.context = context;
    this.block = block;
    this.reader = reader;
  }

  /**
   * Waits for the block's map. With a warm one it costs a few map lookups.
   *
   * @throws FallbackException why stock HDFS must serve this block
   */
  static DeviceWay open(ReadContext context, BlockToRead block) throws FallbackException {
    return new DeviceWay(
        context,
        block,
        ExtentReader.open(context, block.request(), block.verifyChecksum(), block.length()));
  }

  /**
   * The same for reads that have nothing to do with each other.
   *
   * @throws FallbackException why stock HDFS must serve this block
   */
  static DeviceWay openPositional(ReadContext context, BlockToRead block) throws FallbackException {
    return new DeviceWay(
        context,
        block,
        ExtentReader.openPositional(
            context, block.request(), block.verifyChecksum(), block.length()));
  }

  ExtentReader reader() {
    return reader;
  }

  @Override
  public int read(long offset, byte[] target, int at, int count) throws FallbackException {
    reader.read(offset, target, at, count);
    askAboutSuspects(offset, count);
    return count;
  }

  @Override
  public int read(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    reader.read(offset, target, at, count);
    askAboutSuspects(offset, count);
    return count;
  }

  /**
   * The same by a way of {@link #openPositional}, where the block's map is here: 0 where it is not,
   * and would have to be waited for.
   */
  int readMapped(long offset, byte[] target, int at, int count) throws FallbackException {
    if (!reader.readMapped(offset, target, at, count)) {
      return 0;
    }
    askAboutSuspects(offset, count);
    return count;
  }

  /** The same to a buffer. */
  int readMapped(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    if (!reader.readMapped(offset, target, at, count)) {
      return 0;
    }
    askAboutSuspects(offset, count);
    return count;
  }

  /** After a read that another replica may have served. */
  void askAboutSuspects(long offset, int count) {
    FileMap suspect = reader.takeSuspect();
    while (suspect != null) {
      askAbout(context, block, suspect, offset, count);
      suspect = reader.takeSuspect();
    }
  }

  /** Has stock HDFS look at a replica of which a range was wrong. */
  static void askAbout(
      ReadContext context, BlockToRead block, FileMap suspect, long offset, int count) {
    long chunk = suspect.checksum().bytesPerChecksum();
    long from = offset - offset % chunk;
    // What was read ahead is suspect too.
    long to = Math.min(suspect.blockLength(), offset + count + context.windows().largestWindow());
    StockVerdict.ask(block.stock(), suspect.storageId(), suspect.device(), from, to);
  }

  @Override
  public boolean isByDevice() {
    return true;
  }

  /** 0, the distance of Hadoop's own short-circuit reader. */
  @Override
  public int networkDistance() {
    return 0;
  }

  @Override
  public void close() {
    reader.close();
  }
}
