// SPDX-License-Identifier: Apache-2.0
/** Who reads: what its packages must agree on. */
@NullMarked
package io.rdio.client;

import org.jspecify.annotations.NullMarked;
