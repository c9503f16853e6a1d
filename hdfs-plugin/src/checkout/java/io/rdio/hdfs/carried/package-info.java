// SPDX-License-Identifier: Apache-2.0
/**
 * The metadata plane without a network: clients' calls and DataNodes' as they are, each message in
 * its bytes, and in between whatever carries them. For {@code bench scale}, which has a network and
 * a clock of its own. It is here, and not with that benchmark, because gRPC has another name in the
 * jars that benchmarks run on: nothing of it is seen from outside of this package.
 */
@NullMarked
package io.rdio.hdfs.carried;

import org.jspecify.annotations.NullMarked;
