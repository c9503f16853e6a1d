// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AgentMetricsTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private static HttpResponse<String> get(AgentMetrics metrics, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + metrics.address().getPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void figuresOfNowAreShown() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (AgentMetrics metrics =
        AgentMetrics.start(
            ANY, () -> "rdio_agent_asked " + asked.incrementAndGet() + "\n", () -> {})) {
      assertThat(get(metrics, "/metrics").body()).isEqualTo("rdio_agent_asked 1\n");
      assertThat(get(metrics, "/metrics").body()).isEqualTo("rdio_agent_asked 2\n");
      assertThat(get(metrics, "/other").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void healthIsThatOfNowAndSaysWhatIsWrong() throws Exception {
    AtomicBoolean dead = new AtomicBoolean();
    AgentMetrics.Health health =
        () -> {
          if (dead.get()) {
            throw new FallbackException(FallbackReason.AGENT_UNAVAILABLE, "/run/x.sock");
          }
        };
    try (AgentMetrics metrics = AgentMetrics.start(ANY, () -> "", health)) {
      assertThat(get(metrics, "/health").statusCode()).isEqualTo(200);
      dead.set(true);
      HttpResponse<String> answer = get(metrics, "/health");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("AGENT_UNAVAILABLE", "/run/x.sock");
      dead.set(false);
      assertThat(get(metrics, "/health").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void addressThatIsTakenIsAnError() throws Exception {
    try (AgentMetrics metrics = AgentMetrics.start(ANY, () -> "", () -> {})) {
      assertThatThrownBy(() -> AgentMetrics.start(metrics.address(), () -> "", () -> {}))
          .isInstanceOf(IOException.class);
    }
  }
}
