// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolTranslatorPB;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hadoop's translator of ClientProtocol, which also makes up places for {@link UnlistedBlocks}. A
 * subclass, because Hadoop's retry handler looks for the translator's own interfaces.
 */
public class SupplyingTranslator extends ClientNamenodeProtocolTranslatorPB {
  private static final Logger LOG = LoggerFactory.getLogger(SupplyingTranslator.class);

  private final boolean supplies;

  /**
   * @param supplies whether it does, or leaves replies as they are
   */
  public SupplyingTranslator(ClientNamenodeProtocolPB proxy, boolean supplies) {
    super(proxy);
    this.supplies = supplies;
  }

  @Override
  public @Nullable LocatedBlocks getBlockLocations(String src, long offset, long length)
      throws IOException {
    LocatedBlocks reply = super.getBlockLocations(src, offset, length);
    received(reply);
    return reply;
  }

  @Override
  public @Nullable HdfsLocatedFileStatus getLocatedFileInfo(String src, boolean needBlockToken)
      throws IOException {
    HdfsLocatedFileStatus reply = super.getLocatedFileInfo(src, needBlockToken);
    if (reply != null) {
      received(reply.getLocatedBlocks());
    }
    return reply;
  }

  private void received(@Nullable LocatedBlocks blocks) {
    if (blocks == null) {
      return;
    }
    try {
      if (supplies) {
        UnlistedBlocks.supply(blocks);
      }
      seen(blocks);
    } catch (RuntimeException | LinkageError e) { // the latter on a Hadoop that lacks something
      // The application asked the NameNode, not us: it gets its answer whatever we make of it.
      LOG.warn("RDIO: block locations could not be looked at", e);
    }
  }

  /** Told of each reply; does nothing. */
  protected void seen(LocatedBlocks blocks) {}
}
