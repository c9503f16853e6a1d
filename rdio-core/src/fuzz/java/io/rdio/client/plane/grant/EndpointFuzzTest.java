// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.NettyChannelFactory;
import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Host names and ports of any form, as a broken NameNode or /jmx page may give them. */
final class EndpointFuzzTest {
  private static final Duration SHORT = Duration.ofMillis(50);

  @Property(tries = 60)
  void senselessEndpointIsUnreachable(@ForAll("hosts") String host, @ForAll("ports") int port) {
    try (MetadataClient client =
        new MetadataClient(
            new MetadataClientSettings("client", SHORT, SHORT, SHORT),
            new NettyChannelFactory(),
            System::nanoTime,
            new ClientCounters(),
            new Nobody())) {
      String endpoint = new DataNodeId(host, 9866, 0).withPort(port);
      FallbackException refusal =
          catchThrowableOfType(FallbackException.class, () -> client.hello(endpoint));
      assertThat(refusal.reason())
          .isIn(FallbackReason.METADATA_PLANE_UNREACHABLE, FallbackReason.METADATA_PLANE_ERROR);
    }
  }

  @Provide
  Arbitrary<String> hosts() {
    Arbitrary<String> odd =
        Arbitraries.of(
            "",
            " ",
            "a b",
            "[",
            "::1::",
            "[::1",
            "host/../x",
            "a:b",
            "@",
            "%zz",
            "\0",
            "#",
            "?",
            "\u00e4");
    return Arbitraries.oneOf(odd, Arbitraries.strings().ofMaxLength(12).map(s -> s + ".invalid"));
  }

  @Provide
  Arbitrary<Integer> ports() {
    return Arbitraries.of(Integer.MIN_VALUE, -1, 0, 1, 65535, 65536, Integer.MAX_VALUE);
  }

  private static final class Nobody implements MapListener {
    @Override
    public void lost(FileMap map) {}

    @Override
    public void ranOut(FileMap map) {}
  }
}
