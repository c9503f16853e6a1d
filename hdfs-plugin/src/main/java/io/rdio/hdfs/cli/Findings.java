// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.PrintWriter;

/** What the doctor found: a line for each thing, for the wrong ones with cause and fix. */
final class Findings {
  private final PrintWriter out;
  private int wrongs;

  Findings(PrintWriter out) {
    this.out = out;
  }

  /** Begins with another part of the system. */
  void part(String title) {
    out.println(title);
    out.flush();
  }

  void ok(String what, String value) {
    line("ok", what, value);
  }

  /** Something that is neither right nor wrong. */
  void note(String what, String text) {
    line("note", what, text);
  }

  /** What is refused, and hinders nothing that the doctor is about. */
  void note(String what, String text, FallbackException refusal) {
    note(what, text + ": " + Failures.text(refusal));
    line("", "", "fix: " + refusal.reason().fix());
  }

  void wrong(String what, String cause, String fix) {
    wrongs++;
    line("WRONG", what, cause);
    line("", "", "fix: " + fix);
  }

  void wrong(String what, FallbackException refusal) {
    wrong(what, refusal.reason(), refusal.detail());
  }

  /** What a DataNode or a counter names by its reason. */
  void wrong(String what, FallbackReason reason, String detail) {
    wrong(what, Failures.text(reason, detail), reason.fix());
  }

  private void line(String verdict, String what, String text) {
    out.printf("  %-6s %-12s %s%n", verdict, what, text);
    out.flush();
  }

  int wrongs() {
    return wrongs;
  }
}
