// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.write.SlotStamp;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Whether a device shows the stamps of a slot where this host believes its extents to be (W12). */
final class StampCheck {
  private StampCheck() {}

  /**
   * Reads them by the descriptor that will write.
   *
   * @throws FallbackException DEVICE_MISMATCH with what is there instead; LEASE_EXPIRED or
   *     DEVICE_IO_ERROR
   */
  static void require(WriteLease lease) throws FallbackException {
    SlotGrant grant = lease.slot().grant();
    int unit = grant.unit();
    int count = grant.extents().count();
    ByteBuffer shown =
        ByteBuffer.allocateDirect((count + 1) * unit).alignedSlice(unit).limit(count * unit);
    lease.readStamps(shown.slice());
    for (int i = 0; i < count; i++) {
      SlotStamp wanted = new SlotStamp(grant.slot(), grant.nonce(), i, unit);
      ByteBuffer there = shown.slice(i * unit, unit);
      if (!wanted.isShownBy(there)) {
        lease.deviceFailed();
        throw new FallbackException(
            FallbackReason.DEVICE_MISMATCH,
            "at "
                + grant.extents().physical(i)
                + " of "
                + grant.device()
                + " should be "
                + wanted
                + ", and is "
                + text(SlotStamp.decode(there)));
      }
    }
  }

  private static String text(Optional<SlotStamp> found) {
    return found.map(SlotStamp::toString).orElse("no stamp");
  }
}
