// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import java.util.Arrays;

/** Where one replica of a block is to be written, as the NameNode says. Immutable. */
public final class WriteTarget {
  private final String host;
  private final int transferPort;
  private final int infoPort;
  private final String storageId;
  private final byte[] token;

  /**
   * A target.
   *
   * @param host address or name by which this host reaches the DataNode
   * @param transferPort of HDFS's own data transfer
   * @param infoPort of the DataNode's web server; 0 if it has none without TLS
   * @param storageId of the DataNode; "" for its own choice
   * @param token block token of mode WRITE in the form of Token.write; empty where there is none
   */
  public WriteTarget(String host, int transferPort, int infoPort, String storageId, byte[] token) {
    this.host = host;
    this.transferPort = transferPort;
    this.infoPort = infoPort;
    this.storageId = storageId;
    this.token = token.clone();
  }

  /**
   * Adds what an ALLOCATE says of it.
   *
   * @param before the target before it, whose token is not said again; itself if it is the first
   */
  void putTo(Frame allocate, WriteTarget before) throws MalformedMessageException {
    boolean ownToken = hasOwnToken(before);
    allocate
        .put(host, Protocol.HOST_MAX)
        .put(transferPort)
        .put(infoPort)
        .put(storageId, Protocol.STORAGE_MAX)
        .put(ownToken ? 1 : 0);
    if (ownToken) {
      allocate.put(token, Protocol.TOKEN_MAX);
    }
  }

  private boolean hasOwnToken(WriteTarget before) {
    return before == this || !Arrays.equals(before.token, token);
  }

  /** Bytes that {@link #putTo} adds at most. */
  int mostBytes(WriteTarget before) {
    return BlockToWrite.mostBytes(host)
        + BlockToWrite.mostBytes(storageId)
        + 3 * Integer.BYTES
        + (hasOwnToken(before) ? Short.BYTES + token.length : 0);
  }

  @Override
  public String toString() {
    return host + ":" + transferPort;
  }
}
