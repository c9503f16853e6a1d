// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Places of a segment are taken and given back by several threads at once. */
public final class PlaceRaces {
  private static final int PLACES = 4;
  private static final long ALL = (1L << PLACES) - 1;

  private PlaceRaces() {}

  private static long bits(int taken) {
    return ((1L << FreePlaces.count(taken)) - 1) << FreePlaces.first(taken);
  }

  /** Two want three of four places: one has them, the other has the fourth. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "each place has one owner")
  @Outcome(expect = FORBIDDEN, desc = "a place has two owners, or none although it was wanted")
  @State
  public static class TwoTakers {
    private final FreePlaces places = new FreePlaces(PLACES);
    private int one;
    private int other;

    @Actor
    public void take() {
      one = places.take(PLACES - 1);
    }

    @Actor
    public void takeToo() {
      other = places.take(PLACES - 1);
    }

    @Arbiter
    public void look(ZZ_Result r) {
      r.r1 = (bits(one) & bits(other)) == 0;
      r.r2 = (bits(one) | bits(other)) == ALL && places.taken() == PLACES;
    }
  }

  /** Who wants all places while two of them come back has two or four; none is lost. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "what was given back is free or taken")
  @Outcome(expect = FORBIDDEN, desc = "a place is lost, or has two owners")
  @State
  public static class TakerAndGiver {
    private final FreePlaces places = new FreePlaces(PLACES);
    private final int held = places.take(2);
    private int taken;

    @Actor
    public void give() {
      places.give(FreePlaces.first(held), FreePlaces.count(held));
    }

    @Actor
    public void take() {
      taken = places.take(PLACES);
    }

    @Arbiter
    public void look(ZZ_Result r) {
      r.r1 = FreePlaces.count(taken) == 2 || FreePlaces.count(taken) == PLACES;
      r.r2 = places.taken() == FreePlaces.count(taken);
    }
  }
}
