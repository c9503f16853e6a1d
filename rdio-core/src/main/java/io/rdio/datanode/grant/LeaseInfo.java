// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;

/**
 * A lease as administrators see it.
 *
 * @param number its running number; not its id, with which a stranger could return it
 * @param remainingMillis of its term; negative while it has run out but its pin is still kept
 * @param pinnedBytes of the block and its meta file, which other leases may pin too
 */
public record LeaseInfo(
    long number,
    String clientId,
    BlockKey block,
    long remainingMillis,
    boolean recalled,
    long pinnedBytes) {}
