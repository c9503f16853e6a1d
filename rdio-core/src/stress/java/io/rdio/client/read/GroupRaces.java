// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Windows are lent and taken back while their memory is wanted for others. */
public final class GroupRaces {
  private GroupRaces() {}

  private static WindowGroup idle() {
    WindowGroup group = new WindowGroup(ByteBuffer.allocate(0), 0);
    group.takeBack();
    return group;
  }

  /** One is lent a window, the other takes its memory. */
  @JCStressTest
  @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the window is lent")
  @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "its memory is somebody else's")
  @Outcome(expect = FORBIDDEN, desc = "two have the same memory, or nobody has")
  @State
  public static class LendOrCut {
    private final WindowGroup group = idle();

    @Actor
    public void lend(ZZ_Result r) {
      r.r1 = group.lend(WindowGroup.FIRST_CUT);
    }

    @Actor
    public void cut(ZZ_Result r) {
      r.r2 = group.cutAnew() != WindowGroup.LENT;
    }
  }

  /** Two want its memory. */
  @JCStressTest
  @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the first has it")
  @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "the other has it")
  @Outcome(expect = FORBIDDEN, desc = "both have it, or nobody has")
  @State
  public static class TwoCuts {
    private final WindowGroup group = idle();

    @Actor
    public void cut(ZZ_Result r) {
      r.r1 = group.cutAnew() != WindowGroup.LENT;
    }

    @Actor
    public void cutToo(ZZ_Result r) {
      r.r2 = group.cutAnew() != WindowGroup.LENT;
    }
  }
}
