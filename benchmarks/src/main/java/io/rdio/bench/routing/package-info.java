// SPDX-License-Identifier: Apache-2.0
/** {@code bench routing}: what weighing the device against the DataNode is worth, and costs. */
@NullMarked
package io.rdio.bench.routing;

import org.jspecify.annotations.NullMarked;
