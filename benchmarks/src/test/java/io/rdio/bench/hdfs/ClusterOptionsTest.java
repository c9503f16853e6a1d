// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ClusterOptionsTest {
  private final ClusterOptions options = new ClusterOptions();

  @TempDir private Path folder;

  private void parse(Path mapTrace) {
    CommandLine.populateCommand(options, "--map-trace", mapTrace.toString());
    options.check();
  }

  @Test
  void clientsRecordNothingUnlessAskedTo() {
    options.check();
    assertThat(options.recordsMaps()).isFalse();
    assertThat(options.recordingOptions("rdio")).isEmpty();
  }

  @Test
  void eachClientRecordsToAFileOfItsOwn() {
    parse(folder);
    assertThat(options.recordsMaps()).isTrue();
    assertThat(options.recordingOptions("routed"))
        .anySatisfy(
            option ->
                assertThat(option)
                    .contains("+io.rdio.FileMapRequest#enabled=true,maxsize=256m,")
                    .endsWith(",filename=" + folder.resolve("maps-routed.jfr")));
  }

  @Test
  void folderMustBeThere() {
    assertThatThrownBy(() -> parse(folder.resolve("none")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--map-trace")
        .hasMessageContaining("name a folder that exists");
  }
}
