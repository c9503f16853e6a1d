// SPDX-License-Identifier: Apache-2.0
/** What a JVM that lives for one file has of RDIO: whole processes of {@code hdfs dfs -cat}. */
@NullMarked
package io.rdio.bench.cold;

import org.jspecify.annotations.NullMarked;
