// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.ChannelFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where the plane of grants asks, and when it looks for another port. */
final class GrantPlaneTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final DataNodeId DATA_NODE = new DataNodeId("nobody-is-here", 9866, 0);

  private final List<DataNodeId> forgotten = new ArrayList<>();
  private FallbackReason resolving = FallbackReason.DISABLED;
  private final GrantPlane plane =
      new GrantPlane(
          new MetadataClientSettings("client", LONG, LONG, Duration.ZERO),
          new Endpoints(),
          new InProcess(),
          () -> 0,
          new ClientCounters());

  private FallbackReason refusal() {
    return refused().reason();
  }

  private FallbackException refused() {
    BlockAsk ask = new BlockAsk(new TokenedBlock(new BlockKey("BP-1", 1, 1001)), "DS-1", false);
    return catchThrowableOfType(FallbackException.class, () -> plane.maps(DATA_NODE, List.of(ask)));
  }

  @AfterEach
  void close() {
    plane.close();
  }

  @Test
  void endpointThatDoesNotAnswerIsForgotten() {
    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(forgotten).containsExactly(DATA_NODE);
  }

  @Test
  void endpointIsKeptWhileItsDataNodeIsLeftAlone() {
    refusal();
    forgotten.clear();

    FallbackException backOff = refused();
    assertThat(backOff.reason()).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    assertThat(backOff).hasCauseInstanceOf(FallbackException.class);
    assertThat(backOff.getCause()).hasMessageContaining("METADATA_PLANE_UNREACHABLE");
    assertThat(forgotten).isEmpty();
  }

  @Test
  void refusalToNameAnEndpointIsTheAnswer() {
    resolving = FallbackReason.METADATA_PLANE_BACKOFF;

    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    assertThat(forgotten).isEmpty();
  }

  private final class Endpoints implements EndpointResolver {
    @Override
    public String endpoint(DataNodeId dataNode) throws FallbackException {
      if (resolving != FallbackReason.DISABLED) {
        throw new FallbackException(resolving, "not known");
      }
      return dataNode.host();
    }

    @Override
    public void forget(DataNodeId dataNode) {
      forgotten.add(dataNode);
    }
  }

  private static final class InProcess implements ChannelFactory {
    @Override
    public ManagedChannel open(String endpoint) {
      return InProcessChannelBuilder.forName(endpoint).directExecutor().build();
    }

    @Override
    public void close() {}
  }
}
