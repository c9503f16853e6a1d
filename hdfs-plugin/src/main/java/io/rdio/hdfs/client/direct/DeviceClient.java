// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.DirectClient;
import io.rdio.hdfs.client.locate.RecordingTranslator;
import io.rdio.hdfs.client.namenode.UnlistedBlocks;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.way.BlockWays;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolTranslatorPB;

/** What the thin client finds of this package, by the name of this class. Thread-safe. */
public final class DeviceClient implements DirectClient {
  /** As it is found. */
  public DeviceClient() {}

  @Override
  public BlockWays ways(Configuration conf) throws FallbackException {
    return resources(conf).ways();
  }

  @Override
  public StockBlockSource stockBlocks(Configuration conf, String poolId) throws FallbackException {
    return resources(conf).stockBlocks(poolId);
  }

  private static ClientResources resources(Configuration conf) throws FallbackException {
    RdioClientContext context = RdioClientContext.get(conf);
    context.requireUsable();
    return context.resources();
  }

  @Override
  public ClientNamenodeProtocolTranslatorPB recording(
      Configuration conf, ClientNamenodeProtocolPB proxy, URI nameservice) {
    return new RecordingTranslator(
        proxy,
        UnlistedBlocks.areWanted(conf),
        nameservice,
        ClientSettings.useDataNodeHostname(conf));
  }
}
