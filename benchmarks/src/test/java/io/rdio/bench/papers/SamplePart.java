// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;

/** A part that counts how often it is run, and fails when it is told to. */
final class SamplePart implements Part {
  static final String PANEL = "speed";

  private final String name;
  private final double faster;
  int runs;
  boolean fails;
  boolean hasFault;
  boolean inQuick = true;
  String obstacle = "";
  Duration bound = Duration.ofSeconds(10);

  /**
   * @param faster what line {@code a} has at label {@code 1}; line {@code b} has 10
   */
  SamplePart(String name, double faster) {
    this.name = name;
    this.faster = faster;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String runs(boolean quick) {
    return name + (quick ? " --quick" : "");
  }

  @Override
  public Duration bound(boolean quick) {
    return bound;
  }

  @Override
  public boolean needsRoot() {
    return false;
  }

  @Override
  public boolean inQuick() {
    return inQuick;
  }

  @Override
  public String obstacle() {
    return obstacle;
  }

  @Override
  public Measured run(Terms terms) throws IOException {
    runs++;
    terms.deadline().check();
    if (fails) {
      throw new IOException("the disk is gone");
    }
    if (hasFault) {
      throw new NoSuchElementException();
    }
    return measured(faster);
  }

  static Measured measured(double faster) {
    Panel.Builder panel = Panel.of(PANEL, "threads", "MB/s");
    panel.add("a", "1", faster).add("b", "1", 10);
    return new Measured(List.of(panel.build()));
  }

  /** A figure of it, which expects that a is at least as fast as b. */
  Figure figure(String number) {
    return Figure.of(
            Paper.RDIO, number, "speed <of> " + number, Published.plotOnly("§ 5", "a is faster."))
        .shows(this, PANEL)
        .expects(
            Check.that(
                "a is as fast as b",
                Check.atLeast(Check.at(PANEL, "a", "1"), 1, Check.at(PANEL, "b", "1"))))
        .differs("loopback & loop devices")
        .build();
  }
}
