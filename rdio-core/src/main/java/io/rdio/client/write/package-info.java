// SPDX-License-Identifier: Apache-2.0
/** Stands in for the other branch's: thrown away at the merge. */
@NullMarked
package io.rdio.client.write;

import org.jspecify.annotations.NullMarked;
