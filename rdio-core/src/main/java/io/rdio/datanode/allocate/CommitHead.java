// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;

/**
 * What a Commit begins with.
 *
 * @param clientId of the lease's holder, as in its {@link io.rdio.datanode.grant.Holder}
 * @param incarnation that the grant named
 * @param block as in the grant
 * @param length of the block in bytes, at least 1 and at most what was asked for at Allocate
 */
public record CommitHead(
    String clientId, long incarnation, long leaseId, BlockKey block, long length) {}
