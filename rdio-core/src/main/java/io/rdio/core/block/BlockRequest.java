// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

/**
 * A block that somebody wants to read, with what it takes to find its DataNodes and to be granted
 * its map.
 */
public final class BlockRequest {
  private final TokenedBlock tokened;
  private final String fileName;

  /**
   * @param fileName absolute path of the file, as HDFS gives it to a replica accessor
   */
  public BlockRequest(TokenedBlock tokened, String fileName) {
    this.tokened = tokened;
    this.fileName = fileName;
  }

  /** The block with its token. */
  public TokenedBlock tokened() {
    return tokened;
  }

  /** Which block. */
  public BlockKey block() {
    return tokened.block();
  }

  /** Its token, as in {@link TokenedBlock}. */
  public byte[] token() {
    return tokened.token();
  }

  /** Absolute path of the file, as HDFS gives it to a replica accessor. */
  public String fileName() {
    return fileName;
  }
}
