// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KnownFilesTest {
  private static final FileSet ONE = new FileSet("/one-", 2, 50);
  private static final FileSet TWO = new FileSet("/two-", 1, 70);

  private final KnownFiles known = new KnownFiles();

  private static KnownFiles.Reader reader(String one, long bytesOfOne) {
    return files ->
        files.equals(ONE)
            ? new ReadOutcome(one, bytesOfOne, 0, 0, Map.of())
            : new ReadOutcome("b", 70, 0, 0, Map.of());
  }

  @Test
  void filesThatAreNotWhatWasWrittenAreNamed() throws IOException {
    known.add(ONE, "a");
    known.add(TWO, "b");

    assertThat(known.differing(reader("a", 100))).isEmpty();
    assertThat(known.differing(reader("c", 100))).containsExactly("/one-");
    assertThat(known.differing(reader("a", 99))).containsExactly("/one-");
  }

  @Test
  void whatIsRemovedIsNotLookedAt() throws IOException {
    known.add(ONE, "a");
    known.remove(ONE);

    assertThat(known.differing(reader("c", 1))).isEmpty();
  }
}
