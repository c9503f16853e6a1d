// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.FallbackException;
import java.util.List;

/**
 * Asks DataNodes about themselves, for people: {@code rdio doctor} and {@code rdio leases}. Grants
 * nothing. Thread-safe.
 */
public interface PlaneProbe extends AutoCloseable {
  /**
   * Who a DataNode is and on which devices it grants; asks it each time, even in back-off. Waits at
   * most the RPC timeout.
   *
   * @param endpoint host:port of its metadata plane
   * @throws FallbackException why there is no answer
   */
  PlaneGreeting hello(String endpoint) throws FallbackException;

  /**
   * The leases that a DataNode has granted, to whomever. Waits at most the RPC timeout for each
   * page of them.
   *
   * @param endpoint host:port of its metadata plane
   * @throws FallbackException why there is no answer
   */
  List<GrantedLease> listLeases(String endpoint) throws FallbackException;

  @Override
  void close();
}
