// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.read.ReadContext;
import io.rdio.client.read.UnwantedReads;
import io.rdio.client.route.Routers;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What reads that may go by the device or a DataNode need.
 *
 * @param routers choose
 * @param threads that bring what a run wants of a DataNode while the device reads, or look at the
 *     device while a DataNode does; null where nothing is done beside reads
 * @param nanos as System.nanoTime, for what reads take
 * @param looks at the device that no reader waits for
 */
record Routing(
    ReadContext context,
    Routers routers,
    @Nullable Executor threads,
    LongSupplier nanos,
    UnwantedReads looks) {
  Routing(ReadContext context, Routers routers, @Nullable Executor threads, LongSupplier nanos) {
    this(context, routers, threads, nanos, new UnwantedReads(context));
  }

  /** The time now, by difference only. */
  long now() {
    return nanos.getAsLong();
  }
}
