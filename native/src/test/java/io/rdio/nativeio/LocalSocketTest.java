// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The binding, and shared memory that goes through a socket; the rest is tested in C. */
final class LocalSocketTest {
  private static final int OWNER_ONLY = 0600;
  private static final int LENGTH = 1 << 20;

  private final ByteBuffer message = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
  private @TempDir Path directory;
  private int listener;
  private int client;
  private int server;

  @BeforeEach
  void connect() {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    String path = directory.resolve("socket").toString();
    listener = LocalSocket.listen(path, OWNER_ONLY, 1);
    client = LocalSocket.connect(path, 0);
    server = LocalSocket.accept(listener, 1000);
    assertThat(new int[] {listener, client, server}).doesNotContain(LocalSocket.NO_FD);
  }

  @AfterEach
  void close() {
    LocalSocket.close(client);
    LocalSocket.close(server);
    LocalSocket.close(listener);
  }

  @Test
  void tellsWhoIsAtTheOtherEnd() {
    assertThat(LocalSocket.peer(server, address())).isZero();
    assertThat(message.getLong(16)).isEqualTo(ProcessHandle.current().pid());
  }

  @Test
  void messagesArriveWhole() {
    message.put(0, "hello".getBytes(StandardCharsets.US_ASCII));

    assertThat(LocalSocket.send(client, address(), 5, LocalSocket.NO_FD)).isEqualTo(5);
    message.put(0, new byte[5]);
    long received = LocalSocket.receive(server, address(), message.capacity(), true);

    assertThat(LocalSocket.lengthOf(received)).isEqualTo(5);
    assertThat(LocalSocket.passedOf(received)).isEqualTo(LocalSocket.NO_FD);
    byte[] text = new byte[5];
    message.get(0, text);
    assertThat(new String(text, StandardCharsets.US_ASCII)).isEqualTo("hello");
  }

  @Test
  void whatIsWrittenHereIsReadThere() {
    int mine = SharedMemory.create(LENGTH);
    assertThat(LocalSocket.send(client, address(), 1, mine)).isEqualTo(1);
    long received = LocalSocket.receive(server, address(), message.capacity(), true);
    int theirs = LocalSocket.passedOf(received);
    assertThat(SharedMemory.length(theirs)).isEqualTo(LENGTH);

    long here = SharedMemory.map(mine, LENGTH);
    long there = SharedMemory.map(theirs, LENGTH);
    SharedMemory.bufferOf(here, LENGTH).put(LENGTH - 1, (byte) 42);

    assertThat(SharedMemory.bufferOf(there, LENGTH).get(LENGTH - 1)).isEqualTo((byte) 42);
    assertThat(SharedMemory.footprint(theirs)).isPositive();
    assertThat(SharedMemory.release(mine, 0, LENGTH)).isZero();
    assertThat(SharedMemory.footprint(theirs)).isZero();
    assertThat(SharedMemory.unmap(here, LENGTH)).isZero();
    assertThat(SharedMemory.unmap(there, LENGTH)).isZero();
    assertThat(LocalSocket.close(mine)).isZero();
    assertThat(LocalSocket.close(theirs)).isZero();
  }

  @Test
  void errorsAreNumbers() {
    assertThat(LocalSocket.receive(server, address(), message.capacity(), false))
        .isEqualTo(-Errno.EAGAIN);
    assertThat(LocalSocket.receive(server, address(), 0, false)).isNegative();
    assertThat(LocalSocket.passedOf(-Errno.EAGAIN)).isEqualTo(LocalSocket.NO_FD);
    assertThat(LocalSocket.send(client, address(), 0, LocalSocket.NO_FD)).isNegative();
    assertThat(LocalSocket.connect(directory.resolve("nobody").toString(), 0))
        .isEqualTo(-Errno.ENOENT);
    assertThat(SharedMemory.length(server)).isEqualTo(-Errno.EPERM);
    assertThat(SharedMemory.create(0)).isNegative();
    LocalSocket.shutdown(client);
    assertThat(LocalSocket.receive(server, address(), message.capacity(), true)).isZero();
    assertThat(LocalSocket.send(server, address(), 1, LocalSocket.NO_FD)).isEqualTo(-Errno.EPIPE);
  }

  private long address() {
    return DirectReader.addressOf(message);
  }
}
