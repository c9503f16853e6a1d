// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import org.junit.jupiter.api.Test;

class WriteKindTest {
  @Test
  void asManyKindsAsThereAreDataNodesFor() {
    assertThat(WriteKind.of(1)).extracting(WriteKind::name).containsExactly("replication_1");
    assertThat(WriteKind.of(2))
        .extracting(WriteKind::name)
        .containsExactly("replication_1", "replication_2");
    assertThat(WriteKind.of(4))
        .extracting(WriteKind::name)
        .containsExactly("replication_1", "replication_3");
    assertThat(WriteKind.of(5))
        .extracting(WriteKind::name)
        .containsExactly("replication_1", "replication_3", "rs_3_2");
  }

  @Test
  void aCodeStoresItsParityAndNoReplicas() {
    WriteKind coded = WriteKind.of(5).get(2);
    WriteKind three = WriteKind.of(5).get(1);

    assertThat(coded.isCoded()).isTrue();
    assertThat(coded.replication()).isEqualTo(1);
    assertThat(coded.bounds().stored()).isCloseTo(5.0 / 3, offset(1e-9));
    assertThat(three.isCoded()).isFalse();
    assertThat(three.replication()).isEqualTo(3);
    assertThat(three.bounds().stored()).isEqualTo(3);
    assertThat(coded.folder()).isNotEqualTo(three.folder());
  }
}
