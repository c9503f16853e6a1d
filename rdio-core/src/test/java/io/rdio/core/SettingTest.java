// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages of this module name settings, and no configuration keys. */
final class SettingTest {
  private static final Path SOURCES = Path.of("src", "main");

  /** Hadoop's keys too: this module knows nothing of Hadoop. */
  private static final Pattern KEY = Pattern.compile("\\bdfs\\.[a-z]|\\bfs\\.defaultFS");

  @Test
  void noSourceNamesAKey() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      List<Path> sources = files.filter(Files::isRegularFile).toList();
      assertThat(sources).hasSizeGreaterThan(100).noneMatch(SettingTest::namesAKey);
    }
  }

  private static boolean namesAKey(Path source) {
    try {
      return KEY.matcher(Files.readString(source)).find();
    } catch (IOException e) {
      throw new UncheckedIOException(source.toString(), e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void noFixNamesASettingThatThereIsNot(FallbackReason reason) {
    assertThat(reason.fix()).isNotBlank().doesNotContain("{", "}");
  }

  @Test
  void messagesAreFilledIn() {
    assertThat(Setting.fillIn("raise {PINS_MAX}, or {LEASES_MAX}; not {LEASES} nor {x}"))
        .isEqualTo("raise the cap of pins, or the cap of leases; not {LEASES} nor {x}");
  }

  @ParameterizedTest
  @EnumSource
  void settingWithoutANameIsSaidInWords(Setting setting) {
    assertThat(setting).asString().matches("[A-Za-z' ]+");
  }
}
