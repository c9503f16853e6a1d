// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolTranslatorPB;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hadoop's translator of ClientProtocol, which also keeps the block locations that pass through it.
 * A subclass, because Hadoop's retry handler looks for the translator's own interfaces.
 */
public final class RecordingTranslator extends ClientNamenodeProtocolTranslatorPB {
  private static final Logger LOG = LoggerFactory.getLogger(RecordingTranslator.class);

  private final URI nameservice;
  private final boolean useHostname;

  public RecordingTranslator(ClientNamenodeProtocolPB proxy, URI nameservice, boolean useHostname) {
    super(proxy);
    this.nameservice = nameservice;
    this.useHostname = useHostname;
  }

  @Override
  public @Nullable LocatedBlocks getBlockLocations(String src, long offset, long length)
      throws IOException {
    LocatedBlocks reply = super.getBlockLocations(src, offset, length);
    record(reply);
    return reply;
  }

  @Override
  public @Nullable HdfsLocatedFileStatus getLocatedFileInfo(String src, boolean needBlockToken)
      throws IOException {
    HdfsLocatedFileStatus reply = super.getLocatedFileInfo(src, needBlockToken);
    if (reply != null) {
      record(reply.getLocatedBlocks());
    }
    return reply;
  }

  private void record(@Nullable LocatedBlocks blocks) {
    if (blocks == null || blocks.isUnderConstruction()) {
      return;
    }
    try {
      RecordedLocator.record(nameservice, blocks, useHostname);
    } catch (RuntimeException e) {
      // The application asked the NameNode, not us: it gets its answer whatever we make of it.
      LOG.warn("RDIO: block locations could not be recorded", e);
    }
  }
}
