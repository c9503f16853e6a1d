// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

import java.util.Collections;
import java.util.Set;

/** A block whose map is asked for. */
public final class BlockAsk {
  private final TokenedBlock tokened;
  private final String storageId;
  private final boolean speculative;
  private final Set<String> badStorages;

  /**
   * @param storageId the storage of the replica's holder that it is on, or "" if that is not known;
   *     it is not sent to a DataNode, which looks for itself
   * @param speculative nobody reads the block yet, it comes along with another one
   */
  public BlockAsk(TokenedBlock tokened, String storageId, boolean speculative) {
    this(tokened, storageId, speculative, Collections.emptySet());
  }

  private BlockAsk(
      TokenedBlock tokened, String storageId, boolean speculative, Set<String> badStorages) {
    this.tokened = tokened;
    this.storageId = storageId;
    this.speculative = speculative;
    this.badStorages = badStorages;
  }

  /**
   * The same for whoever found these storages bad: where it is to be looked for, they come last. It
   * is not sent to a DataNode.
   */
  public BlockAsk after(Set<String> bad) {
    return new BlockAsk(tokened, storageId, speculative, bad);
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

  /** Storages of which another one's replica is to be preferred. */
  public Set<String> badStorages() {
    return badStorages;
  }

  /** Whether nobody reads the block yet: it comes along with another one. */
  public boolean speculative() {
    return speculative;
  }
}
