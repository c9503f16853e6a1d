// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;

/** What the grant service asks of the DataNode it runs in. Thread-safe. */
public interface ReplicaSource {
  /**
   * Checks the caller's right to read a block, before anything is said about the block.
   *
   * @param token as {@code Token.write} makes it, or empty
   * @throws FallbackException TOKEN_REFUSED, ENCRYPTION_REQUIRED or DATANODE_NOT_READY
   */
  void checkAccess(BlockKey block, byte[] token) throws FallbackException;

  /**
   * The finalized replica of exactly this generation stamp, as the DataNode knows it now.
   *
   * @throws FallbackException DATANODE_NOT_READY, REPLICA_NOT_FOUND, REPLICA_NOT_FINALIZED,
   *     REPLICA_CHANGED (another generation stamp) or STORAGE_UNSUPPORTED
   */
  Replica find(BlockKey block) throws FallbackException;
}
