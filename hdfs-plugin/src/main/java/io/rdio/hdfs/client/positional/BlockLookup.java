// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/** Port: a stream's blocks, as it knows them itself. Thread-safe. */
@FunctionalInterface
interface BlockLookup {
  /**
   * The block that holds an offset of the file. May ask the NameNode, as a read of it would.
   *
   * @return null where the offset is at or behind the file's end
   * @throws IOException as a read of it would
   */
  @Nullable LocatedBlock at(long offset) throws IOException;
}
