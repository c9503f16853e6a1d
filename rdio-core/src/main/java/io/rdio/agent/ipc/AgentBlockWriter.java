// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.Closeable;

/** A stand-in for the lanes' own: one block's replicas, being written by the agent. */
public final class AgentBlockWriter implements Closeable {
  public void write(byte[] source, int at, int count) throws FallbackException {
    throw new FallbackException(FallbackReason.WRITE_UNSUPPORTED, "no lanes yet");
  }

  public long length() {
    return 0;
  }

  public long commit() throws FallbackException {
    throw new FallbackException(FallbackReason.WRITE_UNSUPPORTED, "no lanes yet");
  }

  @Override
  public void close() {}
}
