// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.block.BlockKey;

/**
 * A lease as the DataNode that granted it tells of it.
 *
 * @param clientId what its holder calls itself
 * @param remainingMillis until it runs out, by the DataNode's clock
 * @param recalled whether the DataNode wants it back
 * @param pinnedBytes that the block's pin keeps, for all leases on the block together; of a lease
 *     to write by, those of its slot
 * @param write whether it is one to write by
 */
public record GrantedLease(
    BlockKey block,
    String clientId,
    long remainingMillis,
    boolean recalled,
    long pinnedBytes,
    boolean write) {}
