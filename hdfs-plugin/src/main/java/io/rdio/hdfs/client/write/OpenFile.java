// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.agent.ipc.GroupStripes;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/**
 * A new file as the NameNode has it open for its writer, whose lease somebody else renews. For one
 * thread at a time, but that {@link #abandon} may be called by another one meanwhile.
 */
public interface OpenFile {
  /** Its path. */
  String path();

  /** Bytes of a full block of it; of an erasure-coded file's a block is a group, by its data. */
  long blockBytes();

  /** How its groups lie on their blocks; null for a file of replicas. */
  @Nullable GroupStripes stripes();

  /** How many replicas its blocks are to have. */
  int replication();

  /** Of its blocks. */
  DataChecksum checksum();

  /**
   * Adds a block, and says of the one before how long it is: that one cannot be longer any more.
   *
   * @param previous the block before; null for the first one
   * @param excluded DataNodes that are not to have it
   */
  LocatedBlock addBlock(@Nullable ExtendedBlock previous, DatanodeInfo[] excluded)
      throws IOException;

  /** Takes a block away that was added last, and that nobody wrote. */
  void abandon(ExtendedBlock block) throws IOException;

  /**
   * Waits, but not for ever, until no DataNode has anything of a group that was added last and
   * could not be begun on all. The NameNode abandons no group: it gives the same one again, and
   * stock HDFS cannot begin it where something of it is.
   *
   * @throws java.io.InterruptedIOException if the thread is interrupted
   */
  void awaitRemoval(LocatedBlock group) throws IOException;

  /** Tells who waits for the writer that it is alive. */
  void tick();
}
