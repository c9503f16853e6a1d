// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Idle things are taken and given back by several threads at once. */
public final class IdleRaces {
  private IdleRaces() {}

  /** Three of them, each a power of two, so that a sum says which. */
  abstract static class Three {
    static final int ALL = 7;

    final IdleStack<Integer> stack = new IdleStack<>(3);
    int one;
    int other;

    Three() {
      stack.offer(1);
      stack.offer(2);
      stack.offer(4);
    }

    static int value(@Nullable Integer taken) {
      return taken == null ? 0 : taken;
    }

    /** What is left. */
    final int rest() {
      int rest = 0;
      for (Integer next = stack.poll(); next != null; next = stack.poll()) {
        rest += next;
      }
      return rest;
    }
  }

  /** Two take one each. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "each has one owner")
  @Outcome(expect = FORBIDDEN, desc = "one has two owners, or none")
  @State
  public static class TwoTakers extends Three {
    @Actor
    public void take() {
      one = value(stack.poll());
    }

    @Actor
    public void takeToo() {
      other = value(stack.poll());
    }

    @Arbiter
    public void look(ZZ_Result r) {
      r.r1 = one != 0 && other != 0 && (one & other) == 0;
      r.r2 = (one | other | rest()) == ALL;
    }
  }

  /** One takes while another takes two and gives the first of them back: the top is as it was. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "each has one owner")
  @Outcome(expect = FORBIDDEN, desc = "a top that came back was taken for the one that was seen")
  @State
  public static class TopThatComesBack extends Three {
    @Actor
    public void take() {
      one = value(stack.poll());
    }

    @Actor
    public void takeTwoAndGiveOne() {
      Integer first = stack.poll();
      other = value(stack.poll());
      if (first != null) {
        stack.offer(first);
      }
    }

    @Arbiter
    public void look(ZZ_Result r) {
      int rest = rest();
      r.r1 = (one & other) == 0 && (one & rest) == 0 && (other & rest) == 0;
      r.r2 = (one | other | rest) == ALL;
    }
  }

  /** What one gives the other may have: it comes whole, or is there afterwards. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "taken, or there")
  @Outcome(expect = FORBIDDEN, desc = "lost, or there twice")
  @State
  public static class GiverAndTaker {
    private final IdleStack<Integer> stack = new IdleStack<>(1);
    private @Nullable Integer taken;
    private boolean isKept;

    @Actor
    public void give() {
      isKept = stack.offer(1);
    }

    @Actor
    public void take() {
      taken = stack.poll();
    }

    @Arbiter
    public void look(ZZ_Result r) {
      Integer left = stack.poll();
      r.r1 = isKept && (taken == null) == (left != null);
      r.r2 = stack.offer(2) && !stack.offer(3);
    }
  }
}
