// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.testing.Command;
import io.rdio.nativeio.LocalSocket;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an administrator reads when an agent cannot listen. */
class ListeningSocketTest {
  private static final int MODE = 0666;
  private static final int AGENTS = 4;

  private final ExecutorService threads = Executors.newFixedThreadPool(AGENTS);

  private @TempDir Path directory;

  @BeforeEach
  void load() {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private static AbstractThrowableAssert<?, ?> assertRefused(Path path) {
    return assertThatThrownBy(() -> ListeningSocket.listen(path, MODE, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(path.toString());
  }

  @Test
  void folderThatIsNotThere() {
    Path folder = directory.resolve("run");
    assertRefused(folder.resolve("agent.sock"))
        .hasMessageContaining("there is no folder " + folder)
        .hasMessageContaining("install -d -m 0755 -o " + System.getProperty("user.name"))
        .hasMessageContaining("RuntimeDirectory")
        .hasMessageContaining("the path of the agent's socket to another path");
  }

  @Test
  void folderThatIsAFile() throws Exception {
    Path file = Files.createFile(directory.resolve("run"));
    assertRefused(file.resolve("agent.sock")).hasMessageContaining("there is no folder " + file);
  }

  /** In /sys not even root makes files. */
  @Test
  void folderThatIsNotWritable() {
    assertRefused(Path.of("/sys/agent.sock"))
        .hasMessageContaining("user " + System.getProperty("user.name"))
        .hasMessageContaining("may make no file in /sys.")
        .hasMessageContaining("chown");
  }

  @Test
  void pathThatIsTooLong() {
    Path longest = directory.resolve("x".repeat(107 - directory.toString().length() - 1));
    int listener = LocalSocket.listen(longest.toString(), MODE, 1);
    assertThat(listener).isPositive();
    LocalSocket.close(listener);
    assertRefused(Path.of(longest + "x"))
        .hasMessageContaining("the path has 108 bytes, and that of a socket at most 107");
  }

  @Test
  void pipeInItsPlaceStays() throws Exception {
    Path pipe = directory.resolve("agent.sock");
    Command.run("mkfifo", pipe.toString());
    assertRefused(pipe).hasMessageContaining("something that is no socket has that name");
    assertThat(pipe).exists();
  }

  @Test
  void otherServiceInItsPlaceStays() throws Exception {
    Path path = directory.resolve("agent.sock");
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(path));
      assertRefused(path).hasMessageContaining("another socket has that name");
      assertThat(path).exists();
    }
  }

  @Test
  void agentThatListensThereAlready() throws Exception {
    Path path = directory.resolve("agent.sock");
    int listener = ListeningSocket.listen(path, MODE, 1);
    assertRefused(path)
        .hasMessageContaining("Another agent listens at")
        .hasMessageContaining("process " + ProcessHandle.current().pid() + " of user ")
        .hasMessageContaining("End that one first");
    LocalSocket.close(listener);
    int next = ListeningSocket.listen(path, MODE, 1);
    assertThat(next).as("in place of the one that is gone").isPositive();
    LocalSocket.close(next);
  }

  @Test
  void ofAgentsThatStartAtOnceOneListensAndIsFound() throws Exception {
    Path path = directory.resolve("agent.sock");
    for (int round = 0; round < 50; round++) {
      LocalSocket.close(ListeningSocket.listen(path, MODE, 1)); // a dead one, since the last round
      CyclicBarrier start = new CyclicBarrier(AGENTS);
      List<CompletableFuture<Integer>> agents = new ArrayList<>();
      for (int i = 0; i < AGENTS; i++) {
        agents.add(CompletableFuture.supplyAsync(() -> listenAtOnce(path, start), threads));
      }
      List<Integer> listeners = new ArrayList<>();
      for (CompletableFuture<Integer> agent : agents) {
        int listener = agent.get(60, TimeUnit.SECONDS);
        if (listener >= 0) {
          listeners.add(listener);
        }
      }
      assertThat(listeners).hasSize(1);
      int client = LocalSocket.connect(path.toString(), 0);
      assertThat(client).isPositive();
      LocalSocket.close(client);
      LocalSocket.close(listeners.get(0));
    }
  }

  private static int listenAtOnce(Path path, CyclicBarrier start) {
    try {
      start.await(60, TimeUnit.SECONDS);
      return ListeningSocket.listen(path, MODE, 2 * AGENTS); // with room for whoever looks
    } catch (IOException e) {
      return LocalSocket.NO_FD;
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatIsNoSocketIsNotDeleted() throws Exception {
    Path path = Files.writeString(directory.resolve("agent.sock"), "of somebody");
    assertRefused(path).hasMessageContaining("something that is no socket has that name");
    assertThat(path).hasContent("of somebody");
  }
}
