// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

/** Where a client's recalls go. Thread-safe; must neither block nor throw. */
@FunctionalInterface
public interface RecallSink {
  /** Leases that the client shall return; an id may come more than once. */
  void recall(long[] leaseIds);
}
