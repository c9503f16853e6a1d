// SPDX-License-Identifier: Apache-2.0
/** Leases as the client counts them, and the clock that they run on. */
@NullMarked
package io.rdio.core.time;

import org.jspecify.annotations.NullMarked;
