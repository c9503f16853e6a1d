// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Says how far a step is: in place on a terminal, else a line for each quarter. */
final class Progress {
  private static final long MEGABYTE = 1_000_000;

  private final PrintStream out;
  private final boolean terminal;
  private final String step;
  private final long total;
  private int shown = -1;

  Progress(PrintStream out, String step, long total) {
    this.out = out;
    this.terminal = isTerminal();
    this.step = step;
    this.total = total;
  }

  /** Of standard output alone: System.console() also asks for an input, and not in each Java. */
  private static boolean isTerminal() {
    try {
      Path target = Files.readSymbolicLink(Path.of("/proc/self/fd/1"));
      return target.startsWith("/dev/pts") || target.startsWith("/dev/tty");
    } catch (IOException e) {
      return false;
    }
  }

  /** So many bytes of the total are done; never fewer than at the last call. */
  void at(long done) {
    int percent = (int) (100 * done / total);
    int mark = terminal ? percent : percent / 25 * 25;
    if (mark == shown) {
      return;
    }
    shown = mark;
    String text =
        String.format(
            Locale.ROOT,
            "%-28s %3d %%  %d of %d MB",
            step,
            mark,
            done / MEGABYTE,
            total / MEGABYTE);
    if (terminal) {
      out.print("\r" + text + (percent == 100 ? "\n" : ""));
    } else {
      out.println(text);
    }
    out.flush();
  }
}
