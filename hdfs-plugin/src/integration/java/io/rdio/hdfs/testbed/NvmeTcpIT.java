// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One boot of the test bed: NVMe/TCP between three hosts, HDFS on it, the bytes on the links and
 * the faults of the fabric. Takes four to eight minutes where the processor is emulated.
 */
@Tag("vm")
@Tag("alone")
class NvmeTcpIT {
  private static JsonNode figures = new ObjectMapper().createObjectNode();

  @BeforeAll
  static void boot() throws IOException, InterruptedException {
    figures = Boot.hdfs();
  }

  private static double perByte(String pass, String link) {
    return figures.path(pass).path(link).asDouble(Double.NaN);
  }

  @Test
  void everyByteReadIsTheOneWritten() {
    assertThat(figures.path("sha256_ok").asBoolean()).isTrue();
  }

  @Test
  void stockHdfsMovesColdBytesTwice() {
    assertThat(perByte("stock_cold", "total")).isBetween(1.95, 2.2);
    assertThat(perByte("stock_cold", "storage_to_datanode")).isGreaterThan(0.95);
    assertThat(perByte("stock_cold", "datanode_to_client")).isGreaterThan(0.95);
  }

  @Test
  void rdioMovesThemOnceAndNotOverTheComputeLink() {
    for (String pass : List.of("rdio_cold", "rdio_warm")) {
      assertThat(perByte(pass, "storage_to_client")).as(pass).isGreaterThanOrEqualTo(1);
      assertThat(perByte(pass, "total")).as(pass).isLessThanOrEqualTo(1.03);
      assertThat(perByte(pass, "datanode_to_client")).as(pass).isLessThanOrEqualTo(0.02);
    }
  }

  @Test
  void warmMapsSaveTrafficAtEverySize() {
    assertThat(figures.path("table")).hasSize(4);
    for (JsonNode row : figures.path("table")) {
      double stock = row.path("stock").path("total").asDouble();
      double warm = row.path("rdio_warm_maps").path("total").asDouble();
      assertThat(stock / warm).as("%s", row).isGreaterThan(1.76);
    }
  }

  @Test
  void everyFaultEndsWithTheRightBytesAndRdioBack() {
    assertThat(figures.path("faults")).hasSize(7);
    for (JsonNode fault : figures.path("faults")) {
      assertThat(fault.path("ok").asBoolean()).as("%s", fault).isTrue();
    }
  }
}
