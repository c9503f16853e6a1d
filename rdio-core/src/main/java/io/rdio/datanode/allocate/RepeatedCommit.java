// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A Commit that was asked for before: its CRCs are dropped, its answer is that of before. */
final class RepeatedCommit implements CommitIntake {
  private final Supplier<CompletableFuture<CommitResult>> answer;

  RepeatedCommit(Supplier<CompletableFuture<CommitResult>> answer) {
    this.answer = answer;
  }

  @Override
  public void add(ByteBuffer checksums) {
    checksums.position(checksums.limit());
  }

  @Override
  public CompletableFuture<CommitResult> commit() {
    return answer.get();
  }

  @Override
  public void close() {
    // There is nothing to give back.
  }
}
