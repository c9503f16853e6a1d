// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;

/**
 * A lease that somebody asks for.
 *
 * @param speculative nobody reads the block yet: it takes no place that another block needs
 */
record Demand(Holder holder, BlockKey block, boolean speculative) {
  String address() {
    return holder.address();
  }
}
