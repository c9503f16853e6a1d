// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import java.util.function.Consumer;

/**
 * Has maps leave the cache that its plane lost.
 *
 * @param withdrawn told of those that were not merely too old
 */
record CacheLosses(CachedMaps cached, Consumer<FileMap> withdrawn) implements MapListener {
  @Override
  public void lost(FileMap map) {
    cached.remove(map);
    withdrawn.accept(map);
  }

  @Override
  public void ranOut(FileMap map) {
    cached.remove(map);
  }
}
