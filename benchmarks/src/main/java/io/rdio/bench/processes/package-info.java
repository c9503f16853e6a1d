// SPDX-License-Identifier: Apache-2.0
/** Many client processes on one host: a job of short tasks, and a crowd that reads at random. */
@NullMarked
package io.rdio.bench.processes;

import org.jspecify.annotations.NullMarked;
