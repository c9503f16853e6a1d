// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.LocalSocket;
import io.rdio.nativeio.SharedMemory;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;

/** A lane on which a test says what it likes, as an attacker would. */
public final class RawLane implements Closeable {
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final int fd;
  private final Connection connection;
  private final Frame frame = new Frame();
  private boolean open = true;
  private long mapped;
  private long mappedBytes;

  private RawLane(int fd) {
    this.fd = fd;
    this.connection = new Connection(fd);
  }

  public static RawLane connect(Path socket) throws IOException {
    return connect(socket, PATIENCE_NANOS);
  }

  /** With another patience. */
  public static RawLane connect(Path socket, long patienceNanos) throws IOException {
    int fd = LocalSocket.connect(socket.toString(), 0);
    if (fd < 0) {
      throw new IOException("connecting to " + socket + ": " + Errno.text(fd));
    }
    RawLane lane = new RawLane(fd);
    lane.connection.setTimeout(patienceNanos);
    return lane;
  }

  public boolean isOpen() {
    return open;
  }

  /** Sends these bytes as they are. */
  public void send(byte[] message) throws IOException {
    send(message, LocalSocket.NO_FD);
  }

  /** Sends these bytes as they are, with a descriptor, which stays the caller's. */
  public void send(byte[] message, int descriptor) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(message.length).put(message);
    int sent = LocalSocket.send(fd, DirectReader.addressOf(bytes), message.length, descriptor);
    if (sent < 0) {
      throw new IOException("send: " + Errno.text(sent));
    }
  }

  /** Whether there is an answer, which is taken. */
  public boolean hasAnswer() throws IOException {
    return connection.receive(frame, false);
  }

  /** The next answer, to be read from the frame. */
  public Frame receive() throws IOException {
    if (!connection.receive(frame, true)) {
      throw new IOException("no answer");
    }
    return frame;
  }

  /** Says a proper HELLO; the session's number. */
  public long hello() throws IOException {
    frame
        .begin(Protocol.HELLO, 0)
        .put(Protocol.MAGIC)
        .put(Protocol.VERSION_MIN)
        .put(Protocol.VERSION_MAX)
        .put("raw", Protocol.NAME_MAX);
    connection.send(frame);
    receive();
    if (frame.kind() != Protocol.WELCOME) {
      throw new IOException("no WELCOME: " + frame.getText(Protocol.NAME_MAX));
    }
    frame.getInt();
    frame.getInt();
    frame.getInt();
    frame.getLong();
    return frame.getLong();
  }

  /** What is answered to a JOIN. */
  public String join(long session, byte[] key) throws IOException {
    frame
        .begin(Protocol.JOIN, 0)
        .put(Protocol.MAGIC)
        .put(Protocol.VERSION_MAX)
        .put(session)
        .put(key, Protocol.KEY_BYTES);
    connection.send(frame);
    return answer();
  }

  /** A message to be filled in, and {@linkplain #ask sent}. */
  public Frame begin(int kind) {
    return frame.begin(kind, 1);
  }

  /** Sends that, and waits for nothing. */
  public void tell() throws IOException {
    connection.send(frame);
  }

  /** Sends it; what is answered. */
  public String ask() throws IOException {
    tell();
    return answer();
  }

  /** What is answered next. */
  public String answer() throws IOException {
    receive();
    return frame.kind() == Protocol.REFUSED
        ? frame.getText(Protocol.NAME_MAX) + ": " + frame.getText(Protocol.DETAIL_MAX)
        : "kind " + frame.kind();
  }

  /** Shares a segment. */
  public void share(long length) throws IOException {
    String answer = share(SharedMemory.create(length), length);
    if (!answer.equals("kind " + Protocol.OK)) {
      throw new IOException(answer);
    }
  }

  private String share(int descriptor, long announced) throws IOException {
    frame.begin(Protocol.SEGMENT, 0).put(announced);
    connection.send(frame, descriptor);
    LocalSocket.close(descriptor);
    return answer();
  }

  /** Shares a segment that this process can write to at any time until it is closed. */
  public ByteBuffer shareMapped(long length) throws IOException {
    int descriptor = SharedMemory.create(length);
    mappedBytes = length;
    mapped = SharedMemory.map(descriptor, length);
    ByteBuffer memory = SharedMemory.bufferOf(mapped, length);
    String answer = share(descriptor, length);
    if (memory == null || !answer.equals("kind " + Protocol.OK)) {
      throw new IOException(answer);
    }
    return memory;
  }

  public String shareTooMuch(long length) throws IOException {
    return share(SharedMemory.create(length), length);
  }

  public String shareWrongLength(long length) throws IOException {
    return share(SharedMemory.create(length), length + 4096);
  }

  /** What is no memory at all. */
  public String shareDescriptorOfASocket() throws IOException {
    frame.begin(Protocol.SEGMENT, 0).put(4096L);
    connection.send(frame, fd);
    return answer();
  }

  /** Opens a block; its handle. */
  public int open(BlockName name) throws IOException {
    frame.begin(Protocol.OPEN, 0).put(0);
    name.putTo(frame);
    connection.send(frame);
    receive();
    if (frame.kind() != Protocol.OPENED) {
      throw new IOException(frame.getText(Protocol.NAME_MAX));
    }
    return frame.getInt();
  }

  /** Asks for bytes to a place that the agent should look at twice. */
  public void read(int handle, long offset, int length, int placeAt, int room) throws IOException {
    frame
        .begin(Protocol.READ, 1)
        .put(handle)
        .put(0)
        .put(offset)
        .put(length)
        .put(placeAt)
        .put(room)
        .put(placeAt)
        .put(room);
    connection.send(frame);
  }

  /** Has bytes read that will be wanted again; what is answered. */
  public String readAgainAndAgain(int handle, long offset, int length, int dataAt, int crcAt)
      throws IOException {
    frame
        .begin(Protocol.READ, 1)
        .put(handle)
        .put(Protocol.KEEP_CRCS)
        .put(offset)
        .put(length)
        .put(dataAt)
        .put(length + Protocol.SLACK)
        .put(crcAt)
        .put(SharedSegment.CRC_ROOM);
    connection.send(frame);
    return answer();
  }

  /** Sends a message of a known kind with fields that make little sense, and takes its answer. */
  public void sendRandom(Random random) throws IOException {
    int kind = random.nextInt(Protocol.LAST_KIND + 2);
    frame.begin(kind, random.nextInt());
    int words = random.nextInt(10);
    for (int i = 0; i < words; i++) {
      frame.put(random.nextBoolean() ? random.nextInt(1 << 20) : random.nextInt());
    }
    try {
      connection.send(frame);
      if (kind != Protocol.CLOSE || words != 1) {
        receive();
      }
    } catch (EOFException e) {
      open = false;
    } catch (IOException e) {
      open = false; // it was closed while this was sent
    }
  }

  @Override
  public void close() {
    connection.close();
    if (mapped != 0) {
      SharedMemory.unmap(mapped, mappedBytes);
      mapped = 0;
    }
  }
}
