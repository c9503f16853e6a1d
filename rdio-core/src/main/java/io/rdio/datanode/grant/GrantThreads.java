// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.nio.file.Path;
import java.util.concurrent.Executor;

/**
 * Where the grant service has its work done: whatever waits for a disk, on threads of that disk's
 * volume alone, so that a volume which hangs for ever holds up no other. Thread-safe.
 */
public interface GrantThreads {
  /**
   * For pinning blocks on a volume; asked for once for each volume.
   *
   * @return runs a bounded number of tasks at a time, and refuses with a {@link
   *     java.util.concurrent.RejectedExecutionException} beyond a bounded number that wait
   */
  Executor pinning(Path volumeRoot);

  /**
   * For opening a volume, removing links there and looking round; asked for once for each volume.
   *
   * @return runs one task after the other; refuses none
   */
  Executor upkeep(Path volumeRoot);

  /**
   * Has work done later, which itself waits for nothing.
   *
   * @return ends the waiting; without effect once the work is done
   */
  Runnable after(long nanos, Runnable work);
}
