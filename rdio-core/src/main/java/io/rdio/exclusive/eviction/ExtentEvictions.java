// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.time.Validity;

/**
 * A cache of this process whose entries lie in extents of devices, and that tells what it evicts.
 */
@FunctionalInterface
public interface ExtentEvictions {
  /** Is told of evictions. Thread-safe; does not wait for anybody. */
  @FunctionalInterface
  interface Listener {
    /**
     * A part of a file is not in the cache any more.
     *
     * @param extents of the file that the evicted bytes are of, on the device
     * @param validity of these extents
     * @param offset of the evicted bytes in the file
     */
    void evicted(
        DeviceIdentity device, ExtentList extents, Validity validity, long offset, int length);
  }

  /** Ends the telling: when it returns the listener is not told of anything new. */
  @FunctionalInterface
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /** Tells a listener from now on of what is evicted while its extents are known and valid. */
  Subscription listen(Listener listener);
}
