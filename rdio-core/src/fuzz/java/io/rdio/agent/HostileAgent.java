// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.agent.ipc.Protocol;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.LocalSocket;
import io.rdio.nativeio.SharedMemory;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An agent that knows the protocol and keeps to it as it likes: what each connection is answered is
 * read from a script. Thread-safe.
 */
public final class HostileAgent implements Closeable {
  private static final int CRC_HEADER = 7;
  private static final int POLL_MILLIS = 5;

  private final TestBlock block;
  private final Script script;
  private final int listener;
  private final AtomicReference<@Nullable Segment> segment = new AtomicReference<>();
  private final List<Segment> mapped = new ArrayList<>();
  private final List<CountDownLatch> ends = new ArrayList<>();
  private volatile boolean closing;
  private volatile boolean lied;

  private record Segment(int fd, long address, ByteBuffer bytes, int length) {}

  public HostileAgent(Path socket, TestBlock block, Script script) {
    this.block = block;
    this.script = script;
    listener = LocalSocket.listen(socket.toString(), 0600, 16);
    if (listener < 0) {
      throw new IllegalStateException(socket + ": " + Errno.text(listener));
    }
    begin("hostile-agent", this::accept);
  }

  /** Whether it ever said anything but what an agent says. */
  public boolean hasLied() {
    return lied;
  }

  private void begin(String name, Runnable work) {
    CountDownLatch end = new CountDownLatch(1);
    synchronized (ends) {
      ends.add(end);
    }
    DaemonThreads.daemon(
            name,
            () -> {
              try {
                work.run();
              } finally {
                end.countDown();
              }
            })
        .start();
  }

  private void accept() {
    int connections = 0;
    while (!closing) {
      int fd = LocalSocket.accept(listener, POLL_MILLIS);
      if (fd >= 0) {
        Script own = script.from(37 * connections);
        connections++;
        begin("hostile-lane-" + connections, () -> new Conversation(fd, own).run());
      }
    }
  }

  /** Waits for its threads, and frees what they used. */
  @Override
  public void close() {
    closing = true;
    List<CountDownLatch> all;
    synchronized (ends) {
      all = new ArrayList<>(ends);
    }
    try {
      for (CountDownLatch end : all) {
        if (!end.await(60, TimeUnit.SECONDS)) {
          throw new AssertionError("a thread of the hostile agent does not end");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    LocalSocket.close(listener);
    synchronized (mapped) {
      for (Segment each : mapped) {
        SharedMemory.unmap(each.address, each.length);
        LocalSocket.close(each.fd);
      }
    }
  }

  /** One connection. For one thread at a time. */
  private final class Conversation implements Runnable {
    private final int fd;
    private final Script choices;
    private final ByteBuffer in = buffer();
    private final ByteBuffer out = buffer();
    private int kind;
    private int tag;

    Conversation(int fd, Script choices) {
      this.fd = fd;
      this.choices = choices;
    }

    private static ByteBuffer buffer() {
      return ByteBuffer.allocateDirect(2 * Protocol.MESSAGE_MAX).order(ByteOrder.nativeOrder());
    }

    @Override
    public void run() {
      LocalSocket.setTimeout(fd, TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
      boolean open = true;
      try {
        while (open && !closing) {
          long received = LocalSocket.receive(fd, DirectReader.addressOf(in), in.capacity(), true);
          int length = LocalSocket.lengthOf(received);
          open = length == -Errno.EAGAIN || (length > 0 && answer(length, received));
        }
      } finally {
        LocalSocket.close(fd);
      }
    }

    /** Whether the connection goes on. */
    private boolean answer(int length, long received) {
      in.clear().limit(length);
      kind = in.getInt();
      tag = in.getInt();
      take(LocalSocket.passedOf(received));
      out.clear();
      if (choices.happens(4)) {
        lied = true;
        return choices.happens(50); // without an answer
      }
      honest();
      if (out.position() == 0) {
        return true;
      }
      if (choices.happens(kind == Protocol.READ ? 25 : 8)) {
        lied = true;
        falsify();
      }
      send();
      return true;
    }

    private void take(int passed) {
      if (passed == LocalSocket.NO_FD) {
        return;
      }
      long length = SharedMemory.length(passed);
      long address = length > 0 ? SharedMemory.map(passed, length) : -1;
      ByteBuffer bytes = address < 0 ? null : SharedMemory.bufferOf(address, length);
      if (bytes == null) {
        throw new IllegalStateException("a client's segment cannot be mapped");
      }
      Segment known = new Segment(passed, address, bytes, (int) length);
      synchronized (mapped) {
        mapped.add(known);
      }
      segment.set(known);
    }

    private void honest() {
      switch (kind) {
        case Protocol.HELLO -> {
          begin(Protocol.WELCOME).putInt(1).putInt(3).putInt(4).putLong(2 << 20).putLong(5);
          out.putShort((short) Protocol.KEY_BYTES).put(new byte[Protocol.KEY_BYTES]);
        }
        case Protocol.SEGMENT, Protocol.JOIN, Protocol.MISMATCH -> begin(Protocol.OK);
        case Protocol.OPEN ->
            begin(Protocol.OPENED)
                .putInt(9)
                .putLong(block.bytes.length)
                .putInt(block.checksum.type().id())
                .putInt(block.checksum.bytesPerChecksum());
        case Protocol.READ -> read();
        case Protocol.ALLOCATE -> allocate();
        case Protocol.WRITE -> begin(Protocol.WRITTEN).putLong(1);
        case Protocol.COMMIT -> begin(Protocol.COMMITTED).putLong(1);
        case Protocol.ABORT -> begin(Protocol.OK);
        default -> {
          // CLOSE has no answer.
        }
      }
    }

    private void allocate() {
      in.position(in.position() + 2 * Long.BYTES);
      skipText();
      skipText();
      begin(Protocol.ALLOCATED).putInt(4096).putLong(in.getLong());
    }

    private void skipText() {
      in.position(in.position() + Short.BYTES + in.getShort(in.position()));
    }

    private ByteBuffer begin(int answer) {
      return out.putInt(answer).putInt(tag);
    }

    private void read() {
      Segment to = segment.get();
      in.getInt();
      in.getInt();
      int from = (int) in.getLong();
      int length = in.getInt();
      int dataAt = in.getInt();
      in.getInt();
      int crcAt = in.getInt();
      boolean told = from >= 0 && length > 0 && from <= block.bytes.length - length;
      if (!told || to == null || crcAt > to.length - (8 << 10)) {
        lied = true; // of a session that was begun before: no answer
        return;
      }
      to.bytes.put(dataAt, block.bytes, from, length);
      int chunk = block.checksum.bytesPerChecksum();
      int crcs = (length + chunk - 1) / chunk * ChecksumSpec.CRC_BYTES;
      int first = CRC_HEADER + from / chunk * ChecksumSpec.CRC_BYTES;
      to.bytes.put(crcAt, block.meta, first, crcs);
      if (choices.happens(10)) {
        lied = true;
        scribble(to, dataAt, length);
      }
      begin(Protocol.DONE).putInt(dataAt).putInt(crcAt);
    }

    private void scribble(Segment to, int dataAt, int length) {
      int at = choices.happens(50) ? dataAt + choices.number() % length : choices.number();
      byte[] nonsense = choices.bytes(60);
      int from = at % to.length;
      to.bytes.put(from, nonsense, 0, Math.min(nonsense.length, to.length - from));
    }

    /** Makes something else of the answer. */
    private void falsify() {
      int length = out.position();
      switch (choices.choice(9)) {
        case 0 -> out.putInt(0, choices.choice(Protocol.LAST_KIND + 3));
        case 1 -> out.putInt(4, (int) choices.edge());
        case 2, 3, 4 -> {
          if (length >= 12) {
            out.putInt(8 + 4 * choices.choice((length - 8) / 4), (int) choices.edge());
          }
        }
        case 5 -> out.position(1 + choices.choice(length));
        case 6 -> out.put(choices.bytes(200));
        case 7 -> refuse();
        default -> {
          send(); // twice
        }
      }
    }

    private void refuse() {
      out.clear();
      byte[] name = REASONS[choices.choice(REASONS.length)].getBytes(UTF_8);
      byte[] detail = choices.bytes(200);
      if (choices.happens(20)) {
        begin(Protocol.REFUSED_TARGET).putInt((int) choices.edge());
      } else {
        begin(Protocol.REFUSED);
      }
      out.putShort((short) name.length).put(name);
      out.putShort((short) (choices.happens(10) ? choices.edge() : detail.length)).put(detail);
    }

    private void send() {
      int along = choices.happens(5) ? listener : LocalSocket.NO_FD;
      LocalSocket.send(fd, DirectReader.addressOf(out), out.position(), along);
    }
  }

  private static final String[] REASONS = {
    "AGENT_BUSY",
    "AGENT_UNAVAILABLE",
    "LEASE_EXPIRED",
    "CHECKSUM_MISMATCH",
    "INTERNAL_ERROR",
    "INTERRUPTED",
    "ACCESSOR_CLOSED",
    "NEWER_THAN_THIS",
    ""
  };
}
