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
 */
public record FileMapSettings(
    long cacheBytes,
    int prefetchBlocks,
    Duration rpcTimeout,
    Duration backOff,
    Duration quarantine) {}
