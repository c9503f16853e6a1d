// SPDX-License-Identifier: Apache-2.0
/** The DataNode's lease table with millions of leases. */
@NullMarked
package io.rdio.bench.leases;

import org.jspecify.annotations.NullMarked;
