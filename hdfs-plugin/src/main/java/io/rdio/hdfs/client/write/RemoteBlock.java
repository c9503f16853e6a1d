// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.FallbackException;
import java.io.Closeable;

/** The replicas of a block that somebody writes for us. For one thread at a time. */
public interface RemoteBlock extends Closeable {
  /**
   * Takes more bytes of it; the array is the caller's again when this returns.
   *
   * @throws FallbackException why the block is lost
   */
  void write(byte[] source, int at, int count) throws FallbackException;

  /** Bytes that were taken. */
  long length();

  /**
   * Makes them replicas: durable, finalized and known to the NameNode when this returns.
   *
   * @param needed replicas without which the block is of no use: once there are so many the others
   *     are not waited for long
   * @return bit {@code i} for the i-th target, if its replica is; at least one
   * @throws FallbackException why none is, as far as is known
   */
  long commit(int needed) throws FallbackException;

  /** Gives up the replicas that were not committed. Idempotent, never throws. */
  @Override
  void close();
}
