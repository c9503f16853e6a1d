// SPDX-License-Identifier: Apache-2.0
/** The DataNode's side of the lease protocol: pins, leases, grants and recalls. */
@NullMarked
package io.rdio.core.grant;

import org.jspecify.annotations.NullMarked;
