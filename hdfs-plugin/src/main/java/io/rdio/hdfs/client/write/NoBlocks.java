// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.FallbackException;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Where nobody writes blocks, for a reason that stays. Immutable. */
public final class NoBlocks implements RemoteBlocks {
  private final FallbackException why;

  /**
   * @param why nobody does
   */
  public NoBlocks(FallbackException why) {
    this.why = why;
  }

  @Override
  public void requireThere() throws FallbackException {
    throw why;
  }

  @Override
  public void requireAnswering() throws FallbackException {
    throw why;
  }

  @Override
  public RemoteBlock open(OpenFile file, LocatedBlock located, long bytes)
      throws FallbackException {
    throw why;
  }
}
