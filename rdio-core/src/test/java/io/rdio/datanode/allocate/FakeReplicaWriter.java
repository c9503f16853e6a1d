// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.datanode.volume.MetaHeader;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Real files in directories, and a map of replicas that changes as HDFS's does. */
final class FakeReplicaWriter implements ReplicaWriter {
  static final byte[] FORGED = {6, 6, 6};

  final List<BlockKey> told = new ArrayList<>();
  volatile long available = 1L << 40;
  volatile boolean invalidateFails;
  volatile boolean finishFails;

  /** Where HDFS puts replicas, whatever it is asked for; null for what it is asked for. */
  volatile @Nullable Storage elsewhere;

  private final List<Storage> storages = new ArrayList<>();
  private final Map<Long, Rbw> rbw = new ConcurrentHashMap<>();
  private final Map<Long, Replica> finalized = new ConcurrentHashMap<>();

  /** A replica being written. */
  private static final class Rbw implements RbwReplica {
    private final BlockKey block;
    private final Storage storage;
    private final Path folder;
    private @Nullable Thread writer;
    private long length;

    Rbw(BlockKey block, Storage storage) {
      this.block = block;
      this.storage = storage;
      this.folder = storage.volumeRoot().resolve("current").resolve("rbw");
    }

    @Override
    public BlockKey block() {
      return block;
    }

    @Override
    public Storage storage() {
      return storage;
    }

    @Override
    public Path blockFile() {
      return folder.resolve("blk_" + block.blockId());
    }

    @Override
    public Path metaFile() {
      return folder.resolve("blk_" + block.blockId() + "_" + block.generationStamp() + ".meta");
    }
  }

  FakeReplicaWriter(Storage first) {
    storages.add(first);
  }

  void mount(Storage storage) {
    storages.add(storage);
  }

  /** HDFS forgets what is there; the files stay. */
  void unmount(Storage storage) {
    storages.remove(storage);
    rbw.values().removeIf(each -> each.storage.equals(storage));
    finalized.values().removeIf(each -> each.storageId().equals(storage.storageId()));
  }

  /** As HDFS refuses a reference to a volume that it has taken out. */
  private void requireInUse(Rbw replica) throws IOException {
    if (!storages.contains(replica.storage)) {
      throw new ClosedChannelException();
    }
  }

  /** As a recovery does: the replica is another object from now on. */
  void recover(BlockKey block) {
    rbw.remove(block.blockId());
  }

  boolean hasRbw(BlockKey block) {
    return rbw.containsKey(block.blockId());
  }

  @Override
  public void checkAccess(BlockKey block, byte[] token, String storageId) throws FallbackException {
    if (token.length == FORGED.length) {
      throw new FallbackException(FallbackReason.TOKEN_REFUSED, block.toString());
    }
  }

  @Override
  public List<Storage> storages() {
    return List.copyOf(storages);
  }

  @Override
  public long availableBytes(Storage storage) {
    return available;
  }

  @Override
  public RbwReplica create(NewReplica wanted) throws FallbackException, IOException {
    long id = wanted.block().blockId();
    if (rbw.containsKey(id) || finalized.containsKey(id)) {
      throw new FallbackException(FallbackReason.REPLICA_CHANGED, wanted.block() + " is here");
    }
    Storage there = elsewhere;
    Storage storage =
        there != null
            ? there
            : storages.stream()
                .filter(each -> each.storageId().equals(wanted.storageId()))
                .findFirst()
                .orElseThrow();
    Rbw made = new Rbw(wanted.block(), storage);
    Files.createDirectories(made.folder);
    Files.createFile(made.blockFile());
    ByteBuffer header = ByteBuffer.allocate(MetaHeader.LENGTH);
    MetaHeader.write(
        new ChecksumSpec(wanted.checksumType(), wanted.bytesPerChecksum(), MetaHeader.LENGTH),
        header);
    Files.write(made.metaFile(), header.array());
    rbw.put(id, made);
    return made;
  }

  private boolean isHere(Rbw replica) {
    return rbw.get(replica.block.blockId()) == replica;
  }

  @Override
  public boolean isThere(RbwReplica replica) {
    return isHere((Rbw) replica);
  }

  @Override
  public synchronized boolean claim(RbwReplica replica) {
    Rbw mine = (Rbw) replica;
    if (mine.writer != null || !isHere(mine)) {
      return false;
    }
    mine.writer = Thread.currentThread();
    return true;
  }

  @Override
  public synchronized void release(RbwReplica replica) {
    ((Rbw) replica).writer = null;
  }

  @Override
  public synchronized boolean putInPlace(
      RbwReplica replica, long length, byte[] lastChecksum, Rename rename) throws IOException {
    Rbw mine = (Rbw) replica;
    requireInUse(mine);
    if (!isHere(mine)) {
      return false;
    }
    rename.run();
    mine.length = length;
    return true;
  }

  @Override
  public Replica finish(RbwReplica replica) throws IOException {
    if (finishFails) {
      throw new IOException("cannot finalize");
    }
    Rbw mine = (Rbw) replica;
    requireInUse(mine);
    Path folder =
        Files.createDirectories(mine.storage.volumeRoot().resolve("current/finalized/subdir0"));
    Path data = folder.resolve("blk_" + mine.block.blockId());
    Path meta = folder.resolve(mine.metaFile().getFileName().toString());
    Files.move(mine.blockFile(), data);
    Files.move(mine.metaFile(), meta);
    rbw.remove(mine.block.blockId());
    Replica whole =
        new Replica(
            mine.block,
            mine.storage.storageId(),
            mine.storage.volumeRoot(),
            data,
            meta,
            mine.length);
    finalized.put(mine.block.blockId(), whole);
    return whole;
  }

  @Override
  public boolean notifyReceived(Replica replica) {
    boolean inUse =
        storages.stream().anyMatch(each -> each.storageId().equals(replica.storageId()));
    if (inUse) {
      told.add(replica.block());
    }
    return inUse;
  }

  @Override
  public void invalidate(RbwReplica replica) throws IOException {
    if (invalidateFails) {
      throw new IOException("cannot invalidate");
    }
    Rbw mine = (Rbw) replica;
    if (isHere(mine) && mine.length == 0) {
      rbw.remove(mine.block.blockId());
      Files.delete(mine.blockFile());
      Files.delete(mine.metaFile());
    }
  }

  @Override
  public synchronized boolean discard(RbwReplica replica) throws IOException {
    Rbw mine = (Rbw) replica;
    Thread me = Thread.currentThread();
    if (!isHere(mine) || mine.writer != me || me.isInterrupted()) {
      return false;
    }
    rbw.remove(mine.block.blockId());
    Files.delete(mine.blockFile());
    Files.delete(mine.metaFile());
    return true;
  }

  /** As the NameNode has it deleted: its files are gone when this returns. */
  void delete(BlockKey block) throws IOException {
    Replica replica = Objects.requireNonNull(finalized.remove(block.blockId()));
    Files.delete(replica.blockFile());
    Files.delete(replica.metaFile());
  }

  @Override
  public @Nullable Replica finalized(BlockKey block) {
    Replica replica = finalized.get(block.blockId());
    return replica != null && replica.block().equals(block) ? replica : null;
  }
}
