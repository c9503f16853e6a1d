// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.tune;

import io.rdio.client.ReadGeometry;
import io.rdio.client.read.RunShape;
import io.rdio.core.device.DeviceDepth;
import java.util.ArrayList;
import java.util.List;

/**
 * What can be set of how a sequential run reads, in bytes. Immutable.
 *
 * @param readAheadBytes what a sequential reader may have under way
 * @param windowBytes data bytes of the largest window
 */
public record ReadSetting(int readAheadBytes, int windowBytes) {
  private static final int SMALL_WINDOW = 64 << 10;

  /** What readers make of it. */
  public RunShape shape(boolean hasQueue) {
    return RunShape.of(readAheadBytes, windowBytes, hasQueue);
  }

  /**
   * Those worth trying: each makes readers read in another way.
   *
   * @param hasQueue whether several reads can be under way
   * @param mostBytes that a reader may have under way
   */
  public static List<ReadSetting> candidates(boolean hasQueue, long mostBytes) {
    List<ReadSetting> candidates = new ArrayList<>();
    if (hasQueue) {
      candidates.add(new ReadSetting(ReadGeometry.LONG_RUN, SMALL_WINDOW));
      // Shorter runs go by windows of one size, so the largest one may stay what it is by default.
      for (int ahead = ReadGeometry.WINDOW; ahead < ReadGeometry.LONG_RUN; ahead *= 2) {
        candidates.add(new ReadSetting(ahead, ReadGeometry.LONG_WINDOW));
      }
    }
    for (int ahead = DeviceDepth.MOST; hasQueue && ahead > ReadGeometry.LONG_RUN; ahead /= 2) {
      candidates.add(new ReadSetting(ahead, ReadGeometry.LONG_WINDOW));
    }
    int largest = hasQueue ? ReadGeometry.LONG_WINDOW : ReadGeometry.LONG_RUN;
    for (int window = ReadGeometry.WINDOW; window <= largest; window *= 2) {
      candidates.add(new ReadSetting(ReadGeometry.LONG_RUN, window));
    }
    candidates.removeIf(setting -> setting.shape(hasQueue).bytes() > mostBytes);
    return candidates;
  }
}
