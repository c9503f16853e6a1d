// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.LocalSocket;
import io.rdio.nativeio.NativeLibrary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is alive, and what is not, where every place in front of the agent is taken. */
class AgentServerTest {
  private static final Duration BOUND = Duration.ofMillis(50);

  private @TempDir Path directory;
  private Path socket;
  private int listener;
  private final List<Integer> waiting = new ArrayList<>();

  @BeforeEach
  void takeEveryPlace() {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    socket = directory.resolve("agent.sock");
    listener = LocalSocket.listen(socket.toString(), 0600, 1);
    int connection = LocalSocket.connect(socket.toString(), 0);
    while (connection >= 0) {
      waiting.add(connection);
      connection = LocalSocket.connect(socket.toString(), 0);
    }
  }

  @AfterEach
  void close() {
    waiting.forEach(LocalSocket::close);
    LocalSocket.close(listener);
  }

  @Test
  void whoAcceptsNobodyIsNot() {
    assertThatThrownBy(() -> AgentServer.requireAnswering(socket, BOUND, () -> 7))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.AGENT_BUSY));
  }

  @Test
  void whoAcceptsOthersMeanwhileIs() throws Exception {
    AtomicLong accepted = new AtomicLong();
    AgentServer.requireAnswering(socket, BOUND, accepted::incrementAndGet);
    assertThat(accepted.get()).as("asked before and after").isEqualTo(2);
  }

  @Test
  void whoAcceptsTheQuestionAndDoesNotAnswerIsNot() {
    LocalSocket.close(LocalSocket.accept(listener, 1000));
    assertThatThrownBy(() -> AgentServer.requireAnswering(socket, BOUND, () -> 7))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.AGENT_UNAVAILABLE));
  }
}
