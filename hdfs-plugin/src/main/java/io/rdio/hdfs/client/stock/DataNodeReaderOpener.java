// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.client.impl.BlockReaderFactory;
import org.apache.hadoop.hdfs.client.impl.DfsClientConf;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.net.NetUtils;

/** Opens stock block readers the way DFSInputStream does, but never one of a replica accessor. */
final class DataNodeReaderOpener implements StockReplicaReader.Opener {
  private final StockBlockSource source;
  private final String fileName;
  private final boolean verifyChecksum;

  DataNodeReaderOpener(StockBlockSource source, String fileName, boolean verifyChecksum) {
    this.source = source;
    this.fileName = fileName;
    this.verifyChecksum = verifyChecksum;
  }

  @Override
  public BlockReader open(LocatedBlock block, int replica, long offset, long length)
      throws IOException {
    DFSClient client = source.client();
    DfsClientConf conf = client.getConf();
    if (!conf.getReplicaAccessorBuilderClasses().isEmpty()) {
      throw new IOException(
          "the client for stock reads would build replica accessors itself: "
              + conf.getReplicaAccessorBuilderClasses());
    }
    DatanodeInfo dataNode = block.getLocations()[replica];
    StorageType[] storageTypes = block.getStorageTypes();
    InetSocketAddress address =
        NetUtils.createSocketAddr(dataNode.getXferAddr(conf.isConnectToDnViaHostname()));
    BlockReaderFactory factory =
        new BlockReaderFactory(conf)
            .setInetSocketAddress(address)
            .setRemotePeerFactory(client)
            .setDatanodeInfo(dataNode)
            .setStorageType(
                storageTypes != null && replica < storageTypes.length
                    ? storageTypes[replica]
                    : null)
            .setFileName(fileName)
            .setBlock(block.getBlock())
            .setBlockToken(block.getBlockToken())
            .setStartOffset(offset)
            .setLength(length)
            .setVerifyChecksum(verifyChecksum)
            .setClientName(client.getClientName())
            .setCachingStrategy(client.getDefaultReadCachingStrategy())
            .setAllowShortCircuitLocalReads(false)
            .setClientCacheContext(client.getClientContext())
            .setConfiguration(source.configuration());
    try {
      return factory.build();
    } catch (UnresolvedAddressException e) {
      throw new IOException("the address of DataNode " + dataNode + " cannot be resolved", e);
    }
  }

  @Override
  public void forgetEncryptionKey() throws IOException {
    source.client().clearDataEncryptionKey();
  }
}
