// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import java.time.Duration;

/**
 * How the FileMap cache works.
 *
 * @param cacheBytes heap that cached maps may take
 * @param prefetchBlocks how many following blocks are asked for together with one
 * @param rpcTimeout longest wait for one answer of a DataNode
 * @param backOff how long a storage whose device is of no use here is not asked for
 * @param quarantine how long a replica that was found bad is avoided, or its block refused
 * @param replicas of one block whose maps are kept, at most; with 1 that of any one of them
 */
public record FileMapSettings(
    long cacheBytes,
    int prefetchBlocks,
    Duration rpcTimeout,
    Duration backOff,
    Duration quarantine,
    int replicas) {

  /** With one map of each block. */
  public FileMapSettings(
      long cacheBytes,
      int prefetchBlocks,
      Duration rpcTimeout,
      Duration backOff,
      Duration quarantine) {
    this(cacheBytes, prefetchBlocks, rpcTimeout, backOff, quarantine, 1);
  }
}
