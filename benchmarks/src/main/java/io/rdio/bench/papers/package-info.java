// SPDX-License-Identifier: Apache-2.0

/**
 * {@code bench papers}: the figures of the papers that RDIO-HDFS was built after, run again.
 *
 * <p>A {@link io.rdio.bench.papers.Figure} says what is run, what the paper published, and which
 * orderings and signs make its shape. What is run are {@link io.rdio.bench.papers.Part}s, which
 * several figures may have in common: other commands of this module in JVMs of their own, and
 * simulations. {@link io.rdio.bench.papers.FinishedParts} keeps what a part measured, so that a run
 * can be taken up again. {@link io.rdio.bench.papers.Catalogue} lists all figures.
 */
@NullMarked
package io.rdio.bench.papers;

import org.jspecify.annotations.NullMarked;
