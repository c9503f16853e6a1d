// SPDX-License-Identifier: Apache-2.0
/**
 * What the macro benchmarks share: a throwaway cluster with a long-lived client JVM for each way of
 * reading, the meters around one pass, and how figures are summed up and shown.
 */
@NullMarked
package io.rdio.bench.hdfs;

import org.jspecify.annotations.NullMarked;
