// SPDX-License-Identifier: Apache-2.0
package io.rdio.upstream;

import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.util.ServicePlugin;

/**
 * Has the agent know the NameNode of each DataNode: a file may be written before one is read, and
 * then nobody else tells it.
 */
public final class Introduction implements ServicePlugin {
  public Introduction() {}

  @Override
  public void start(Object dataNode) {
    Agents.know(((DataNode) dataNode).getConf());
  }

  @Override
  public void stop() {}

  @Override
  public void close() {}
}
