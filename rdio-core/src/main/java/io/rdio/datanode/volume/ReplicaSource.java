// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import java.util.List;

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
   * The password of the block token with this identifier, made anew from the block pool's keys. It
   * does not matter yet what the token allows: {@link #checkAccess} looks at that.
   *
   * @return at least one byte; a secret
   * @throws FallbackException TOKEN_REFUSED or DATANODE_NOT_READY
   */
  byte[] tokenPassword(BlockKey block, byte[] identifier) throws FallbackException;

  /**
   * The finalized replica of exactly this generation stamp, as the DataNode knows it now.
   *
   * <p>It is a barrier: a change of this replica (append, truncate, delete, move) that the DataNode
   * had begun before the call is over when the call returns, and is seen in its answer. So a caller
   * that made a hard link before the call knows that a change which did not see the link shows up
   * here, and that any later change sees the link.
   *
   * @throws FallbackException DATANODE_NOT_READY, REPLICA_NOT_FOUND, REPLICA_NOT_FINALIZED,
   *     REPLICA_CHANGED (another generation stamp) or STORAGE_UNSUPPORTED
   */
  Replica find(BlockKey block) throws FallbackException;

  /**
   * Where the block's replica lies, whatever its state. A look into memory: no barrier, no I/O, so
   * that it is known which volume may be waited for.
   *
   * @throws FallbackException DATANODE_NOT_READY or REPLICA_NOT_FOUND
   */
  Storage storageOf(BlockKey block) throws FallbackException;

  /**
   * Whether {@link #find} would still give this very replica. A look into memory: no barrier, no
   * I/O, cheap enough to be asked for every pin at every sweep.
   */
  boolean isCurrent(Replica replica);

  /** The storage directories in use now; empty while the DataNode has not opened them. */
  List<Storage> storages();

  /** The DataNode's UUID, or "" while it has none. */
  String dataNodeUuid();
}
