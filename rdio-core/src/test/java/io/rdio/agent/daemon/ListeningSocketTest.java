// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.nativeio.LocalSocket;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an administrator reads when an agent cannot listen. */
class ListeningSocketTest {
  private static final int MODE = 0666;

  private @TempDir Path directory;

  @BeforeEach
  void load() {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
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
    Process made = new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start();
    assertThat(made.waitFor()).isZero();
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
  void whatIsNoSocketIsNotDeleted() throws Exception {
    Path path = Files.writeString(directory.resolve("agent.sock"), "of somebody");
    assertRefused(path).hasMessageContaining("something that is no socket has that name");
    assertThat(path).hasContent("of somebody");
  }
}
