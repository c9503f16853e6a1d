// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.fault.Steps;
import org.apache.hadoop.util.ServicePlugin;

/**
 * Makes a real DataNode's {@link WriteFaultInjector} stop at {@link Steps}: to be named before
 * RDIO's own plugin in {@code dfs.datanode.plugins}.
 */
public final class WriteStepsPlugin extends EachWriteStep implements ServicePlugin {
  /** The value of {@code dfs.datanode.plugins}. */
  static final String PLUGINS =
      WriteStepsPlugin.class.getName() + "," + RdioDataNodePlugin.class.getName();

  private final Steps steps = Steps.ofThisJvm();

  @Override
  public void start(Object service) {
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
    steps.pass(step);
  }
}
