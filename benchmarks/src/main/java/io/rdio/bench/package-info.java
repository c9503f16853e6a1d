// SPDX-License-Identifier: Apache-2.0

/** What measures the project; {@link io.rdio.bench.Bench} starts it. */
@NullMarked
package io.rdio.bench;

import org.jspecify.annotations.NullMarked;
