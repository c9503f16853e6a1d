// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.hdfs.Checks;
import java.time.Duration;

/**
 * For how long each client reads before the rounds. A JVM goes on compiling for half a minute of
 * reads and more, in which it has neither both processors nor their seconds for reading.
 *
 * @param seconds of streams; positional reads of each size have three fifths of it
 */
record WarmUp(double seconds) {
  private static final double POSITIONAL_PART = 0.6;
  private static final double MILLIS = 1e3;

  /**
   * Checks the option.
   *
   * @throws IllegalArgumentException naming option and value
   */
  WarmUp {
    Checks.requirePositive("--warm-up", seconds);
  }

  Duration ofStreams() {
    return Duration.ofMillis(Math.round(seconds * MILLIS));
  }

  double positionalSeconds() {
    return POSITIONAL_PART * seconds;
  }
}
