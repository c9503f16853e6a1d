// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import java.nio.file.Path;
import java.util.concurrent.Executor;

/**
 * Where the write room has its work done: whatever waits for a disk, on threads of that disk's
 * volume alone, so that a volume which hangs for ever holds up no other. Thread-safe.
 */
public interface WriteThreads {
  /**
   * For Allocate on a volume; asked for once for each volume.
   *
   * @return runs a bounded number of tasks at a time, and refuses with a {@link
   *     java.util.concurrent.RejectedExecutionException} beyond a bounded number that wait
   */
  Executor allocating(Path volumeRoot);

  /**
   * For opening a volume, making slots, and ending replicas and quarantines there; asked for once
   * for each volume.
   *
   * @return runs one task after the other; refuses none
   */
  Executor upkeep(Path volumeRoot);

  /**
   * Runs one Commit on a new thread that is for nothing else and ends with it: block recovery
   * interrupts a replica's writer, and waits for the end of its thread.
   */
  void commit(String name, Runnable work);

  /**
   * Has work done later, which itself waits for nothing.
   *
   * @return ends the waiting; without effect once the work is done
   */
  Runnable after(long nanos, Runnable work);
}
