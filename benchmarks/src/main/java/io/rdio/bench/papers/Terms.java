// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.nio.file.Path;
import java.util.List;

/**
 * On what terms a part is run.
 *
 * @param quick whether the shape is all that is asked for
 * @param deadline when it has to be done
 * @param folder for its files, which exists
 * @param traces folders with traces
 */
record Terms(boolean quick, Deadline deadline, Path folder, List<Path> traces) {
  Terms {
    traces = List.copyOf(traces);
  }
}
