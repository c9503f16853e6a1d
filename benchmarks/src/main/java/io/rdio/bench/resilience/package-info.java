// SPDX-License-Identifier: Apache-2.0
/** Erasure-coded files with ever fewer DataNodes: Figure 5b of the RDIO paper. */
@NullMarked
package io.rdio.bench.resilience;

import org.jspecify.annotations.NullMarked;
