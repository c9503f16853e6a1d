// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.util.List;

/**
 * A device that was found fenced. Two that are equal are of one fence, and of one state of the
 * device. Immutable.
 *
 * @param records of the hosts that are shut out
 * @param generation of the device's reservations, which each change of them raises
 * @param written what this host has written to it
 */
public record StandingFence(List<FenceRecord> records, long generation, String written) {
  public StandingFence {
    records = List.copyOf(records);
  }
}
