// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.carried;

/** Carries a client's calls to DataNodes. For one thread at a time. */
@FunctionalInterface
public interface Carrier {
  /** A call under way. */
  @FunctionalInterface
  interface Call {
    /** The caller gives it up. Without effect once it has ended. */
    void cancel();
  }

  /** What the caller hears of a call. */
  interface Answers {
    /** An answer; of a stream there may be many. */
    void message(byte[] bytes);

    /** The last that is heard. */
    void ended(CallEnd end);
  }

  /**
   * Takes a call, which may be answered before this returns, or later. Where the caller waits for
   * the answer, it has to be the former.
   *
   * @param endpoint of the DataNode
   * @param method with its service's name, as gRPC has it
   * @param request the only message of the caller
   */
  Call carry(String endpoint, String method, byte[] request, Answers answers);
}
