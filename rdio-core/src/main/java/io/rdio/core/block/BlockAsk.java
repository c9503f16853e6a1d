// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

/**
 * A block whose map is asked for.
 *
 * @param storageId the storage of the replica's holder that it is on, or "" if that is not known;
 *     it is not sent to a DataNode, which looks for itself
 * @param speculative nobody reads the block yet, it comes along with another one
 */
public record BlockAsk(TokenedBlock tokened, String storageId, boolean speculative) {
  /** A block that is about to be read, on whatever storage. */
  public BlockAsk(TokenedBlock tokened) {
    this(tokened, "", false);
  }

  /** Which block. */
  public BlockKey block() {
    return tokened.block();
  }

  /** Its token, as in {@link TokenedBlock}. */
  public byte[] token() {
    return tokened.token();
  }
}
