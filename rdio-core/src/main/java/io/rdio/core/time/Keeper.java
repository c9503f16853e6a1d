// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Has work done again and again, whenever it is due. Thread-safe. */
public interface Keeper extends AutoCloseable {
  /** Makes keepers. */
  @FunctionalInterface
  interface Maker {
    /**
     * One that is not started.
     *
     * @param work what is due; gives the nanoseconds until it should be called again
     * @param failures counts work that threw
     */
    Keeper make(String name, LongSupplier work, LongAdder failures);
  }

  /** Begins; the work is due at once. */
  void start();

  /** Has the work done within so many nanoseconds from now, if not before. */
  void within(long nanos);

  /** Has no more work begun. */
  @Override
  void close();
}
