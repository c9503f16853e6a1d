// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.core.block.BlockKey;
import io.rdio.datanode.grant.GrantFaultInjector;
import org.apache.hadoop.util.ServicePlugin;

/**
 * Makes a real DataNode's {@link GrantFaultInjector} stop at {@link Steps}: to be named before
 * RDIO's own plugin in {@code dfs.datanode.plugins}.
 */
public final class StepsPlugin extends GrantFaultInjector implements ServicePlugin {
  /** The value of {@code dfs.datanode.plugins}. */
  static final String PLUGINS =
      StepsPlugin.class.getName() + ",io.rdio.hdfs.datanode.RdioDataNodePlugin";

  private final Steps steps = Steps.ofThisJvm();

  @Override
  public void start(Object service) {
    GrantFaultInjector.set(this);
  }

  @Override
  public void stop() {
    GrantFaultInjector.set(new GrantFaultInjector());
  }

  @Override
  public void close() {
    stop();
  }

  @Override
  public void beforeLink(BlockKey block) {
    steps.pass("beforeLink");
  }

  @Override
  public void afterLink(BlockKey block) {
    steps.pass("afterLink");
  }

  @Override
  public void afterSync(BlockKey block) {
    steps.pass("afterSync");
  }

  @Override
  public void afterRecheck(BlockKey block) {
    steps.pass("afterRecheck");
  }

  @Override
  public void beforeReply(String clientId) {
    steps.pass("beforeReply");
  }

  @Override
  public void beforeUnpin(BlockKey block) {
    steps.pass("beforeUnpin");
  }
}
