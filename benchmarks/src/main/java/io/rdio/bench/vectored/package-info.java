// SPDX-License-Identifier: Apache-2.0
/**
 * A few columns of a Parquet file, read by Parquet's own reader, with vectored reads or without.
 */
@NullMarked
package io.rdio.bench.vectored;

import org.jspecify.annotations.NullMarked;
