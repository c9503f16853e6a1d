// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.datanode.EachWriteStep;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.util.ServicePlugin;
import org.jspecify.annotations.Nullable;

/**
 * Counts a real DataNode's steps of Allocate and Commit: to be named before RDIO's own plugin in
 * {@code dfs.datanode.plugins}.
 */
public final class SteppedDataNode extends EachWriteStep implements ServicePlugin {
  /** The value of {@code dfs.datanode.plugins}. */
  static final String PLUGINS =
      SteppedDataNode.class.getName() + ",io.rdio.hdfs.datanode.RdioDataNodePlugin";

  private volatile @Nullable CountedSteps steps;

  /** What {@link CountedSteps} calls a DataNode: also when it is started again. */
  static String process(HadoopDaemon dataNode) {
    return process(dataNode.httpAddress());
  }

  private static String process(String httpAddress) {
    return "datanode-" + httpAddress.substring(httpAddress.lastIndexOf(':') + 1);
  }

  @Override
  public void start(Object service) {
    String address =
        ((DataNode) service).getConf().get(DFSConfigKeys.DFS_DATANODE_HTTP_ADDRESS_KEY);
    try {
      steps = CountedSteps.ofThisJvm(process(address));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    WriteFaultInjector.set(this);
  }

  @Override
  public void stop() {
    WriteFaultInjector.set(new WriteFaultInjector());
  }

  @Override
  public void close() {
    stop();
  }

  @Override
  protected void at(String step) {
    Objects.requireNonNull(steps).pass(step);
  }
}
