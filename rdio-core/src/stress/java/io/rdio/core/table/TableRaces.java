// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.table;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Lookups, which take no lock, against writes. */
public final class TableRaces {
  private TableRaces() {}

  /** An element whose content was written before it was put in. */
  static final class Element {
    final Integer key;
    int content;

    Element(int key) {
      this.key = key;
      this.content = key;
    }
  }

  abstract static class FullStripes {
    final SlotTable<Integer, Element> table = new SlotTable<>(element -> element.key, 1);
    final Element first = new Element(1);

    /** So full that the next puts copy the slots. */
    FullStripes() {
      table.put(first);
      for (int key = 2; key < 12; key++) {
        table.put(new Element(key));
      }
    }

    int content(int key) {
      Element found = table.find(key);
      return found == null ? 0 : found.content;
    }
  }

  /** What is there is found, although the slots are copied because others are put in. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "found, whole")
  @State
  public static class LookupAndCopy extends FullStripes {
    @Actor
    public void put() {
      for (int key = 12; key < 20; key++) {
        table.put(new Element(key));
      }
    }

    @Actor
    public void find(I_Result r) {
      r.r1 = content(1);
    }
  }

  /** Once an element is seen it stays seen, and whole. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "0, 50", "50, 50"},
      expect = ACCEPTABLE,
      desc = "not yet, or whole")
  @State
  public static class LookupAndPut extends FullStripes {
    @Actor
    public void put() {
      table.put(new Element(50));
    }

    @Actor
    public void find(II_Result r) {
      r.r1 = content(50);
      r.r2 = content(50);
    }
  }

  /** Of two that take an element out one does. */
  @JCStressTest
  @Outcome(
      id = {"true, false", "false, true"},
      expect = ACCEPTABLE,
      desc = "taken out once")
  @State
  public static class TwoRemovals extends FullStripes {
    @Actor
    public void one(ZZ_Result r) {
      r.r1 = table.remove(first);
    }

    @Actor
    public void other(ZZ_Result r) {
      r.r2 = table.remove(first);
    }
  }
}
