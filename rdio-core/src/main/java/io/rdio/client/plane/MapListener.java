// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

/** Told by a metadata plane what becomes of its maps. Called by any thread; must not block. */
public interface MapListener {
  /**
   * A map must not be read by any more: its holder wants it back, or does not know of it any more.
   * Its guard admits nobody new already; the holder learns that this client gave it up only after
   * this call returned.
   */
  void lost(FileMap map);

  /** A map's guard ran out by the passing of time; it is given back soon. */
  void ranOut(FileMap map);
}
