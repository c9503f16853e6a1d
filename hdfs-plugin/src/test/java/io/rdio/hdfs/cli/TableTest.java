// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  void columnsAreAlignedAndNumbersToTheRight() {
    Table table = new Table("NAME", "COUNT", "NOTE");
    table.row("a", 7, "x");
    table.row("longer", 1234567, "");
    StringWriter text = new StringWriter();
    table.print(new PrintWriter(text, true));
    assertThat(text.toString().lines())
        .containsExactly("NAME      COUNT  NOTE", "a             7  x", "longer  1234567");
  }
}
