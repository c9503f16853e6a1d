// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Places at which tests stop, delay or break the protocol. Each method is named after the step that
 * it stands before or behind, and does nothing here. A test sets its own subclass and resets it
 * with {@code set(new GrantFaultInjector())}.
 */
public class GrantFaultInjector {
  private static final AtomicReference<GrantFaultInjector> CURRENT =
      new AtomicReference<>(new GrantFaultInjector());

  public static GrantFaultInjector get() {
    return Objects.requireNonNull(CURRENT.get());
  }

  public static void set(GrantFaultInjector injector) {
    CURRENT.set(injector);
  }

  /** The replica was found; its files are not linked yet. */
  public void beforeLink(BlockKey block) {}

  /** Both files are linked; nothing is durable yet. */
  public void afterLink(BlockKey block) {}

  /** Both files are linked and about to be made durable. */
  public void beforeSync(BlockKey block) {}

  /** The files of a batch are durable; their links on this volume are not yet. */
  public void beforeSeal(Path volumeRoot) {}

  /** Files and links are durable; the replica is not re-checked yet. */
  public void afterSync(BlockKey block) {}

  /** The replica was re-checked; its extents are not known yet. */
  public void afterRecheck(BlockKey block) {}

  /** All is known of the pin; nobody else knows of it yet. */
  public void beforeInsert(BlockKey block) {}

  /** The pin has its first lease; the request is not told yet. */
  public void afterInsert(BlockKey block) {}

  /** Every block of the request is answered; the client does not know yet. */
  public void beforeReply(String clientId) {}

  /** No lease is left; the links are still there. */
  public void beforeUnpin(BlockKey block) {}
}
