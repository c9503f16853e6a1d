// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import io.rdio.hdfs.client.namenode.SupplyingTranslator;
import java.net.URI;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;

/** A translator that also keeps the block locations that pass through it. */
public final class RecordingTranslator extends SupplyingTranslator {
  private final URI nameservice;
  private final boolean useHostname;

  /**
   * @param supplies as {@link SupplyingTranslator}
   */
  public RecordingTranslator(
      ClientNamenodeProtocolPB proxy, boolean supplies, URI nameservice, boolean useHostname) {
    super(proxy, supplies);
    this.nameservice = nameservice;
    this.useHostname = useHostname;
  }

  @Override
  protected void seen(LocatedBlocks blocks) {
    if (!blocks.isUnderConstruction()) {
      RecordedLocator.record(nameservice, blocks, useHostname);
    }
  }
}
