// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NetDevTest {
  private static final List<String> HEADINGS =
      List.of(
          "Inter-|   Receive                                                |  Transmit",
          " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs"
              + " drop fifo colls carrier compressed");

  private static List<String> file(String... lines) {
    return Stream.concat(HEADINGS.stream(), Stream.of(lines)).toList();
  }

  @Test
  void eachInterfaceHasBytesReceivedAndSent() throws IOException {
    NetDev links =
        NetDev.parse(
            file(
                "    lo:    7     1    0    0    0     0          0         0     7  1 0 0 0 0 0 0",
                "  cs: 1001   12    0    0    0     0          0         0    2002   9 0 0 0 0 0 0",
                "cn:3003 1 0 0 0 0 0 0 4004 1 0 0 0 0 0 0"));

    assertThat(links.links()).containsOnlyKeys("lo", "cs", "cn");
    assertThat(links.link("cs")).isEqualTo(new NetDev.Counts(1001, 2002));
    assertThat(links.link("cn")).isEqualTo(new NetDev.Counts(3003, 4004));
  }

  @Test
  void anInterfaceThatIsNotThereIsToldWithThoseThatAre() throws IOException {
    NetDev links = NetDev.parse(file("cs:1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0"));

    assertThatThrownBy(() -> links.link("cn"))
        .isInstanceOf(IOException.class)
        .hasMessage("no interface cn among [cs]");
  }

  @Test
  void aLineThatIsCutShortIsNoCount() {
    assertThatThrownBy(() -> NetDev.parse(file("cs: 1001 12 0 0 0 0 0 0")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cs: 1001 12");
  }

  @Test
  void thisProcessHasALoopback() throws IOException {
    NetDev links = NetDev.of(ProcessHandle.current().pid());

    assertThat(links.link("lo").received()).isNotNegative();
  }
}
