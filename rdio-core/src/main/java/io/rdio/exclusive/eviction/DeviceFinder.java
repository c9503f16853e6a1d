// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.exclusive.wire.CachedDevice;
import java.io.IOException;
import java.util.List;

/** Finds out which of a storage node's devices concern us. */
@FunctionalInterface
interface DeviceFinder {
  /** Those that do, in the storage node's order. */
  List<TracedDevice> find(List<CachedDevice> cached) throws IOException;
}
