// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;

/** Knows on which port a DataNode serves the metadata plane. Thread-safe. */
@FunctionalInterface
public interface EndpointResolver {
  /**
   * The metadata plane's {@code host:port}; the same DataNode always gets the same one.
   *
   * @throws FallbackException METADATA_PLANE_UNREACHABLE or METADATA_PLANE_BACKOFF
   */
  String endpoint(DataNodeId dataNode) throws FallbackException;

  /** The endpoint given for this DataNode does not answer: it may have moved to another port. */
  default void forget(DataNodeId dataNode) {}
}
