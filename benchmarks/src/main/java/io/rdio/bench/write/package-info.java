// SPDX-License-Identifier: Apache-2.0
/** New files by stock HDFS's pipeline, and by the agent of the host. */
@NullMarked
package io.rdio.bench.write;

import org.jspecify.annotations.NullMarked;
