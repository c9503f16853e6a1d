// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.Variadic;
import org.jspecify.annotations.Nullable;

/**
 * Another file's bytes under another name, whose reads and writes are answered or left waiting, as
 * a test likes: a loop device on it is a device that hangs. It is a file system of one file, served
 * to the kernel from this JVM (FUSE, protocol 7.31).
 *
 * <p>A thread of this JVM that waits for such a device cannot be killed, and keeps the JVM, and so
 * the server, from ending. So whoever hangs is cut off by another process after {@value
 * #HANG_SECONDS_MAX} s: then all that waits fails, and so does everything later.
 */
public final class HangingFile implements AutoCloseable {
  private static final int IN_HEADER = 40;
  private static final int WRITE_HEADER = 40;
  private static final int OUT_HEADER = 16;
  private static final int ROOT = 1;
  private static final int FILE = 2;
  private static final int HANG_SECONDS_MAX = 120;
  private static final int MAX_WRITE = 1 << 17;
  private static final int MAX_REQUEST = 1 << 18;
  private static final int MAX_REPLY = 1 << 20;
  private static final int FIXED_REPLY_MAX = 256;
  private static final int MNT_DETACH = 2;
  private static final int ENOENT = 2;
  private static final int ENOSYS = 38;
  private static final int BIG_WRITES = 1 << 5;

  /**
   * Ends the connection, unless its input ends before; through a mount of its own, for few have it.
   */
  private static final String CUT_OFF =
      "timeout \"$1\" cat >/dev/null; [ $? = 124 ] || exit 0; d=$(mktemp -d) || exit 1;"
          + " mount -t fusectl fusectl \"$d\" && echo 1 >\"$d/$2/abort\" && umount \"$d\";"
          + " rmdir \"$d\"";

  private final FileChannel content;
  private final Path mountPoint;
  private final FuseCalls calls;
  private final int fd;
  private final @Nullable WriteQueue queue;
  private final Thread server;
  private final ByteBuffer replies =
      ByteBuffer.allocateDirect(MAX_REPLY).order(ByteOrder.nativeOrder());
  private final List<byte[]> waiting = new ArrayList<>();
  private @Nullable Process cutOff;
  private boolean hanging;

  private HangingFile(
      FileChannel content, Path mountPoint, FuseCalls calls, int fd, @Nullable WriteQueue queue) {
    this.content = content;
    this.mountPoint = mountPoint;
    this.calls = calls;
    this.fd = fd;
    this.queue = queue;
    this.server = new Thread(this::serve, "hanging-file");
    server.setDaemon(true);
  }

  /** Of the C library. */
  public interface FuseCalls {
    @Variadic(fixedCount = 2)
    int open(String path, int flags);

    int close(int fd);

    long read(int fd, ByteBuffer buffer, long length);

    long write(int fd, ByteBuffer buffer, long length);

    int mount(String source, String target, String type, long flags, String data);

    int umount2(String target, int flags);
  }

  /** A queue in front of the device: what becomes of a write besides that it is done at once. */
  public interface WriteQueue {
    /**
     * Whether a write is neither done nor answered before somebody runs it. Asked once for each.
     */
    boolean holds(Runnable write);

    /**
     * Told of each write that was done, before it is answered.
     *
     * @param again does it once more, as long as the file is not closed
     */
    void done(Runnable again);

    /**
     * Told of each write before it is done.
     *
     * @param bytes which stay as they are
     */
    default void begins(long offset, ByteBuffer bytes) {}

    /** Told of each flush before it is answered: it is of all that was done by now. */
    default void flushes() {}
  }

  /** Skips the test where the kernel has no FUSE. */
  public static HangingFile over(Path file) throws IOException {
    return over(file, null);
  }

  /**
   * As {@link #over(Path)}, its writes through a queue.
   *
   * @param queue null for none
   */
  public static HangingFile over(Path file, @Nullable WriteQueue queue) throws IOException {
    Requirements.require(Files.isWritable(Path.of("/dev/fuse")), "a writable /dev/fuse");
    FuseCalls calls = LibraryLoader.create(FuseCalls.class).load("c");
    Path mountPoint = Files.createTempDirectory("rdio-fuse-");
    int fd = calls.open("/dev/fuse", 2);
    String data = "fd=" + fd + ",rootmode=40000,user_id=0,group_id=0,allow_other";
    if (fd < 0 || calls.mount("rdio", mountPoint.toString(), "fuse.rdio", 0, data) < 0) {
      calls.close(fd);
      Files.delete(mountPoint);
      throw new IOException("a FUSE file system cannot be mounted");
    }
    HangingFile made =
        new HangingFile(
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE),
            mountPoint,
            calls,
            fd,
            queue);
    made.server.start();
    return made;
  }

  public Path file() {
    return mountPoint.resolve("image");
  }

  /** Leaves reads, writes and fsyncs unanswered from now on, for a bounded time. */
  public synchronized void hang() throws IOException {
    if (!hanging) {
      hanging = true;
      cutOff =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  CUT_OFF,
                  "cut-off",
                  Integer.toString(HANG_SECONDS_MAX),
                  connectionNumber())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
    }
  }

  /** Minor number of the file system, by which the kernel names its connection. */
  private String connectionNumber() throws IOException {
    Matcher mount =
        Pattern.compile("[0-9]+:([0-9]+) [^ ]+ " + Pattern.quote(mountPoint + " "))
            .matcher(Files.readString(Path.of("/proc/self/mountinfo")));
    if (mount.find()) {
      return mount.group(1);
    }
    throw new IOException(mountPoint + " is not mounted");
  }

  /** Answers them, and all later ones. */
  public synchronized void answer() throws IOException {
    hanging = false;
    for (byte[] request : waiting) {
      reply(ByteBuffer.wrap(request).order(ByteOrder.nativeOrder()));
    }
    waiting.clear();
    if (cutOff != null) {
      cutOff.getOutputStream().close();
      cutOff = null;
    }
  }

  /** Requests that wait for an answer. */
  public synchronized int waiting() {
    return waiting.size();
  }

  @Override
  public void close() throws IOException {
    answer();
    calls.umount2(mountPoint.toString(), MNT_DETACH);
    try {
      server.join(5000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    calls.close(fd);
    content.close();
    Files.delete(mountPoint);
  }

  private void serve() {
    ByteBuffer in = ByteBuffer.allocateDirect(MAX_REQUEST).order(ByteOrder.nativeOrder());
    try {
      for (long n = read(in); n >= IN_HEADER; n = read(in)) {
        byte[] bytes = new byte[(int) n];
        in.get(0, bytes);
        receive(bytes);
      }
    } catch (IOException e) {
      throw new IllegalStateException("the FUSE server of " + mountPoint + " failed", e);
    }
  }

  private long read(ByteBuffer in) {
    return calls.read(fd, in.clear(), in.capacity());
  }

  private synchronized void receive(byte[] bytes) throws IOException {
    ByteBuffer request = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    int op = request.getInt(4);
    if (hanging && Op.reachesTheDevice(op)) {
      waiting.add(bytes);
    } else if (op != Op.WRITE || queue == null || !queue.holds(() -> replyLate(bytes))) {
      reply(request);
    }
  }

  private synchronized void replyLate(byte[] bytes) {
    try {
      reply(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Op {
    static final int LOOKUP = 1;
    static final int FORGET = 2;
    static final int GETATTR = 3;
    static final int OPEN = 14;
    static final int READ = 15;
    static final int WRITE = 16;
    static final int STATFS = 17;
    static final int RELEASE = 18;
    static final int FSYNC = 20;
    static final int FLUSH = 25;
    static final int INIT = 26;
    static final int INTERRUPT = 36;
    static final int BATCH_FORGET = 42;

    private Op() {}

    static boolean reachesTheDevice(int op) {
      return op == READ || op == WRITE || op == FSYNC;
    }
  }

  /** With zeros where a reply of fixed length may leave something out. */
  private ByteBuffer emptyReply() {
    replies.clear();
    while (replies.position() < FIXED_REPLY_MAX) {
      replies.putLong(0);
    }
    return replies.position(OUT_HEADER);
  }

  private void reply(ByteBuffer request) throws IOException {
    int op = request.getInt(4);
    if (op == Op.FORGET || op == Op.BATCH_FORGET || op == Op.INTERRUPT) {
      return; // which want no answer
    }
    ByteBuffer out = emptyReply();
    int error = 0;
    switch (op) {
      case Op.INIT -> init(out);
      case Op.LOOKUP -> error = lookup(request, out);
      case Op.GETATTR -> {
        out.putLong(3600).putLong(0);
        attributes(out, request.getLong(16));
      }
      case Op.OPEN -> out.putLong(0).putInt(1).putInt(0); // FOPEN_DIRECT_IO
      case Op.READ -> content(request, out);
      case Op.WRITE -> write(request, out);
      case Op.STATFS -> out.position(OUT_HEADER + 80);
      case Op.FSYNC -> flush();
      case Op.RELEASE, Op.FLUSH -> {}
      default -> error = -ENOSYS;
    }
    int length = error == 0 ? out.position() : OUT_HEADER;
    out.putInt(0, length).putInt(4, error).putLong(8, request.getLong(8));
    calls.write(fd, out.limit(length).position(0), length);
  }

  private static void init(ByteBuffer out) {
    out.putInt(7).putInt(31).putInt(0).putInt(BIG_WRITES); // version, read-ahead, flags
    out.putShort((short) 64).putShort((short) 48).putInt(MAX_WRITE).putInt(1);
    out.position(OUT_HEADER + 64);
  }

  private int lookup(ByteBuffer request, ByteBuffer out) throws IOException {
    byte[] name = new byte[request.capacity() - IN_HEADER - 1];
    request.get(IN_HEADER, name);
    if (!new String(name, StandardCharsets.US_ASCII).equals("image")) {
      return -ENOENT;
    }
    out.putLong(FILE).putLong(0).putLong(3600).putLong(3600).putLong(0);
    attributes(out, FILE);
    return 0;
  }

  private void attributes(ByteBuffer out, long node) throws IOException {
    long size = node == ROOT ? 4096 : content.size();
    out.putLong(node).putLong(size).putLong(size / 512).putLong(0).putLong(0).putLong(0);
    out.putInt(0).putInt(0).putInt(0).putInt(node == ROOT ? 0040755 : 0100644);
    out.putInt(node == ROOT ? 2 : 1).putInt(0).putInt(0).putInt(0).putInt(4096).putInt(0);
  }

  private void content(ByteBuffer request, ByteBuffer out) throws IOException {
    long offset = request.getLong(IN_HEADER + 8);
    int size = request.getInt(IN_HEADER + 16);
    out.limit(OUT_HEADER + size);
    while (out.hasRemaining()) {
      if (content.read(out, offset + out.position() - OUT_HEADER) < 0) {
        break;
      }
    }
  }

  /** Makes nothing durable: the file is a test's, and outlives no machine. */
  private void flush() {
    if (queue != null) {
      queue.flushes();
    }
  }

  private void write(ByteBuffer request, ByteBuffer out) throws IOException {
    long offset = request.getLong(IN_HEADER + 8);
    int size = request.getInt(IN_HEADER + 16);
    ByteBuffer bytes = request.slice(IN_HEADER + WRITE_HEADER, size);
    if (queue != null) {
      queue.begins(offset, bytes.asReadOnlyBuffer());
    }
    write(bytes.duplicate(), offset);
    if (queue != null) {
      queue.done(() -> writeAgain(bytes.duplicate(), offset));
    }
    out.putInt(size).putInt(0);
  }

  private void write(ByteBuffer bytes, long offset) throws IOException {
    while (bytes.hasRemaining()) {
      content.write(bytes, offset + bytes.position());
    }
  }

  private void writeAgain(ByteBuffer bytes, long offset) {
    try {
      write(bytes, offset);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
