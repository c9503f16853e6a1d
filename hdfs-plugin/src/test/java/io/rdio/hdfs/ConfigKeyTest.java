// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each kind of key makes of what is written, and how it says that it can make nothing. */
final class ConfigKeyTest {
  private static final Map<String, ConfigKey<?>> KEYS =
      Map.of(
          "flag", ConfigKey.flag("k", true),
          "count", ConfigKey.count("k", 8, 1),
          "number", ConfigKey.number("k", "4k", 16, 1 << 20),
          "size", ConfigKey.size("k", "64m", 1),
          "time", ConfigKey.time("k", "3s"),
          "bounded time", ConfigKey.time("k", "10s", Duration.ofMillis(10), Duration.ofDays(1)),
          "word", ConfigKey.word("k", "off", "off", "on"),
          "text", ConfigKey.text("k", ""),
          "list", ConfigKey.list("k", "a,b"));

  private static Configuration conf(String value) {
    Configuration conf = new Configuration(false);
    conf.set("k", value);
    return conf;
  }

  @ParameterizedTest
  @CsvSource({
    "flag, ' false ', false",
    "flag, perhaps, true",
    "count, 0x10, 16",
    "number, 16, 16",
    "number, 1m, 1048576",
    "size, 2g, 2147483648",
    "time, 500ms, PT0.5S",
    "time, 40d, PT960H",
    "bounded time, 1d, PT24H",
    "word, ON, on",
    "text, ' a b ', a b",
    "list, ' a , b,,c', '[a, b, c]'",
    "list, '', []",
  })
  void valueAsHadoopTakesIt(String kind, String value, String means) {
    assertThat(KEYS.get(kind).get(conf(value))).asString().isEqualTo(means);
  }

  @ParameterizedTest
  @CsvSource({
    "count, 0, a number of 1 or more",
    "count, 1k, a number of 1 or more",
    "number, 15, a number from 16 to 1048576",
    "number, 2m, a number from 16 to 1048576",
    "number, '', a number from 16 to 1048576",
    "size, 0, 'a size of 1 or more, such as 64m'",
    "size, much, 'a size of 1 or more, such as 64m'",
    "time, soon, a time such as 3s or 500ms",
    "time, -3s, a time such as 3s or 500ms",
    "bounded time, 9ms, 'a time from 10ms to 1d, such as 10s'",
    "bounded time, 25h, 'a time from 10ms to 1d, such as 10s'",
    "word, yes, off or on",
  })
  void wrongValueIsSaidInOneWay(String kind, String value, String use) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KEYS.get(kind).get(conf(value)))
        .withMessage("k is '%s': use %s", value, use);
  }

  @Test
  void defaultIsWhatIsWrittenWhereNothingIs() {
    Configuration empty = new Configuration(false);
    assertThat(KEYS.get("size").get(empty)).isEqualTo(64L << 20);
    assertThat(KEYS.get("list").get(empty)).isEqualTo(List.of("a", "b"));
    assertThat(KEYS.get("size").written(empty)).isEqualTo("64m");
    assertThat(KEYS.get("size").isSet(empty)).isFalse();
    assertThat(KEYS.get("size").isSet(conf(" "))).isFalse();
    assertThat(KEYS.get("size").isSet(conf("1"))).isTrue();
  }
}
