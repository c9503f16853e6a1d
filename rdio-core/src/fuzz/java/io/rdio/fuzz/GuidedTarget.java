// SPDX-License-Identifier: Apache-2.0
package io.rdio.fuzz;

import java.util.List;
import java.util.concurrent.Callable;

/**
 * A class that Jazzer calls with bytes.
 *
 * @param type has {@code public static void fuzzerTestOneInput(byte[])}; its name ends in Target
 * @param bytesMax how many it is called with at most
 * @param seeds what the first bytes are made from
 */
record GuidedTarget(Class<?> type, int bytesMax, Callable<List<byte[]>> seeds) {
  String name() {
    return type.getSimpleName().replaceFirst("Target$", "");
  }
}
