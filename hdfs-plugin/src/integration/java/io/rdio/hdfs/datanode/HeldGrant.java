// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.block.BlockKey;
import io.rdio.datanode.grant.GrantFaultInjector;

/** Holds grants at a step, in a DataNode of this JVM. */
final class HeldGrant extends GrantFaultInjector {
  private final String step;
  private final Hold hold = new Hold();

  private HeldGrant(String step) {
    this.step = step;
  }

  /** The next grant stops at this step, unless {@link #none} comes first. */
  static Hold at(String step) {
    HeldGrant held = new HeldGrant(step);
    GrantFaultInjector.set(held);
    return held.hold;
  }

  /** Grants go on as they do without tests. */
  static void none() {
    GrantFaultInjector.set(new GrantFaultInjector());
  }

  private void pass(String now) {
    if (now.equals(step)) {
      hold.pass();
    }
  }

  @Override
  public void beforeLink(BlockKey block) {
    pass("beforeLink");
  }

  @Override
  public void afterLink(BlockKey block) {
    pass("afterLink");
  }

  @Override
  public void afterSync(BlockKey block) {
    pass("afterSync");
  }

  @Override
  public void afterRecheck(BlockKey block) {
    pass("afterRecheck");
  }

  @Override
  public void beforeReply(String clientId) {
    pass("beforeReply");
  }
}
