// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.client.plane.DataNodeId;

/**
 * Where a replica is.
 *
 * @param storageId the DataNode's storage that holds it, or "" if it is not known
 */
public record ReplicaLocation(DataNodeId dataNode, String storageId) {
  /** That of a replica of which the NameNode does not say where it is. */
  static final ReplicaLocation UNLISTED = new ReplicaLocation(DataNodeId.NOBODY, "");
}
