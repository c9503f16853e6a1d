// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * A configuration key with its default and what its value may be. Immutable. Sizes and numbers take
 * Hadoop's suffixes (64m), times too (30s).
 *
 * @param <T> of its value
 */
public abstract class ConfigKey<T> {
  private final String name;
  private final String byDefault;

  private ConfigKey(String name, String byDefault) {
    this.name = name;
    this.byDefault = byDefault;
  }

  /** True or false; as Hadoop has it, anything else is the default. */
  static ConfigKey<Boolean> flag(String name, boolean byDefault) {
    return new Flag(name, byDefault);
  }

  /** A number that takes no suffix, from {@code least} on. */
  static ConfigKey<Integer> count(String name, int byDefault, int least) {
    return new Count(name, byDefault, least);
  }

  /** A number or a size that fits an int, both bounds included. */
  static ConfigKey<Integer> number(String name, String byDefault, int least, int most) {
    return new SmallNumber(name, byDefault, least, most);
  }

  /** A size in bytes, from {@code least} on. */
  static ConfigKey<Long> size(String name, String byDefault, long least) {
    return new Size(name, byDefault, least);
  }

  /** A time of any length, in whole milliseconds. */
  static ConfigKey<Duration> time(String name, String byDefault) {
    return new Time(name, byDefault, Duration.ZERO, null);
  }

  /** A time in whole milliseconds, both bounds included. */
  static ConfigKey<Duration> time(String name, String byDefault, Duration least, Duration most) {
    return new Time(name, byDefault, least, most);
  }

  /** One of several words, which come in lower case. */
  static ConfigKey<String> word(String name, String byDefault, String... words) {
    return new Word(name, byDefault, words);
  }

  /** Anything, without the white space around it. */
  static ConfigKey<String> text(String name, String byDefault) {
    return new Text(name, byDefault);
  }

  /** What stands between commas, without the white space around it. */
  static ConfigKey<List<String>> list(String name, String byDefault) {
    return new Texts(name, byDefault);
  }

  /** As people write it. */
  public final String name() {
    return name;
  }

  /** As it is documented. */
  public final String byDefault() {
    return byDefault;
  }

  /**
   * Its value, or its default.
   *
   * @throws IllegalArgumentException {@link #wrong}
   */
  public abstract T get(Configuration conf);

  /** Its value as it was written, or its default. */
  public final String written(Configuration conf) {
    return conf.getTrimmed(name, byDefault);
  }

  /** Whether it has a value of its own that is not empty. */
  public final boolean isSet(Configuration conf) {
    return !conf.getTrimmed(name, "").isEmpty();
  }

  /**
   * Says that a value cannot be used. Keys say so themselves of what {@link #get} is asked for; who
   * knows more about the value says it with this.
   *
   * @param use what to use instead, such as "host:port"
   */
  public final IllegalArgumentException wrong(String value, String use, @Nullable Throwable cause) {
    return new IllegalArgumentException(name + " is '" + value + "': use " + use, cause);
  }

  /** Of the value as it was written. */
  final IllegalArgumentException wrong(Configuration conf, String use, @Nullable Throwable cause) {
    return wrong(written(conf), use, cause);
  }

  /** Its name. */
  @Override
  public final String toString() {
    return name;
  }

  /** Takes Hadoop's suffixes. */
  final long bytes(Configuration conf, long least, long most, String use) {
    try {
      long bytes = StringUtils.TraditionalBinaryPrefix.string2long(written(conf));
      if (bytes >= least && bytes <= most) {
        return bytes;
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw wrong(conf, use, e); // out of bounds where there is no character
    }
    throw wrong(conf, use, null);
  }

  private static final class Flag extends ConfigKey<Boolean> {
    private final boolean byDefault;

    Flag(String name, boolean byDefault) {
      super(name, Boolean.toString(byDefault));
      this.byDefault = byDefault;
    }

    @Override
    public Boolean get(Configuration conf) {
      return conf.getBoolean(name(), byDefault);
    }
  }

  private static final class Count extends ConfigKey<Integer> {
    private final int byDefault;
    private final int least;

    Count(String name, int byDefault, int least) {
      super(name, Integer.toString(byDefault));
      this.byDefault = byDefault;
      this.least = least;
    }

    @Override
    public Integer get(Configuration conf) {
      String use = "a number of " + least + " or more";
      try {
        int count = conf.getInt(name(), byDefault);
        if (count >= least) {
          return count;
        }
      } catch (NumberFormatException e) {
        throw wrong(conf, use, e);
      }
      throw wrong(conf, use, null);
    }
  }

  private static final class SmallNumber extends ConfigKey<Integer> {
    private final int least;
    private final int most;

    SmallNumber(String name, String byDefault, int least, int most) {
      super(name, byDefault);
      this.least = least;
      this.most = most;
    }

    @Override
    public Integer get(Configuration conf) {
      return (int) bytes(conf, least, most, "a number from " + least + " to " + most);
    }
  }

  private static final class Size extends ConfigKey<Long> {
    private final long least;

    Size(String name, String byDefault, long least) {
      super(name, byDefault);
      this.least = least;
    }

    @Override
    public Long get(Configuration conf) {
      return bytes(conf, least, Long.MAX_VALUE, "a size of " + least + " or more, such as 64m");
    }
  }

  private static final class Time extends ConfigKey<Duration> {
    private final Duration least;
    private final @Nullable Duration most;

    Time(String name, String byDefault, Duration least, @Nullable Duration most) {
      super(name, byDefault);
      this.least = least;
      this.most = most;
    }

    @Override
    public Duration get(Configuration conf) {
      try {
        Duration time =
            Duration.ofMillis(conf.getTimeDuration(name(), byDefault(), TimeUnit.MILLISECONDS));
        if (time.compareTo(least) >= 0 && (most == null || time.compareTo(most) <= 0)) {
          return time;
        }
      } catch (IllegalArgumentException e) {
        throw wrong(conf, use(), e);
      }
      throw wrong(conf, use(), null);
    }

    private String use() {
      return most == null
          ? "a time such as 3s or 500ms"
          : "a time from " + text(least) + " to " + text(most) + ", such as " + byDefault();
    }

    private static String text(Duration time) {
      if (!time.isZero() && time.equals(Duration.ofDays(time.toDays()))) {
        return time.toDays() + "d";
      }
      long millis = time.toMillis();
      return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }
  }

  private static final class Word extends ConfigKey<String> {
    private final List<String> words;

    Word(String name, String byDefault, String... words) {
      super(name, byDefault);
      this.words = Arrays.asList(words);
    }

    @Override
    public String get(Configuration conf) {
      String word = written(conf).toLowerCase(Locale.ROOT);
      if (words.contains(word)) {
        return word;
      }
      throw wrong(conf, String.join(" or ", words), null);
    }
  }

  private static final class Text extends ConfigKey<String> {
    Text(String name, String byDefault) {
      super(name, byDefault);
    }

    @Override
    public String get(Configuration conf) {
      return written(conf);
    }
  }

  private static final class Texts extends ConfigKey<List<String>> {
    Texts(String name, String byDefault) {
      super(name, byDefault);
    }

    @Override
    public List<String> get(Configuration conf) {
      return Collections.unmodifiableList(
          new ArrayList<>(StringUtils.getTrimmedStringCollection(written(conf))));
    }
  }
}
