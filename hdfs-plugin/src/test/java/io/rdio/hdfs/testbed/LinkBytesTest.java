// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class LinkBytesTest {
  private static final NetDev.Counts LOOPBACK = new NetDev.Counts(9_000, 9_000);

  private static NetDev.Counts counts(long received, long sent) {
    return new NetDev.Counts(received, sent);
  }

  /** A client that has sent 1,000 to each of two DataNodes' devices, and 40 over the network. */
  private static LinkBytes bytes() {
    NetDev client =
        new NetDev(Map.of("cs", counts(10, 1000), "ps", counts(20, 1002), "cn", counts(7, 40)));
    NetDev first = new NetDev(Map.of("lo", LOOPBACK, "ds", counts(3, 30), "dn", counts(21, 4)));
    NetDev second = new NetDev(Map.of("lo", LOOPBACK, "es", counts(2, 50), "en", counts(19, 3)));
    return LinkBytes.of(Map.of(Host.CLIENT, client, Host.DATANODE, first, Host.DATANODE2, second));
  }

  @Test
  void eachLinkIsCountedByItsHostAndDirection() {
    assertThat(bytes().figures())
        .containsEntry("client_to_storage", 1000L)
        .containsEntry("storage_to_client", 10L)
        .containsEntry("client_path2_to_storage", 1002L)
        .containsEntry("storage_to_client_path2", 20L)
        .containsEntry("datanode_to_storage", 30L)
        .containsEntry("datanode2_to_storage", 50L)
        .containsEntry("client_to_network", 40L)
        .containsEntry("network_to_datanode2", 19L);
  }

  @Test
  void sumsHaveBothWaysOfTheStorageLinksAndWhatTheNetworkDelivered() {
    LinkBytes bytes = bytes();

    assertThat(bytes.onStorage()).isEqualTo(10 + 1000 + 20 + 1002 + 3 + 30 + 2 + 50);
    assertThat(bytes.onCompute()).isEqualTo(7 + 21 + 19);
    assertThat(bytes.total()).isEqualTo(bytes.onStorage() + bytes.onCompute());
    assertThat(bytes.figures())
        .containsEntry("storage", bytes.onStorage())
        .containsEntry("compute", bytes.onCompute())
        .containsEntry("total", bytes.total());
  }

  @Test
  void figuresAreOfTheTimeBetweenTwoReadings() {
    LinkBytes nothing = bytes().since(bytes());
    LinkBytes all = bytes().since(LinkBytes.of(Map.of()));

    assertThat(nothing.total()).isZero();
    assertThat(nothing.figures()).hasSameSizeAs(bytes().figures());
    assertThat(all).isEqualTo(bytes());
  }

  @Test
  void otherInterfacesAreNoLinks() {
    LinkBytes bytes =
        LinkBytes.of(Map.of(Host.CLIENT, new NetDev(Map.of("lo", LOOPBACK, "sit0", LOOPBACK))));

    assertThat(bytes.total()).isZero();
  }
}
