// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Devices of this host whose own host was shut out of them by this one, so that nobody but this
 * host can write to them. Safe for any number of threads.
 */
public interface FencedDevices {
  /**
   * Nodes of those of which the records say so, as whole disks and as partitions, of one path where
   * there are several; nothing is asked of a device. Empty where there are no such records, or
   * their devices are not here.
   */
  List<Path> recorded() throws IOException;

  /**
   * Asks a device whether it is so now: one Reservation Report.
   *
   * @param node one of {@link #recorded}
   * @return equal to that of an earlier call only if nobody wrote to the device in between: neither
   *     another host, which was shut out all the while, nor this one
   * @throws IOException that says why it is not so, or not known
   */
  StandingFence look(Path node) throws IOException;
}
