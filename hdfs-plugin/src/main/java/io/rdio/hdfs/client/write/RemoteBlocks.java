// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.FallbackException;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Who writes blocks for us: the agent of this host. Thread-safe. */
public interface RemoteBlocks {
  /**
   * Looks whether anybody is there, without asking.
   *
   * @throws FallbackException why nothing can be written here
   */
  void requireThere() throws FallbackException;

  /**
   * Asks.
   *
   * @throws FallbackException why nothing can be written here at present
   */
  void requireAnswering() throws FallbackException;

  /**
   * Begins a block at all its targets.
   *
   * @param located as the NameNode has just added it to the file
   * @param bytes that it will have at most: its length if that is known, else a full block's
   * @throws io.rdio.core.TargetRefusedException which target cannot be written to; nothing was
   *     begun anywhere
   * @throws FallbackException why nothing was begun, whatever the targets
   */
  RemoteBlock open(OpenFile file, LocatedBlock located, long bytes) throws FallbackException;
}
