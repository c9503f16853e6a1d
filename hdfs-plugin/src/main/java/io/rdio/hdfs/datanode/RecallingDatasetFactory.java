// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import java.io.IOException;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.classification.InterfaceStability;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetFactory;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.RecallingFsDataset;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HDFS's own dataset, which has leased blocks recalled before it appends to or truncates them:
 * {@code dfs.datanode.fsdataset.factory = io.rdio.hdfs.datanode.RecallingDatasetFactory}. Without
 * it such a block is copied under HDFS's lock, which is as safe, and slow. Where this Hadoop's
 * dataset is not one that we know, it is used as it is.
 */
@InterfaceAudience.Public
@InterfaceStability.Evolving
public final class RecallingDatasetFactory extends FsDatasetSpi.Factory<FsDatasetSpi<?>> {
  private static final Logger LOG = LoggerFactory.getLogger(RecallingDatasetFactory.class);

  /** As Hadoop calls it. */
  public RecallingDatasetFactory() {}

  @Override
  public FsDatasetSpi<?> newInstance(DataNode dataNode, DataStorage storage, Configuration conf)
      throws IOException {
    try {
      return new RecallingFsDataset(
          dataNode, storage, conf, block -> ChangeRecalls.before(dataNode, block));
    } catch (LinkageError e) {
      LOG.error(
          "Leased blocks are not recalled before they are changed: this Hadoop has another"
              + " FsDatasetImpl. Take {} out of the configuration.",
          "dfs.datanode.fsdataset.factory",
          e);
      return new FsDatasetFactory().newInstance(dataNode, storage, conf);
    }
  }
}
