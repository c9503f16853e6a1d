// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.ReplicaSource;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Real files in a directory, and a map of replicas that changes as HDFS's does. */
public final class FakeHdfs implements ReplicaSource {
  public static final String STORAGE_ID = "DS-1";

  /** What clients of version 1 sent when their messages were recorded. */
  public static final byte[] RECORDED_TOKEN = "token".getBytes(US_ASCII);

  /** An identifier and its password, each behind its length, no kind and no service. */
  public static final byte[] TOKEN = "\5token\6secret\0\0".getBytes(US_ASCII);

  private static final int CHUNK = 512;

  private final Path root;
  private final Map<String, Replica> replicas = new ConcurrentHashMap<>();
  private final AtomicLong lastCopy = new AtomicLong();
  private volatile boolean mounted = true;
  private volatile boolean tokensOn = true;

  /** Called before {@link #find}, and that one before {@link #isCurrent}: may throw. */
  volatile Consumer<BlockKey> beforeFind = block -> {};

  volatile Consumer<BlockKey> beforeIsCurrent = block -> {};

  /** Called before {@link #dataNodeUuid}, which each greeting asks for: may wait. */
  public volatile Runnable beforeUuid = () -> {};

  public FakeHdfs(Path root) {
    this.root = root;
  }

  public static BlockKey block(long id) {
    return new BlockKey("BP-1", id, 1001);
  }

  public static BlockAsk ask(BlockKey block) {
    return new BlockAsk(new TokenedBlock(block, TOKEN));
  }

  /** A finalized replica of so many bytes. */
  public BlockKey write(long id, int length) {
    return write(block(id), length);
  }

  public BlockKey write(BlockKey block, int length) {
    try {
      Path directory = Files.createDirectories(root.resolve("current"));
      Path data = directory.resolve("blk_" + block.blockId());
      Path meta = directory.resolve("blk_" + block.blockId() + "_" + block.generationStamp());
      ByteBuffer content = ByteBuffer.allocate(Math.max(length, Long.BYTES));
      content.putLong(0, lastCopy.incrementAndGet());
      Files.write(data, Arrays.copyOf(content.array(), length));
      Files.write(meta, header(1, 2, CHUNK, (length + CHUNK - 1) / CHUNK));
      replicas.put(key(block), new Replica(block, STORAGE_ID, root, data, meta, length));
      return block;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Which of all copies ever written a file (of 8 bytes or more) is. */
  static long copyIn(Path file) {
    try {
      return ByteBuffer.wrap(Files.readAllBytes(file)).getLong();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static byte[] header(int version, int type, int chunk, int crcs) {
    return ByteBuffer.allocate(7 + 4 * crcs)
        .putShort((short) version)
        .put((byte) type)
        .putInt(chunk)
        .array();
  }

  private static String key(BlockKey block) {
    return block.poolId() + "/" + block.blockId();
  }

  public Replica replica(BlockKey block) {
    Replica replica = replicas.get(key(block));
    if (replica == null) {
      throw new IllegalStateException("no " + block);
    }
    return replica;
  }

  boolean has(BlockKey block) {
    return replicas.containsKey(key(block));
  }

  /** Takes a replica out of the map, as its recovery does; its files stay. */
  Replica withdraw(BlockKey block) {
    Replica replica = replica(block);
    replicas.remove(key(block));
    return replica;
  }

  /** Puts a replica in again. */
  void restore(Replica replica) {
    replicas.put(key(replica.block()), replica);
  }

  /** As HDFS does: out of the map first, unlinked later. */
  public void delete(BlockKey block) {
    Replica replica = replica(block);
    replicas.remove(key(block));
    try {
      Files.delete(replica.blockFile());
      Files.delete(replica.metaFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Copies the file over itself, as append and truncate do when it has two links. */
  public void replaceFile(BlockKey block) {
    Path file = replica(block).blockFile();
    try {
      Path copy = Files.copy(file, file.resolveSibling("copy.unlinked"));
      Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Appended and closed again: a copy, with a new generation stamp. */
  public BlockKey append(BlockKey block, int length) {
    delete(block);
    return write(
        new BlockKey(block.poolId(), block.blockId(), block.generationStamp() + 1), length);
  }

  public void unmount() {
    mounted = false;
    replicas.clear();
  }

  public void mount() {
    mounted = true;
  }

  @Override
  public void checkAccess(BlockKey block, byte[] token) throws FallbackException {
    if (tokensOn && !Arrays.equals(token, RECORDED_TOKEN) && !isProvable(token)) {
      throw new FallbackException(FallbackReason.TOKEN_REFUSED, block.toString());
    }
  }

  /** One of each user: {@link #TOKEN}, or with the user's name behind both its parts. */
  private static boolean isProvable(byte[] token) {
    return new String(token, US_ASCII).matches("[\\x05\\x06]token(.?)[\\x06\\x07]secret\\1\0\0");
  }

  /** Writes a replica anew, as with dfs.checksum.type NULL. */
  public void writeWithoutChecksums(BlockKey block, int length) throws IOException {
    write(block, length);
    Files.write(replicas.get(key(block)).metaFile(), header(1, 0, CHUNK, 0));
  }

  /** From now on nobody needs a token. */
  public void switchTokensOff() {
    tokensOn = false;
  }

  @Override
  public byte[] tokenPassword(BlockKey block, byte[] identifier) throws FallbackException {
    String name = new String(identifier, US_ASCII);
    if (!tokensOn || !name.startsWith("token")) {
      throw new FallbackException(FallbackReason.TOKEN_REFUSED, block.toString());
    }
    return ("secret" + name.substring("token".length())).getBytes(US_ASCII);
  }

  @Override
  public Replica find(BlockKey block) throws FallbackException {
    beforeFind.accept(block);
    Replica replica = replicas.get(key(block));
    if (replica == null) {
      throw new FallbackException(FallbackReason.REPLICA_NOT_FOUND, block.toString());
    }
    if (!replica.block().equals(block)) {
      throw new FallbackException(FallbackReason.REPLICA_CHANGED, block.toString());
    }
    return replica;
  }

  @Override
  public Storage storageOf(BlockKey block) throws FallbackException {
    Replica replica = replicas.get(key(block));
    if (replica == null) {
      throw new FallbackException(FallbackReason.REPLICA_NOT_FOUND, block.toString());
    }
    return new Storage(replica.storageId(), replica.volumeRoot(), true);
  }

  @Override
  public boolean isCurrent(Replica replica) {
    beforeIsCurrent.accept(replica.block());
    return replica.equals(replicas.get(key(replica.block())));
  }

  @Override
  public List<Storage> storages() {
    return mounted ? List.of(new Storage(STORAGE_ID, root, true)) : List.of();
  }

  @Override
  public String dataNodeUuid() {
    beforeUuid.run();
    return "datanode";
  }
}
