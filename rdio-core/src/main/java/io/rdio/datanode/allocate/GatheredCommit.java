// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A Commit whose CRCs are gathered in room that was put aside for them. */
final class GatheredCommit implements CommitIntake {
  private final byte[] crcs;
  private final Function<byte[], CompletableFuture<CommitResult>> run;
  private final Runnable giveRoomBack;

  @GuardedBy("this")
  private int count;

  @GuardedBy("this")
  private boolean closed;

  @GuardedBy("this")
  private @Nullable CompletableFuture<CommitResult> committed;

  /**
   * @param bytes of all CRCs
   * @param run commits; fails never
   * @param giveRoomBack called once, when the CRCs are needed no more
   */
  GatheredCommit(
      int bytes, Function<byte[], CompletableFuture<CommitResult>> run, Runnable giveRoomBack) {
    this.crcs = new byte[bytes];
    this.run = run;
    this.giveRoomBack = giveRoomBack;
  }

  @Override
  public synchronized void add(ByteBuffer checksums) {
    int more = checksums.remaining();
    if (more > crcs.length - count) {
      throw new IllegalArgumentException(
          count + " and " + more + " bytes of checksums, but the block has " + crcs.length);
    }
    checksums.get(crcs, count, more);
    count += more;
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // giving room back is all that is wanted of it
  public synchronized CompletableFuture<CommitResult> commit() {
    if (committed != null) {
      return committed;
    }
    if (closed || count != crcs.length) {
      throw new IllegalArgumentException(
          count + " bytes of checksums, but the block has " + crcs.length);
    }
    committed = run.apply(crcs).whenComplete((answer, failure) -> giveRoomBack.run());
    return committed;
  }

  @Override
  public synchronized void close() {
    if (!closed && committed == null) {
      giveRoomBack.run();
    }
    closed = true;
  }
}
