// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What of the fabric script's names Java knows. */
class FabricTest {
  @Test
  void furtherDataNodesHaveAVolumeAndASubsystemEach() {
    Fabric fabric = new Fabric(Path.of("fabric"), 3);

    assertThat(fabric.volumes())
        .containsExactly(
            Path.of("/run/volumes/whole"),
            Path.of("/run/volumes/partition"),
            Path.of("/run/volumes/datanode2"),
            Path.of("/run/volumes/datanode3"));
    assertThat(Host.dataNodes(3))
        .extracting(Host::label)
        .containsExactly("datanode", "datanode2", "datanode3");
    assertThat(Host.dataNodes(3))
        .extracting(Fabric::subsystem)
        .containsExactly("volume", "volume2", "volume3");
  }

  @Test
  void hostsAreToldApartByTheirLetters() {
    assertThat(Host.values()).extracting(Host::letter).doesNotHaveDuplicates();
  }
}
