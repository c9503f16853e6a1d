// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.StringWriter;
import java.util.Objects;
import org.apache.log4j.Appender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the log has of each reason is read as that reason, at whatever level it was written. */
class FallbackLineTest {
  private static final String FILE = "/user/a [b] c/part-00000";
  private static final String DETAIL = "dn1:9870: [Fix: x] 3 of 3";

  private final StringWriter written = new StringWriter();
  private final Appender appender = new WriterAppender(new SimpleLayout(), written);
  private final Logger logger = Logger.getLogger(FallbackLog.class);
  private Level level;

  @BeforeEach
  void listen() {
    level = logger.getLevel();
    logger.setLevel(Level.DEBUG);
    logger.addAppender(appender);
  }

  @AfterEach
  void stop() {
    logger.removeAppender(appender);
    logger.setLevel(level);
  }

  private FallbackLine lastWritten() {
    String first = written.toString().lines().findFirst().orElseThrow();
    written.getBuffer().setLength(0);
    return Objects.requireNonNull(FallbackLine.parse(first), first);
  }

  /** It is asked about reads. */
  @ParameterizedTest
  @EnumSource(FallbackReason.class)
  void ofWritesAreNone(FallbackReason reason) {
    FallbackLog.WRITES.log(new FallbackException(reason, DETAIL), FILE);
    assertThat(written.toString()).contains("stock HDFS writes " + FILE, reason.name());
    assertThat(written.toString().lines()).noneMatch(line -> FallbackLine.parse(line) != null);
  }

  /** Twice: loudly, unless it was before, and then for debugging. */
  @ParameterizedTest
  @EnumSource(FallbackReason.class)
  void refusals(FallbackReason reason) {
    FallbackException refusal = new FallbackException(reason, DETAIL);
    boolean isAccident = reason == FallbackReason.INTERNAL_ERROR;
    for (int i = 0; i < 2; i++) {
      FallbackLog.SHARED.log(refusal, FILE);
      FallbackLine line = lastWritten();
      assertThat(line.reason()).isEqualTo(reason.name());
      assertThat(line.detail()).isIn(DETAIL, isAccident ? "" : DETAIL);
    }
    FallbackLog.SHARED.turnedAway(refusal, FILE);
    assertThat(lastWritten().reason()).isEqualTo(reason.name());
  }

  @ParameterizedTest
  @EnumSource(FallbackReason.class)
  void loudOnes(FallbackReason reason) {
    FallbackException refusal = new FallbackException(reason, DETAIL);
    String text = "WARN - " + FallbackLine.refused(FallbackLine.BY_STOCK, refusal, FILE);
    assertThat(text).contains(reason.text(), reason.fix());
    FallbackLine line = Objects.requireNonNull(FallbackLine.parse(text));
    assertThat(line.reason()).isEqualTo(reason.name());
    assertThat(line.detail()).isEqualTo(DETAIL);
    FallbackLine failed =
        Objects.requireNonNull(
            FallbackLine.parse(FallbackLine.failed(FallbackLine.BY_STOCK, reason, FILE)));
    assertThat(failed.reason()).isEqualTo(reason.name());
    assertThat(failed.detail()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void accidents(boolean again) {
    for (int i = 0; i < (again ? 2 : 1); i++) {
      FallbackLog.SHARED.log(new IllegalStateException("no such thing"), FILE);
      assertThat(lastWritten().reason()).isEqualTo(FallbackReason.INTERNAL_ERROR.name());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "RDIO: ",
        "RDIO: stock HDFS reads /a",
        "RDIO: stock HDFS reads /a: [LEASE_LIMIT]",
        "RDIO: Number of bytes read=12",
        "stock HDFS reads /a: x [LEASE_LIMIT: y]. Fix: z."
      })
  void otherLinesAreNone(String line) {
    assertThat(FallbackLine.parse(line)).isNull();
  }
}
