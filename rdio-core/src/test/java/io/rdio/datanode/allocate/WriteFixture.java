// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.grant.Holder;
import io.rdio.datanode.volume.AgentFences;
import io.rdio.datanode.volume.NoFences;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * A write room on real files, all of whose work is done at once, with a clock that stands still.
 */
final class WriteFixture {
  static final int BLOCK = 1 << 20;
  static final int CHUNK = 512;
  static final WriteConfig CONFIG = config(30_000).build();
  static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 1L << 50, "", 0, "/dev/test");

  final ManualClock clock = new ManualClock();
  final PlainSlotFiles files = new PlainSlotFiles();
  final Storage storage;
  final FakeReplicaWriter writer;
  final Threads threads = new Threads();

  /** How often a volume was looked after. */
  final AtomicInteger upkeeps = threads.upkeeps;

  volatile boolean idle = true;

  /** Called when the device is looked at, as before each slot that is made to fill a pool. */
  volatile Runnable beforeIdle = () -> {};

  private final AgentFences fences;
  private int starts;
  DataNodeWriteRoom room;

  /** Does all at once, unless it is held; time passes when it is told to. */
  static final class Threads implements WriteThreads {
    volatile boolean holding;
    private final AtomicInteger upkeeps = new AtomicInteger();
    private final Queue<Runnable> held = new ArrayDeque<>();
    private final Queue<Runnable> timers = new ArrayDeque<>();

    /** Does what was held. */
    void runHeld() {
      held.remove().run();
    }

    /** The oldest wait is over. */
    void timeOut() {
      timers.remove().run();
    }

    @Override
    public Executor allocating(Path volumeRoot) {
      return work -> {
        if (holding) {
          held.add(work);
        } else {
          work.run();
        }
      };
    }

    @Override
    public Executor upkeep(Path volumeRoot) {
      return work -> {
        upkeeps.incrementAndGet();
        work.run();
      };
    }

    @Override
    public void commit(String name, Runnable work) {
      work.run();
    }

    @Override
    public Runnable after(long nanos, Runnable work) {
      timers.add(work);
      return () -> timers.remove(work);
    }
  }

  WriteFixture(Path root) {
    this(root, CONFIG);
  }

  WriteFixture(Path root, WriteConfig config) {
    this(root, config, new NoFences());
  }

  WriteFixture(Path root, WriteConfig config, AgentFences fences) {
    this.fences = fences;
    this.storage = new Storage("DS-1", root, true);
    this.writer = new FakeReplicaWriter(storage);
    this.room = start(config);
  }

  /** Slots of one size, four of them. */
  static WriteConfig.Builder config(long leaseMillis) {
    return WriteConfig.builder()
        .leaseMillis(leaseMillis)
        .ioMillis(60_000)
        .blockBytes(BLOCK)
        .poolBytes(4L * BLOCK);
  }

  /** Another incarnation, as after a crash: nothing was told to the one before. */
  DataNodeWriteRoom start(WriteConfig config) {
    Random random = new Random(++starts);
    room =
        new DataNodeWriteRoom(
            config,
            writer,
            new DataNodeWriteRoom.Devices(root -> DEVICE, fences),
            clock,
            threads,
            new DataNodeWriteRoom.Machine(files, random::nextLong, root -> this::isIdle));
    room.upkeep();
    return room;
  }

  private boolean isIdle() {
    beforeIdle.run();
    return idle;
  }

  void pass(long millis) {
    clock.advance(Duration.ofMillis(millis));
  }

  static BlockKey block(long id) {
    return new BlockKey("BP-1", id, 1001);
  }

  static Holder holder(String client) {
    return new Holder(client, "address of " + client);
  }

  static AllocateCommand command(String client, BlockKey block, long bytes) {
    return command(client, block, bytes, 0);
  }

  static AllocateCommand command(String client, BlockKey block, long bytes, long hostKey) {
    return new AllocateCommand(
        holder(client),
        new TokenedBlock(block),
        "DS-1",
        bytes,
        ChecksumSpec.Type.CRC32C,
        CHUNK,
        hostKey);
  }

  WriteGrantData allocate(String client, BlockKey block) {
    return allocate(client, block, 0);
  }

  WriteGrantData allocate(String client, BlockKey block, long hostKey) {
    AllocateResult result = room.allocate(command(client, block, BLOCK, hostKey), 1).join();
    assertThat(result).isInstanceOf(AllocateResult.Granted.class);
    return ((AllocateResult.Granted) result).grant();
  }

  FallbackReason refusal(AllocateCommand command) {
    AllocateResult result = room.allocate(command, 1).join();
    assertThat(result).isInstanceOf(AllocateResult.Refused.class);
    return ((AllocateResult.Refused) result).reason();
  }

  long renew(String client, WriteGrantData grant) {
    return room.renew(client, grant.incarnation(), new long[] {grant.leaseId()})[0];
  }

  /** By an agent that has written. */
  void abort(String client, WriteGrantData grant) {
    abort(client, grant, SlotEnd.QUIET);
  }

  /** How many leases had ended before: 0 or 1. */
  int abort(String client, WriteGrantData grant, SlotEnd how) {
    long[] ids = {grant.leaseId()};
    return room.abort(client, grant.incarnation(), ids, List.of(how)).size();
  }

  /** What an agent does, by whatever way to the slot's blocks. */
  static void write(Path slot, byte[] content) throws IOException {
    try (FileChannel channel = FileChannel.open(slot, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  static byte[] content(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    return content;
  }

  static byte[] crcs(byte[] content) {
    ByteBuffer crcs = ByteBuffer.allocate((content.length + CHUNK - 1) / CHUNK * 4);
    for (int at = 0; at < content.length; at += CHUNK) {
      CRC32C crc = new CRC32C();
      crc.update(content, at, Math.min(CHUNK, content.length - at));
      crcs.putInt((int) crc.getValue());
    }
    return crcs.array();
  }

  CommitResult commit(String client, WriteGrantData grant, int length, byte[] crcs) {
    CommitHead head =
        new CommitHead(client, grant.incarnation(), grant.leaseId(), grant.block(), length);
    try (CommitIntake intake = room.openCommit(head)) {
      intake.add(ByteBuffer.wrap(crcs));
      return intake.commit().join();
    } catch (FallbackException e) {
      return CommitResult.Refused.of(e);
    }
  }

  /** The same of a block of {@link #content}. */
  CommitResult commit(WriteGrantData grant, int length) {
    return commit("a", grant, length, crcs(content(length)));
  }

  /** A slot with a block of {@link #content}, which is not committed. */
  WriteGrantData allocateAndWrite(BlockKey block, int length) throws IOException {
    WriteGrantData grant = allocate("a", block);
    write(slotOf(grant), content(length));
    return grant;
  }

  /** The file of a slot that is lent or in quarantine. */
  Path slotOf(WriteGrantData grant) {
    return leased().stream().filter(file -> isOf(file, grant)).findFirst().orElseThrow();
  }

  static FallbackReason reason(CommitResult result) {
    assertThat(result).isInstanceOf(CommitResult.Refused.class);
    return ((CommitResult.Refused) result).reason();
  }

  SlotStatus status() {
    return room.volumes().get(0);
  }

  Path slots() {
    return storage.volumeRoot().resolve("rdio/slots");
  }

  /** The files of slots that are lent or in quarantine. */
  List<Path> leased() {
    return filesIn(slots().resolve("leased"));
  }

  List<Path> pooled() {
    return filesIn(slots().resolve("pool"));
  }

  /** Links of blocks' files that are to be slots again. */
  List<Path> kept() {
    return filesIn(slots().resolve("kept"));
  }

  List<Path> holds() {
    return filesIn(storage.volumeRoot().resolve("rdio/pins"));
  }

  /** Whether a file is of a slot, under the nonce that it was lent with. */
  static boolean isOf(Path file, WriteGrantData grant) {
    return file.getFileName().toString().startsWith(Slot.name(grant.slot(), grant.nonce()));
  }

  static List<Path> filesIn(Path folder) {
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
