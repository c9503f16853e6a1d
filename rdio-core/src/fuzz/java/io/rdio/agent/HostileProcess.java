// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.Protocol;
import io.rdio.agent.ipc.RawLane;
import io.rdio.nativeio.LocalSocket;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that knows the protocol and keeps to it as it likes: several lanes of several sessions,
 * one segment, messages with one thing wrong or with everything, questions whose answers it does
 * not read, and a segment that it writes to all the time.
 */
final class HostileProcess implements Closeable {
  private static final int LANES_MAX = 6;
  private static final int SEGMENT = 600 << 10;
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final AgentFixture agent;
  private final Script script;
  private final List<RawLane> lanes = new ArrayList<>();
  private final List<Integer> handles = new ArrayList<>();
  private final List<HostileSegment> segments = new ArrayList<>();
  private final List<byte[]> sent = new ArrayList<>();
  private final ByteBuffer message = ByteBuffer.allocate(32 << 10).order(ByteOrder.nativeOrder());
  private byte[] last = {};
  private long session;
  private byte[] key = {};
  private int tag;

  HostileProcess(AgentFixture agent, Script script) {
    this.agent = agent;
    this.script = script;
  }

  /** Does the next thing. */
  void step() {
    RawLane lane = lanes.isEmpty() ? null : lanes.get(script.choice(lanes.size()));
    try {
      if (lane == null) {
        hello();
        share(lanes.get(0), SEGMENT, 0);
        open(lanes.get(0));
      } else {
        step(lane, script.choice(26));
      }
    } catch (IOException e) {
      // The agent ended the lane, or is done with us for now.
      if (lane != null) {
        lanes.remove(lane);
        lane.close();
      }
    }
  }

  private void step(RawLane lane, int what) throws IOException {
    switch (what) {
      case 0 -> hello();
      case 1 -> join();
      case 2 -> share(lane, size(), script.happens(50) ? 0 : script.edge());
      case 3, 4 -> open(lane);
      case 5 -> send(lane, garbledOpen());
      case 6, 7, 8 -> send(lane, read(false));
      case 9, 10 -> send(lane, read(true));
      case 11 -> send(lane, begin(Protocol.CLOSE).putInt(handle()));
      case 12 -> send(lane, begin(Protocol.MISMATCH).putInt(handle()).putLong(script.edge()));
      case 13 -> send(lane, noise());
      case 14 -> send(lane, damaged());
      case 15 -> takeAnswers(lane);
      case 16 -> scribble();
      case 17 -> throw new IOException("closes it in the middle");
      case 18 -> burst(lane);
      case 19, 20 -> writeABlock(lane);
      case 21 -> send(lane, allocate());
      case 22 -> send(lane, write(script.choice(3) * 4096L, 4096, script.happens(50)));
      case 23 -> send(lane, garbledWrite());
      case 24 -> send(lane, begin(Protocol.ABORT));
      default -> withADescriptor(lane);
    }
  }

  private void hello() throws IOException {
    RawLane lane = connect();
    if (lane == null || script.happens(5)) {
      return; // and says nothing
    }
    begin(Protocol.HELLO)
        .putInt(Protocol.MAGIC)
        .putInt(Protocol.VERSION_MIN)
        .putInt(script.happens(5) ? (int) script.edge() : Protocol.VERSION_MAX);
    send(lane, text(message, "hostile"));
    Frame answer = lane.receive();
    if (answer.kind() == Protocol.WELCOME) {
      answer.getInt();
      answer.getInt();
      answer.getInt();
      answer.getLong();
      session = answer.getLong();
      key = answer.getBytes(Protocol.KEY_BYTES);
    }
  }

  private void join() throws IOException {
    RawLane lane = connect();
    if (lane != null) {
      begin(Protocol.JOIN)
          .putInt(Protocol.MAGIC)
          .putInt(Protocol.VERSION_MAX)
          .putLong(script.happens(10) ? script.edge() : session);
      send(lane, bytes(message, script.happens(10) ? script.bytes(20) : key));
    }
  }

  private @Nullable RawLane connect() throws IOException {
    if (lanes.size() >= LANES_MAX) {
      return null;
    }
    RawLane lane = RawLane.connect(agent.socket, PATIENCE_NANOS);
    lanes.add(lane);
    return lane;
  }

  private int size() {
    return script.happens(30) ? 1 + script.number() % (5 << 20) : SEGMENT;
  }

  /** All of them are watched until the end, whether or not the agent takes them. */
  private void share(RawLane lane, int length, long wrong) throws IOException {
    HostileSegment segment = new HostileSegment(length);
    sent.forEach(segment::sent); // a lane of the session may have yet to take what came before
    segments.add(segment);
    begin(Protocol.SEGMENT).putLong(wrong == 0 ? length : wrong);
    send(lane, message, segment.descriptor());
  }

  private void open(RawLane lane) throws IOException {
    begin(Protocol.OPEN).putInt(script.choice(2)).putLong(script.choice(4)).putLong(1);
    text(message, agent.block.key.poolId());
    text(message, "/file");
    send(lane, text(message, ""));
    int mine = tag;
    Frame answer = lane.receive();
    while (answer.tag() != mine) {
      answer = lane.receive();
    }
    if (answer.kind() == Protocol.OPENED) {
      handles.add(answer.getInt());
    }
  }

  private ByteBuffer garbledOpen() {
    begin(Protocol.OPEN).putInt((int) script.edge()).putLong(script.edge()).putLong(script.edge());
    bytes(message, script.bytes(200));
    bytes(message, new byte[script.happens(10) ? 13_000 : script.choice(256)]);
    return bytes(message, script.bytes(200));
  }

  private int handle() {
    return handles.isEmpty() || script.happens(20)
        ? (int) script.edge()
        : handles.get(script.choice(handles.size()));
  }

  /** As it should be, or with something in it that is not. */
  private ByteBuffer read(boolean wrong) {
    int chunks = 1 + script.choice(256);
    int length = chunks * agent.block.checksum.bytesPerChecksum();
    int from = script.number() % (agent.block.bytes.length - length);
    int dataAt = Protocol.ALIGNMENT * (1 + script.choice(80));
    int dataRoom = length + Protocol.SLACK;
    int crcAt = Protocol.ALIGNMENT * (100 + script.choice(40));
    begin(Protocol.READ)
        .putInt(handle())
        .putInt(script.choice(8))
        .putLong(from - from % agent.block.checksum.bytesPerChecksum())
        .putInt(length)
        .putInt(dataAt)
        .putInt(dataRoom)
        .putInt(crcAt)
        .putInt(8 << 10);
    if (wrong) {
      int field = script.choice(8);
      switch (field) {
        case 0 -> message.putLong(16, script.edge());
        case 1, 2, 3, 4, 5 -> message.putInt(20 + 4 * field, (int) script.edge());
        default -> message.putInt(8 + 4 * (field - 6), (int) script.edge());
      }
    }
    return message;
  }

  /** From its begin to its end, or with something of it left out. */
  private void writeABlock(RawLane lane) throws IOException {
    send(lane, allocate());
    int writes = script.choice(4);
    long at = 0;
    for (int i = 1; i <= writes; i++) {
      int length = 4096 * (1 + script.choice(16)) - (i == writes ? script.choice(3) : 0);
      send(lane, write(at, length, i == writes));
      at += length;
    }
    if (script.happens(70)) {
      begin(Protocol.COMMIT).putLong(script.happens(10) ? script.edge() : at);
      send(lane, message.putInt(script.happens(5) ? (int) script.edge() : 1));
    }
    if (script.happens(70)) {
      takeAnswers(lane);
    }
  }

  private ByteBuffer allocate() {
    begin(Protocol.ALLOCATE).putLong(script.choice(4)).putLong(1);
    text(message, agent.block.key.poolId());
    text(message, "/file");
    message.putLong(script.happens(10) ? script.edge() : 1 << 18).putInt(2);
    int targets = script.happens(10) ? (int) script.edge() : 1 + script.choice(3);
    message.putInt(script.happens(5) ? (int) script.edge() : 512).putInt(targets);
    for (int i = 0; i < Math.min(targets, 20); i++) {
      text(message, "dn").putInt(9866).putInt(9864);
      text(message, script.happens(5) ? "no such id" : "DS-1");
      boolean token = i == 0 && !script.happens(5);
      message.putInt(token ? 1 : 0);
      if (token) {
        bytes(message, script.bytes(30));
      }
    }
    return message;
  }

  private ByteBuffer write(long at, int length, boolean isLast) {
    return begin(Protocol.WRITE)
        .putLong(at)
        .putInt(Protocol.ALIGNMENT * (1 + script.choice(80)))
        .putInt(length)
        .putInt(Protocol.ALIGNMENT * (100 + script.choice(40)))
        .putInt(isLast ? 1 : 0);
  }

  /** With something in it that makes no sense. */
  private ByteBuffer garbledWrite() {
    write(0, 4096, script.happens(50));
    int field = script.choice(4);
    return field == 0
        ? message.putLong(8, script.edge())
        : message.putInt(12 + 4 * field, (int) script.edge());
  }

  private ByteBuffer noise() {
    message.clear();
    if (script.happens(10)) {
      return message.put(new byte[Protocol.MESSAGE_MAX + 1]);
    }
    if (script.happens(50)) {
      begin(script.choice(Protocol.LAST_KIND + 3));
    }
    return message.put((byte) 1).put(script.bytes(100));
  }

  /** What was sent last, with a byte changed, cut off or with more behind it. */
  private ByteBuffer damaged() {
    message.clear();
    message.put(last);
    if (last.length > 0) {
      message.put(script.number() % last.length, (byte) script.choice(256));
    }
    if (script.happens(30)) {
      message.put(script.bytes(10));
    } else if (last.length > 1 && script.happens(30)) {
      message.position(1 + script.number() % (last.length - 1));
    }
    return message.position() == 0 ? message.put((byte) 1) : message;
  }

  private void takeAnswers(RawLane lane) throws IOException {
    int taken = 0;
    while (taken < 100 && lane.hasAnswer()) {
      taken++;
    }
  }

  private void scribble() {
    if (segments.isEmpty()) {
      return;
    }
    HostileSegment segment = segments.get(script.choice(segments.size()));
    switch (script.choice(6)) {
      case 0 -> segment.resize(script.edge() >>> 1);
      case 1 -> segment.release();
      case 2 -> segment.scribble(0, script.bytes(16));
      default -> segment.scribble(script.number(), new byte[script.number() % segment.length()]);
    }
  }

  /** More than may be under way, and no answer is read. */
  private void burst(RawLane lane) throws IOException {
    byte[] one = null;
    for (int i = 0; i < 40; i++) {
      if (one == null) {
        send(lane, read(false));
        one = last;
      } else {
        lane.send(one);
      }
    }
  }

  private void withADescriptor(RawLane lane) throws IOException {
    int descriptor =
        segments.isEmpty()
            ? LocalSocket.NO_FD
            : segments.get(script.choice(segments.size())).descriptor();
    send(lane, read(false), descriptor);
  }

  private ByteBuffer begin(int kind) {
    tag++;
    return message.clear().putInt(kind).putInt(tag);
  }

  private static ByteBuffer text(ByteBuffer to, String text) {
    return bytes(to, text.getBytes(StandardCharsets.UTF_8));
  }

  private static ByteBuffer bytes(ByteBuffer to, byte[] bytes) {
    return to.putShort((short) bytes.length).put(bytes);
  }

  private void send(RawLane lane, ByteBuffer what) throws IOException {
    send(lane, what, LocalSocket.NO_FD);
  }

  private void send(RawLane lane, ByteBuffer what, int descriptor) throws IOException {
    last = new byte[what.position()];
    what.get(0, last);
    sent.add(last);
    for (HostileSegment segment : segments) {
      segment.sent(last);
    }
    lane.send(last, descriptor);
  }

  /** Ends all its lanes at once, whatever is under way. */
  void leave() {
    lanes.forEach(RawLane::close);
    lanes.clear();
  }

  /** Checks that the agent wrote where it was told to; it must have noticed that we left. */
  void requireUntouched() {
    segments.forEach(HostileSegment::requireUntouched);
  }

  @Override
  public void close() {
    leave();
    segments.forEach(HostileSegment::close);
  }
}
