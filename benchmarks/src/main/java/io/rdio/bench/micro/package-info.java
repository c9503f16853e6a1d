// SPDX-License-Identifier: Apache-2.0
/** JMH benchmarks of the steps of a read, with maps and code warm, on a cluster of this host. */
@NullMarked
package io.rdio.bench.micro;

import org.jspecify.annotations.NullMarked;
