// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;
import io.rdio.datanode.grant.Holder;

/**
 * A write lease as administrators see it.
 *
 * @param number its running number; not its id, with which a stranger could end it
 * @param remainingMillis of its term; 0 or less when it has run out, or is being committed
 * @param slotBytes of the slot, which the volume has lent
 */
public record WriteLeaseInfo(
    long number, Holder holder, BlockKey block, long remainingMillis, long slotBytes) {}
