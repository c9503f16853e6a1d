// SPDX-License-Identifier: Apache-2.0
/**
 * What runs in a client JVM of the macro benchmarks: {@link io.rdio.bench.client.ClientMain} takes
 * one {@link io.rdio.bench.client.Task} after the other from its standard input, does it by the way
 * of reading that it was started for, and answers with what it measured.
 */
@NullMarked
package io.rdio.bench.client;

import org.jspecify.annotations.NullMarked;
