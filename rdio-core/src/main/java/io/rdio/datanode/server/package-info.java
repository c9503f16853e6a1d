// SPDX-License-Identifier: Apache-2.0
/**
 * The DataNode's end of the metadata plane: takes calls, bounds them by address and in all, checks
 * who asks, and hands them to the {@link io.rdio.datanode.grant.GrantService}.
 */
@NullMarked
package io.rdio.datanode.server;

import org.jspecify.annotations.NullMarked;
