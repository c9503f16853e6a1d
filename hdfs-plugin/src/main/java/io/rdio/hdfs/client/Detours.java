// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.route.Routers;
import org.jspecify.annotations.Nullable;

/**
 * When stock HDFS may serve what the device could.
 *
 * @param firstBytes of a block, while its map is on its way; 0 to wait for the map
 * @param routers that find out which way is the faster one; null to always prefer the device
 */
record Detours(long firstBytes, @Nullable Routers routers) {
  static final Detours NONE = new Detours(0, null);
}
