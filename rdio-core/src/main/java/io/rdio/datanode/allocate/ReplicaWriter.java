// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What remote writes need of the DataNode that they run in: the steps of rules W2 and W5 which only
 * HDFS can do. It knows nothing of slots, leases and extents. Thread-safe; each call may wait for
 * HDFS's locks and for a disk.
 */
public interface ReplicaWriter {
  /** The change of names that goes with the replica's new length; called once, under a lock. */
  @FunctionalInterface
  interface Rename {
    /** Renames the slot over the block file. Waits for nothing but that one system call. */
    void run() throws IOException;
  }

  /**
   * Checks the caller's right to write a block, before anything is said about the block: the token
   * as {@code DataXceiver} does it for mode WRITE, with the storage's type and id.
   *
   * @param token as {@code Token.write} makes it, or empty
   * @param storageId of the volume that the NameNode chose, or ""
   * @throws FallbackException TOKEN_REFUSED, ENCRYPTION_REQUIRED or DATANODE_NOT_READY
   */
  void checkAccess(BlockKey block, byte[] token, String storageId) throws FallbackException;

  /** The storage directories in use now; empty while the DataNode has not opened them. */
  List<Storage> storages();

  /**
   * Bytes that HDFS may still use on a volume by its own account: what it has reserved for itself
   * and for others, and for replicas being written, is taken off. Below 0 is said as 0.
   *
   * @throws IOException if the volume is not in use any more, or cannot be asked
   */
  long availableBytes(Storage storage) throws IOException;

  /**
   * Begins a replica ({@code createRbw}, without lazy persist), writes the header of its meta file,
   * lets go of its files and of its writer ({@code setWriter(null)}), and closes the handler that
   * keeps the volume. Behind it there is a block file of 0 bytes, a meta file of one header, and an
   * entry in the replica map that says 0 bytes. Nothing needs to be durable. What fails leaves
   * nothing of this behind.
   *
   * @throws FallbackException DATANODE_NOT_READY, STORAGE_UNSUPPORTED (RAM_DISK, PROVIDED, or a
   *     storage that is not here), CHECKSUM_UNSUPPORTED, or REPLICA_CHANGED if HDFS has a replica
   *     of the block already
   * @throws IOException what else HDFS refuses it for, a full volume among them
   */
  RbwReplica create(NewReplica replica) throws FallbackException, IOException;

  /**
   * Whether this very object is in the replica map as RBW: until a recovery takes it, or whoever
   * deletes its file. Also said where HDFS cannot be asked.
   */
  boolean isThere(RbwReplica replica);

  /**
   * Makes the calling thread the replica's writer, if nobody is ({@code attemptToSetWriter(null,
   * this thread)}), and if this very object is in the replica map as RBW. From then on a recovery
   * interrupts this thread, and waits for its end, before it looks at the replica.
   *
   * @return false if somebody else has it, or it is not that replica any more
   */
  boolean claim(RbwReplica replica);

  /** Lets go of what {@link #claim} took; without effect where another is the writer by now. */
  void release(RbwReplica replica);

  /**
   * Gives the replica its bytes. Under the write lock of the block's directory: if this very object
   * is still in the replica map, as RBW and of its generation stamp, and the calling thread is its
   * writer, then runs the rename and, if that succeeded, sets {@code numBytes}, {@code bytesAcked},
   * bytes on disk, and the last checksum. Between these no interrupt is heeded: an interrupt that
   * comes meanwhile is pending when this returns. It must have an I/O error of the rename as its
   * own, with lengths unchanged.
   *
   * @param length of the block in bytes, at least 1
   * @param lastChecksum the CRC of the last chunk, 4 bytes; not kept
   * @return false if it is not that replica any more: nothing was changed, the rename not run
   */
  boolean putInPlace(RbwReplica replica, long length, byte[] lastChecksum, Rename rename)
      throws IOException;

  /**
   * Finalizes the replica ({@code finalizeBlock}). Its names need not be durable: the caller syncs
   * both folders.
   *
   * @return the finalized replica with its files' new paths
   * @throws IOException also if the calling thread was interrupted: the replica is whole then, and
   *     it is recovery's turn
   */
  Replica finish(RbwReplica replica) throws IOException;

  /**
   * Tells the NameNode of a finalized replica, as {@code closeBlock} does. Waits for no answer;
   * must not throw.
   *
   * @return false if it is HDFS's no more, for its volume is not in use: then nobody is told
   */
  boolean notifyReceived(Replica replica);

  /**
   * Removes an RBW replica and its files, as long as it has 0 bytes and this very object is in the
   * replica map. Without effect where it is gone, finalized or recovery's by now. Who is told that
   * HDFS has no such replica any more can begin it anew.
   *
   * @throws IOException if HDFS fails it; it may be asked again, and else the NameNode does it
   */
  void invalidate(RbwReplica replica) throws IOException;

  /**
   * Removes an RBW replica and its files, whatever its length, as long as this very object is in
   * the replica map, the calling thread is its writer, and no recovery waits for that thread's end,
   * which has interrupted it.
   *
   * @return whether it is gone; else somebody else has it
   * @throws IOException if HDFS fails it
   */
  boolean discard(RbwReplica replica) throws IOException;

  /**
   * The finalized replica of exactly this generation stamp, or null if there is none: by that a
   * Commit which is asked again is answered.
   *
   * @throws FallbackException DATANODE_NOT_READY
   */
  @Nullable Replica finalized(BlockKey block) throws FallbackException;
}
