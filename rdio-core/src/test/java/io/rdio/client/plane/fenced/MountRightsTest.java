// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may make copies, by what the kernel says of him. */
final class MountRightsTest {
  private static final String ALL = "000001ffffffffff";

  @TempDir Path directory;

  private Optional<String> whyUnable(int user, String effective) throws IOException {
    String status = "Name:\tjava\nUmask:\t0022\nUid:\t" + user + "\t0\t0\t0\nCapInh:\t" + ALL;
    status += "\nCapPrm:\t" + ALL + "\nCapEff:\t" + effective + "\nCapBnd:\t" + ALL + "\n";
    return MountRights.whyUnable(Files.writeString(directory.resolve("status"), status));
  }

  @ParameterizedTest
  @ValueSource(strings = {ALL, "0000000000200002", "0000000000200004"})
  void rootWithWhatItTakes(String capabilities) throws Exception {
    assertThat(whyUnable(0, capabilities)).isEmpty();
  }

  @Test
  void anotherUserIsToldOfTheAgent() throws Exception {
    assertThat(whyUnable(998, ALL)).get().asString().contains("not run as root", "docs/agent.md");
  }

  /** As a unit leaves them that bounds its service. */
  @ParameterizedTest
  @ValueSource(strings = {"0000000000000000", "0000000000200000", "0000000000000006"})
  void rootWithoutItsCapabilities(String capabilities) throws Exception {
    assertThat(whyUnable(0, capabilities))
        .get()
        .asString()
        .contains("CAP_SYS_ADMIN", "docs/agent.md");
  }
}
