// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.nativeio.Errno;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.Ring;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads that a kernel short of memory takes late, or not all at once. */
final class RingReadsTest {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 8;

  /** What the kernel does at a call. */
  private enum Answer {
    /** Takes all, and tells of what has ended. */
    TAKES,
    /** Takes nothing, and has nothing to tell. */
    LEAVES,
    /** Takes what there is, and says that something is left. */
    TAKES_SOME,
    /** Says that the call failed. */
    FAILS
  }

  @TempDir Path directory;
  private final ByteBuffer target =
      ByteBuffer.allocateDirect((BLOCKS + 1) * BLOCK).alignedSlice(BLOCK);
  private Answer answer = Answer.TAKES;
  private int left;
  private int calls;
  private DirectBlockDevice device;
  private RingReads reads;

  @BeforeEach
  void open() throws Exception {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    byte[] content = new byte[BLOCKS * BLOCK];
    for (int i = 0; i < BLOCKS; i++) {
      Arrays.fill(content, i * BLOCK, (i + 1) * BLOCK, (byte) (i + 1));
    }
    device = DirectBlockDevice.open(Files.write(directory.resolve("image"), content), 512);
    long ring = Ring.create(RingQueue.DEPTH);
    assertThat(ring).isPositive();
    reads = new RingReads(ring, this::enter, Duration.ZERO, Duration.ofSeconds(1));
  }

  @AfterEach
  void close() {
    reads.run();
  }

  /** Answers so for a few calls, and takes all from then on. */
  private void answers(Answer so, int times) {
    answer = so;
    left = times;
    calls = 0;
  }

  private int enter(long ring, int waitFor, long timeoutNanos, long completions, int max) {
    calls++;
    Answer now = left > 0 ? answer : Answer.TAKES;
    left--;
    return switch (now) {
      case TAKES -> Ring.enter(ring, waitFor, timeoutNanos, completions, max);
      case LEAVES -> Ring.LEFT;
      case TAKES_SOME -> Ring.enter(ring, waitFor, timeoutNanos, completions, max) + Ring.LEFT;
      case FAILS -> -Errno.EAGAIN;
    };
  }

  private int prepare(int block) {
    int at = block * BLOCK;
    int ticket = reads.prepare(device, at, target, at, BLOCK);
    assertThat(ticket).isNotEqualTo(ReadQueue.NONE);
    return ticket;
  }

  private void check(int ticket, int block) throws Exception {
    assertThat(reads.await(ticket)).isEqualTo(BLOCK);
    assertThat(target.get(block * BLOCK)).isEqualTo((byte) (block + 1));
    assertThat(target.get((block + 1) * BLOCK - 1)).isEqualTo((byte) (block + 1));
  }

  private int callsOfASubmit() {
    calls = 0;
    reads.submit();
    return calls;
  }

  @Test
  void whatIsTakenIsNotSubmittedAgain() throws Exception {
    int ticket = prepare(0);
    assertThat(callsOfASubmit()).isEqualTo(1);
    assertThat(callsOfASubmit()).isZero();
    check(ticket, 0);
  }

  @Test
  void whatIsLeftIsSubmittedByTheNextCallThatMay() throws Exception {
    for (Answer so : new Answer[] {Answer.LEAVES, Answer.FAILS}) {
      int ticket = prepare(1);
      answers(so, 2);
      assertThat(callsOfASubmit()).as("%s", so).isEqualTo(1);
      assertThat(callsOfASubmit()).as("%s", so).isEqualTo(1);
      assertThat(callsOfASubmit()).as("%s, at last taken", so).isEqualTo(1);
      assertThat(callsOfASubmit()).as("%s", so).isZero();
      check(ticket, 1);
    }
  }

  @Test
  void aWaitGoesOnUntilItIsTaken() throws Exception {
    for (Answer so : new Answer[] {Answer.LEAVES, Answer.FAILS}) {
      int ticket = prepare(2);
      answers(so, 3);
      check(ticket, 2);
      assertThat(calls).as("%s", so).isGreaterThan(3);
    }
  }

  @Test
  void endsThatAreToldBesideSomethingLeftCount() throws Exception {
    int[] tickets = {prepare(3), prepare(4), prepare(5)};
    answers(Answer.TAKES_SOME, Integer.MAX_VALUE);
    for (int i = 0; i < tickets.length; i++) {
      check(tickets[i], 3 + i);
    }
    assertThat(device.backlog().underWay()).isZero();
    assertThat(callsOfASubmit()).as("something is left").isEqualTo(1);
    answers(Answer.TAKES, 0);
    assertThat(callsOfASubmit()).isEqualTo(1);
    assertThat(callsOfASubmit()).isZero();
  }

  /** It is under way although the call that took it told of none. */
  @Test
  void whatIsGivenUpBeforeItIsTakenIsWaitedForNevertheless() {
    int ticket = prepare(6);
    answers(Answer.LEAVES, 2);
    assertThat(reads.discard(ticket)).isTrue();
    assertThat(target.get(6 * BLOCK)).as("the kernel is done with it").isEqualTo((byte) 7);
  }
}
