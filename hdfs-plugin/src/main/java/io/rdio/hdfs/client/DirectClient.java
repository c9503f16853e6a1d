// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.way.BlockWays;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolTranslatorPB;

/**
 * The client that opens devices itself, as the thin client knows it. It is for Java 17 and has many
 * classes, the thin one is for Java 8 and has few: so it is found by its name ({@link
 * DirectClients}), and nothing of it is loaded before it is needed. Thread-safe.
 */
public interface DirectClient {
  /**
   * Its ways to blocks.
   *
   * @throws FallbackException why this configuration's reads cannot go to devices
   */
  BlockWays ways(Configuration conf) throws FallbackException;

  /**
   * Where stock reads find the blocks of a pool.
   *
   * @throws FallbackException as {@link #ways}
   */
  StockBlockSource stockBlocks(Configuration conf, String poolId) throws FallbackException;

  /** Hadoop's translator on a proxy, which also records the block locations that it sees. */
  ClientNamenodeProtocolTranslatorPB recording(
      Configuration conf, ClientNamenodeProtocolPB proxy, URI nameservice);
}
