// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/** How long reads from other hosts took, which Hadoop counts from 3.4 on. Thread-safe. */
final class RemoteReadTime {
  private static final @Nullable MethodHandle ADD = find();

  private RemoteReadTime() {}

  private static @Nullable MethodHandle find() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(
              FileSystem.Statistics.class,
              "increaseRemoteReadTime",
              MethodType.methodType(void.class, long.class));
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  /** Adds one read's, in whole milliseconds, as Hadoop does; nothing in an older Hadoop. */
  static void add(FileSystem.Statistics statistics, long nanos) {
    MethodHandle add = ADD;
    if (add == null) {
      return;
    }
    try {
      add.invokeExact(statistics, TimeUnit.NANOSECONDS.toMillis(nanos));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("increaseRemoteReadTime declares no " + e, e);
    }
  }
}
