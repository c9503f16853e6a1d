// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.read.ReadContext;
import io.rdio.client.route.Routers;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What reads that may go by the device or a DataNode need.
 *
 * @param routers choose
 * @param threads that bring what a run wants of a DataNode while the device reads; null where no
 *     run goes by both at once
 * @param nanos as System.nanoTime, for what reads take
 */
record Routing(
    ReadContext context, Routers routers, @Nullable Executor threads, LongSupplier nanos) {
  /** The time now, by difference only. */
  long now() {
    return nanos.getAsLong();
  }
}
