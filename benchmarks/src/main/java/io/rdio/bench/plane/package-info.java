// SPDX-License-Identifier: Apache-2.0
/** The device metadata plane alone: how late it is, what a look costs, and opening a new file. */
@NullMarked
package io.rdio.bench.plane;

import org.jspecify.annotations.NullMarked;
