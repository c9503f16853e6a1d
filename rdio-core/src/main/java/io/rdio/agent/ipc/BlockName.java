// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

/**
 * A block that a process wants to read, with what it takes to have it opened. Equal to another one
 * of the same replica generation, whose bytes are the same. Immutable.
 */
public final class BlockName {
  private final String pool;
  private final long id;
  private final long generationStamp;
  private final boolean verify;
  private final String file;
  private final byte[] token;

  /**
   * A block.
   *
   * @param verify whether its bytes are to be checked against their CRCs
   * @param file absolute path of its file, as HDFS gives it to a replica accessor
   * @param token block token in the form of Token.write; empty where there is none
   */
  public BlockName(
      String pool, long id, long generationStamp, boolean verify, String file, byte[] token) {
    this.pool = pool;
    this.id = id;
    this.generationStamp = generationStamp;
    this.verify = verify;
    this.file = file;
    this.token = token;
  }

  boolean verify() {
    return verify;
  }

  /** Adds what an OPEN says of it. */
  void putTo(Frame open) throws MalformedMessageException {
    open.put(id)
        .put(generationStamp)
        .put(pool, Protocol.POOL_MAX)
        .put(file, Protocol.PATH_MAX)
        .put(token, Protocol.TOKEN_MAX);
  }

  @Override
  @SuppressWarnings("PatternMatchingInstanceof") // which Java 8 has not
  public boolean equals(Object other) {
    if (!(other instanceof BlockName)) {
      return false;
    }
    BlockName that = (BlockName) other;
    return id == that.id
        && generationStamp == that.generationStamp
        && verify == that.verify
        && pool.equals(that.pool);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(id) * 31 + Long.hashCode(generationStamp);
  }

  @Override
  public String toString() {
    return pool + ":blk_" + id + "_" + generationStamp;
  }
}
