// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A Commit whose checksums are on their way, with room for them put aside. For one thread at a
 * time. {@link #commit} or {@link #close} must follow; both do no harm the second time.
 */
public interface CommitIntake extends AutoCloseable {
  /**
   * Takes the next CRCs, in the block's order: 4 bytes for each chunk, big-endian, as in a meta
   * file. A part may end within a CRC. Takes the buffer's remaining bytes and keeps a copy.
   *
   * @throws IllegalArgumentException if these are more than the block's length needs
   */
  void add(ByteBuffer checksums);

  /**
   * Commits the block by rule W5, on a thread of its own. The lease is ended by that, however it
   * turns out.
   *
   * @return never fails; may be completed on any thread
   * @throws IllegalArgumentException if CRCs are missing; the lease goes on then
   */
  CompletableFuture<CommitResult> commit();

  /** Gives the Commit up before {@link #commit}: nothing was done, the lease goes on. */
  @Override
  void close();
}
