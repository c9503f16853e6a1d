// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.Stepper;
import io.rdio.datanode.volume.Replica;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The real grant service, with the model's one block, on real files: each step of the model's
 * DataNode, of HDFS and of the file system is taken on it when the trace says so. For one thread.
 */
public class ReplayedDataNode implements AutoCloseable {
  public static final int LENGTH = 4096;
  public static final long EXTENT = 1 << 20;
  public static final long WITNESS = 8192;

  private static final int PAGE = 4096;

  /** Three ticks are less than a lease lasts, four are more; five are more than its pin. */
  private static final long TICK_MILLIS = 19_000;

  private final GrantFixture fixture;
  private final BlockKey block;
  private final BlockKey other;
  private final Object inode;
  private final List<Stepper<GrantResult>> killed = new ArrayList<>();
  private volatile @Nullable Stepper<GrantResult> granting;
  private @Nullable Replica withdrawn;
  private volatile boolean durable;
  private boolean linksSeen;
  private boolean cut;
  private boolean up = true;
  private long[] overheard = {};

  public ReplayedDataNode(Path root) {
    fixture = new GrantFixture(root);
    fixture.mapper =
        (file, length) ->
            ExtentList.of(new long[] {place(file)}, new long[] {(length + PAGE - 1) & -PAGE});
    block = fixture.hdfs.write(1, LENGTH);
    other = fixture.hdfs.write(2, LENGTH);
    inode = Objects.requireNonNull(key(fixture.hdfs.replica(block).blockFile()));
    GrantFaultInjector.set(new Pauses());
    fixture.start(GrantFixture.CONFIG); // whose witness file has the place that the mapper says now
    // It counts further than later ones, which a copy of it must not profit by.
    for (int i = 0; i < 3; i++) {
      fixture.giveBack("another", fixture.lease("another", other));
    }
  }

  private static long place(Path file) {
    String name = file.toString();
    if (name.endsWith("witness")) {
      return WITNESS;
    }
    return name.endsWith(".data") ? EXTENT : 2 * EXTENT;
  }

  /** Stops a grant of the model's block behind each step. */
  private final class Pauses extends GrantFaultInjector {
    private void pause(BlockKey key) {
      Stepper<GrantResult> stepper = granting;
      if (key.equals(block) && stepper != null) {
        stepper.pause();
      }
    }

    private void noteDurable(BlockKey key, boolean is) {
      if (key.equals(block)) {
        durable = is;
      }
    }

    @Override
    public void beforeLink(BlockKey key) {
      pause(key);
    }

    @Override
    public void afterLink(BlockKey key) {
      noteDurable(key, false);
      pause(key);
    }

    @Override
    public void afterSync(BlockKey key) {
      noteDurable(key, true);
      pause(key);
    }

    @Override
    public void afterRecheck(BlockKey key) {
      pause(key);
    }
  }

  public BlockKey block() {
    return block;
  }

  public long incarnation() {
    return fixture.service.incarnation();
  }

  public boolean isUp() {
    return up;
  }

  /** A grant of a block that nothing happens to. */
  public GrantResult grantOther(String client) {
    return fixture.grant(client, other);
  }

  /** Whether a block is the one that nothing happens to. */
  public boolean isOther(BlockKey key) {
    return key.equals(other);
  }

  /** Begins a grant of the model's block and takes it to its first step on the disk, or its end. */
  public Stepper<GrantResult> beginGrant(String client) {
    Stepper<GrantResult> stepper = new Stepper<>(() -> fixture.grant(client, block));
    granting = stepper;
    stepper.step();
    return stepper;
  }

  public long[] renew(String client, long ofIncarnation, long[] ids) {
    return fixture.service.renew(client, ofIncarnation, ids);
  }

  public void giveBack(String client, long ofIncarnation, long[] ids) {
    fixture.service.giveBack(client, ofIncarnation, ids);
  }

  public void subscribe(String client, GrantService.RecallSink sink) {
    fixture.service.subscribe(client, sink);
  }

  public void tick() {
    fixture.pass(TICK_MILLIS);
  }

  public void sweep() {
    fixture.service.sweep();
  }

  public void delete() {
    fixture.hdfs.delete(block);
  }

  /** The replica leaves the map of finalized ones; its files stay. */
  public void beginTruncate() {
    withdrawn = fixture.hdfs.withdraw(block);
  }

  public void lookAtLinks() {
    try {
      Path file = Objects.requireNonNull(withdrawn).blockFile();
      linksSeen = (Integer) Files.getAttribute(file, "unix:nlink") > 1;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In place if no other link was seen, else in a copy: the old file then loses its name. */
  public void truncate() {
    cut = !linksSeen;
    fixture.hdfs.restore(Objects.requireNonNull(withdrawn));
    fixture.hdfs.delete(block);
    withdrawn = null;
  }

  /** The process is gone, and with it all that was not on disk. */
  public void kill() {
    up = false;
    Stepper<GrantResult> stepper = granting;
    granting = null;
    if (stepper != null) {
      killed.add(stepper);
    }
    if (withdrawn != null) {
      fixture.hdfs.restore(withdrawn);
      withdrawn = null;
    }
  }

  /** The same; and links that were not made durable are gone. */
  public void losePower() {
    kill();
    if (!durable) {
      links().forEach(ReplayedDataNode::remove);
    }
  }

  private static void remove(Path link) {
    try {
      Files.deleteIfExists(link);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void start() {
    fixture.start(GrantFixture.CONFIG);
    up = true;
  }

  /** The volume is taken out of the running DataNode, and put in again. */
  public void swap() {
    boolean there = fixture.hdfs.has(block);
    Replica replica = there ? fixture.hdfs.replica(block) : null;
    Replica its = fixture.hdfs.replica(other);
    fixture.hdfs.unmount();
    sweep();
    fixture.hdfs.mount();
    fixture.hdfs.restore(its);
    if (replica != null) {
      fixture.hdfs.restore(replica);
    }
    sweep();
  }

  /** What somebody else asks about a client's leases. */
  public void strangerMeddles(String client) {
    fixture.service.renew("stranger", incarnation(), overheard);
    giveBack("stranger", incarnation(), overheard);
    giveBack(client, incarnation() + 1, overheard);
    giveBack(client, incarnation(), new long[] {0, overheard.length + 1L});
  }

  /** Leases that were granted, as somebody may have overheard. */
  public void overhear(long[] ids) {
    overheard = ids;
  }

  private List<LeaseInfo> leases(String client) {
    return fixture.service.leases().stream()
        .filter(lease -> lease.block().equals(block) && lease.clientId().equals(client))
        .toList();
  }

  /** 0: no lease; 1: one that is over; 2: ran out, but its pin must stay; 3: it holds. */
  public int holds(String client) {
    int most = 0;
    for (LeaseInfo lease : up ? leases(client) : List.<LeaseInfo>of()) {
      long left = lease.remainingMillis();
      most = Math.max(most, left > 0 ? 3 : left >= -GrantFixture.IO_MILLIS ? 2 : 1);
    }
    return most;
  }

  /** Whether leases on the block are asked back. */
  public boolean isRecalled() {
    return up
        && fixture.service.leases().stream()
            .anyMatch(lease -> lease.block().equals(block) && lease.recalled());
  }

  /** Whether anything but HDFS's own name keeps the block's inode. */
  public boolean isLinked() {
    return !links().isEmpty();
  }

  private List<Path> links() {
    return fixture.links().stream().filter(link -> inode.equals(key(link))).toList();
  }

  /** Whether the file system may give the block's extent to somebody else. */
  public boolean isFree() {
    boolean named =
        withdrawn != null
            || (fixture.hdfs.has(block)
                && inode.equals(key(fixture.hdfs.replica(block).blockFile())));
    return cut || !(named || isLinked());
  }

  /** The page with the volume's witness, as it is on the device. */
  public byte[] witnessPage() {
    try {
      return Files.readAllBytes(fixture.root.resolve("rdio").resolve("witness"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable Object key(Path file) {
    try {
      return PinAttempt.fileKey(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends what a killed process was about to do. */
  @Override
  public void close() {
    GrantFaultInjector.set(new GrantFaultInjector());
    killed.forEach(Stepper::close);
    Stepper<GrantResult> stepper = granting;
    if (stepper != null) {
      stepper.close();
    }
  }
}
