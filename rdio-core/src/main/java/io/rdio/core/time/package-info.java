// SPDX-License-Identifier: Apache-2.0
/** Leases as the client counts them, the clock that they run on, and who looks after them. */
@NullMarked
package io.rdio.core.time;

import org.jspecify.annotations.NullMarked;
