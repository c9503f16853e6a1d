// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import java.nio.ByteBuffer;

/**
 * Where tests step into a read. The methods of this class do nothing; a test puts a subclass in its
 * place with {@link #set} and takes it away again with {@link #reset}.
 */
public class RdioClientFaultInjector {
  private static volatile RdioClientFaultInjector instance = new RdioClientFaultInjector();

  protected RdioClientFaultInjector() {}

  public static RdioClientFaultInjector get() {
    return instance;
  }

  public static void set(RdioClientFaultInjector injector) {
    instance = injector;
  }

  /** Puts the one that does nothing back. */
  public static void reset() {
    instance = new RdioClientFaultInjector();
  }

  /** Before each device read; the lease was valid a moment ago. */
  public void beforeDeviceRead(BlockDevice device, long offset, int length)
      throws FallbackException {}

  /**
   * After each device read that succeeded.
   *
   * @param buffer what was read is in {@code [at, at + length)}
   */
  public void afterDeviceRead(
      BlockDevice device, long offset, ByteBuffer buffer, int at, int length)
      throws FallbackException {}

  /** After the last device read of a window, before the lease is looked at again. */
  public void beforeLeaseRecheck(FileMap map) {}
}
