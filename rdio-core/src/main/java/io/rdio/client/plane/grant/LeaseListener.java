// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.plane.FileMap;

/** Told what becomes of leases. Called by any thread; must not block. */
public interface LeaseListener {
  /**
   * A lease was recalled, or its DataNode does not know it any more. It has ended already; the
   * DataNode learns that this client gave it up only after this call returned.
   */
  void lost(FileMap map);

  /** A lease ran out; it is returned soon. */
  void ranOut(FileMap map);
}
