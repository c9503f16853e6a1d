// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.BlockDevice;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * The file maps that readers with a configuration get, and the local devices behind them. Closing
 * returns the leases, those of the readers too.
 */
final class BlockMaps implements AutoCloseable {
  private final Configuration conf;

  /**
   * @param conf that the file system was opened with
   */
  BlockMaps(Configuration conf) {
    this.conf = conf;
  }

  /** A map that a reader can use here. */
  record Usable(FileMap map, BlockDevice device) {}

  static BlockKey key(LocatedBlock located) {
    ExtendedBlock block = located.getBlock();
    return new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
  }

  /**
   * The map of a block and its device.
   *
   * @throws FallbackException with the reason why stock HDFS reads this block
   */
  Usable of(String file, LocatedBlock located) throws FallbackException, IOException {
    RdioClientContext context = RdioClientContext.get(conf);
    FallbackException unusable = context.unusable();
    if (unusable != null) {
      throw unusable;
    }
    if (located.isStriped()) {
      throw new FallbackException(
          FallbackReason.LOCATION_UNKNOWN,
          "a group of erasure-coded blocks; only each of its blocks has a map");
    }
    ByteArrayOutputStream token = new ByteArrayOutputStream();
    located.getBlockToken().write(new DataOutputStream(token));
    FileMap map =
        context
            .maps()
            .get(new BlockRequest(new TokenedBlock(key(located), token.toByteArray()), file));
    return new Usable(map, map.resolve(context.devices()));
  }

  @Override
  public void close() {
    RdioClientContext.get(conf).close();
  }
}
