// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.nativeio.write.DeviceWriter;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;

/**
 * The library's lease on one slot: the methods of {@link DeviceWriter} with their errors. The
 * process is killed at the deadline unless the lease was ended before. Thread-safe.
 */
interface SlotLease {
  /** Another deadline, of CLOCK_BOOTTIME itself. */
  int renew(long deadlineNanos);

  /** The stamps, one unit behind the other; how many, or -errno. */
  int readStamps(ByteBuffer to, int unit);

  /** Writes a range of the slot, and waits for the device; 0 or -errno. */
  int write(long offset, long address, int length, boolean isLast);

  /** Not to be called again once it was {@link WriteEnd#CLEAN} or {@link WriteEnd#FAILED}. */
  WriteEnd end(long timeoutNanos);
}
