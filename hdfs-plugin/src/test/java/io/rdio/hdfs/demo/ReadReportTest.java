// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadReportTest {
  @Test
  void passesThroughAFile(@TempDir Path folder) throws IOException {
    ReadReport report = new ReadReport(1.25, 1L << 40, 1L << 39, Map.of("LEASE_EXPIRED", 3L));
    report.write(folder.resolve("report"));
    assertThat(ReadReport.read(folder.resolve("report"))).isEqualTo(report);
  }

  @Test
  void clientThatWroteNoneIsNotTakenForOneWithoutBytes(@TempDir Path folder) {
    assertThatThrownBy(() -> ReadReport.read(folder.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }
}
