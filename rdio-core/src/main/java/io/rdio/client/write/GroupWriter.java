// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;

/** Stands in for the other branch's: thrown away at the merge. */
public final class GroupWriter implements AutoCloseable {
  /** Where a replica goes. */
  public static final class Target {
    private final DataNodeId node;
    private final byte[] token;
    private final String storageId;

    public Target(DataNodeId node, byte[] token, String storageId) {
      this.node = node;
      this.token = token.clone();
      this.storageId = storageId;
    }

    public DataNodeId node() {
      return node;
    }

    public byte[] token() {
      return token.clone();
    }

    public String storageId() {
      return storageId;
    }
  }

  private GroupWriter() {}

  public static GroupWriter open(
      BlockWriters writers,
      Executor parallel,
      BlockKey block,
      List<Target> targets,
      long bytes,
      ChecksumSpec.Type checksum,
      int bytesPerChecksum)
      throws FallbackException {
    throw new FallbackException(FallbackReason.WRITE_UNSUPPORTED, block.toString());
  }

  public int unit() {
    return 1;
  }

  public long capacity() {
    return 1;
  }

  public long alive() {
    return 0;
  }

  public void write(long offset, long address, int length, boolean isLast)
      throws FallbackException {}

  public long commit(long length, ByteBuffer checksums) throws FallbackException {
    return 0;
  }

  @Override
  public void close() {}
}
