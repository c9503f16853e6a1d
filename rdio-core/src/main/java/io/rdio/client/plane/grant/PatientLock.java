// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A lock that is held while a DataNode is asked, so that nobody waits for it without a bound. */
final class PatientLock {
  private final String endpoint;
  private final ReentrantLock lock = new ReentrantLock();

  PatientLock(String endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Takes it; {@link #unlock} must follow.
   *
   * @throws FallbackException METADATA_PLANE_UNREACHABLE when the patience is over, or INTERRUPTED
   *     with the thread's interrupt flag set
   */
  void lock(Patience patience) throws FallbackException {
    try {
      if (lock.tryLock(patience.leftNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(
          FallbackReason.INTERRUPTED, "waiting for others who ask " + endpoint, e);
    }
    throw new FallbackException(
        FallbackReason.METADATA_PLANE_UNREACHABLE,
        "others who ask " + endpoint + " first had no answer in time");
  }

  void unlock() {
    lock.unlock();
  }
}
