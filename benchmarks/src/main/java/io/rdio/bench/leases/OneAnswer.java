// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.hdfs.carried.CallEnd;
import io.rdio.hdfs.carried.Carrier;
import java.util.function.Consumer;

/** Waits for a call's end, and then tells of its answer, or of why there is none. */
final class OneAnswer implements Carrier.Answers {
  private final Consumer<byte[]> answered;
  private final Consumer<CallEnd> failed;
  private byte[] answer = {};

  OneAnswer(Consumer<byte[]> answered, Consumer<CallEnd> failed) {
    this.answered = answered;
    this.failed = failed;
  }

  @Override
  public void message(byte[] bytes) {
    answer = bytes;
  }

  @Override
  public void ended(CallEnd end) {
    if (end.isOk()) {
      answered.accept(answer);
    } else {
      failed.accept(end);
    }
  }
}
