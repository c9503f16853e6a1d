// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;

/**
 * A block that somebody wants to read, with what it takes to find its DataNodes and to be granted
 * its map.
 *
 * @param fileName absolute path of the file, as HDFS gives it to a replica accessor
 */
public record BlockRequest(TokenedBlock tokened, String fileName) {
  /** Which block. */
  public BlockKey block() {
    return tokened.block();
  }

  /** Its token, as in {@link TokenedBlock}. */
  public byte[] token() {
    return tokened.token();
  }
}
