// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

/** A block whose map is asked for. */
public final class BlockAsk {
  private final TokenedBlock tokened;
  private final String storageId;
  private final boolean speculative;

  /**
   * @param storageId the storage of the replica's holder that it is on, or "" if that is not known;
   *     it is not sent to a DataNode, which looks for itself
   * @param speculative nobody reads the block yet, it comes along with another one
   */
  public BlockAsk(TokenedBlock tokened, String storageId, boolean speculative) {
    this.tokened = tokened;
    this.storageId = storageId;
    this.speculative = speculative;
  }

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

  /** The storage of the replica's holder that it is on, or "" if that is not known. */
  public String storageId() {
    return storageId;
  }

  /** Whether nobody reads the block yet: it comes along with another one. */
  public boolean speculative() {
    return speculative;
  }
}
