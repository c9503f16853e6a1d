// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.FallbackReason.EXTENTS_UNMAPPABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of the FIEMAP ioctl, regular, unwelcome and damaged. */
final class FiemapParserTest {
  private static final int LAST = 1;

  @Test
  void neighboursOnTheDeviceAreMerged() throws FallbackException {
    FiemapParser parser = new FiemapParser("f", 16384);

    parser.accept(
        answer(
            extent(0, 40960, 4096, 0), extent(4096, 45056, 4096, 0), extent(8192, 0, 8192, LAST)));

    assertThat(parser.extents())
        .isEqualTo(ExtentList.of(new long[] {40960, 0}, new long[] {8192, 8192}));
  }

  @Test
  void neighboursAreMergedAcrossAnswers() throws FallbackException {
    FiemapParser parser = new FiemapParser("f", 8192);

    parser.accept(answer(extent(0, 40960, 4096, 0)));
    assertThat(parser.isComplete()).isFalse();
    assertThat(parser.mappedBytes()).isEqualTo(4096);
    parser.accept(answer(extent(4096, 45056, 4096, LAST)));

    assertThat(parser.isComplete()).isTrue();
    assertThat(parser.extents()).isEqualTo(ExtentList.of(new long[] {40960}, new long[] {8192}));
  }

  @Test
  void extentThatAnAnswerRepeatsFromItsBeginningGoesOn() throws FallbackException {
    FiemapParser parser = new FiemapParser("f", 12288);

    parser.accept(answer(extent(0, 40960, 4096, 0)));
    parser.accept(answer(extent(0, 40960, 12288, LAST)));

    assertThat(parser.extents()).isEqualTo(ExtentList.of(new long[] {40960}, new long[] {12288}));
  }

  @Test
  void preallocationBehindTheFileIsNotGranted() throws FallbackException {
    FiemapParser parser = new FiemapParser("f", 5000);

    parser.accept(answer(extent(0, 40960, 1 << 20, LAST)));

    assertThat(parser.extents()).isEqualTo(ExtentList.of(new long[] {40960}, new long[] {8192}));
  }

  @ParameterizedTest
  @CsvSource({
    "0x2, UNKNOWN extent at offset 0",
    "0x7, DELALLOC extent at offset 0",
    "0x8, ENCODED extent at offset 0",
    "0x88, ENCODED extent at offset 0",
    "0x80, DATA_ENCRYPTED extent at offset 0",
    "0x100, NOT_ALIGNED extent at offset 0",
    "0x301, DATA_INLINE extent at offset 0",
    "0x500, DATA_TAIL extent at offset 0",
    "0x801, UNWRITTEN extent at offset 0",
    "0x2001, SHARED extent at offset 0",
    "0x4000, extent with unknown flags 0x4000 at offset 0",
  })
  void whatHasNoPlaceOfItsOwnIsRefused(String flags, String words) {
    assertRefused(4096, words, extent(0, 40960, 4096, Integer.decode(flags)));
  }

  @Test
  void mergedIsNoReasonToRefuse() throws FallbackException {
    FiemapParser parser = new FiemapParser("f", 4096);

    parser.accept(answer(extent(0, 40960, 4096, 0x1001)));

    assertThat(parser.isComplete()).isTrue();
  }

  @Test
  void spaceThatWasOnlyTakenIsFoundByWhoAsksForIt() throws FallbackException {
    FiemapParser parser = new FiemapParser("f", 12288, FiemapParser.UNWRITTEN);

    parser.accept(
        answer(
            extent(0, 40960, 4096, 0),
            extent(4096, 45056, 4096, 0x800),
            extent(8192, 0, 4096, 0x801)));

    assertThat(parser.extents())
        .isEqualTo(ExtentList.of(new long[] {40960, 0}, new long[] {8192, 4096}));
    FiemapParser another = new FiemapParser("f", 4096, FiemapParser.UNWRITTEN);
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class, () -> another.accept(answer(extent(0, 0, 4096, 0x806))));
    assertThat(refusal.detail()).startsWith("DELALLOC extent");
  }

  @Test
  void holesAreRefused() {
    assertRefused(4096, "hole (no extent) at offset 0 of 4096 in f");
    assertRefused(8192, "hole up to offset 4096 at offset 0", extent(4096, 40960, 4096, LAST));
    assertRefused(
        8192, "hole (the last extent ends here) at offset 4096", extent(0, 40960, 4096, LAST));
  }

  @Test
  void answerThatClaimsMoreThanItHoldsIsRefused() {
    ByteBuffer answer = answer(extent(0, 40960, 4096, LAST));
    for (int claimed : new int[] {2, Integer.MAX_VALUE, -1}) {
      FiemapParser parser = new FiemapParser("f", 4096);
      FallbackException refusal =
          catchThrowableOfType(
              FallbackException.class, () -> parser.accept(answer.putInt(20, claimed)));
      assertThat(refusal.detail()).contains("claims " + claimed + " extents");
    }
  }

  @Property
  void extentsOfAnyLengthsAreFound(
      @ForAll @IntRange(min = 1, max = 100) int count, @ForAll long seed) throws FallbackException {
    Random random = new Random(seed);
    long[][] extents = new long[count][];
    long end = 0;
    for (int i = 0; i < count; i++) {
      long bytes = 4096L * (1 + random.nextInt(1000));
      // Twice the index apart, so that no two are neighbours.
      extents[i] = extent(end, (2L * i + 1) << 40, bytes, i == count - 1 ? LAST : 0);
      end += bytes;
    }
    FiemapParser parser = new FiemapParser("f", end);

    parser.accept(answer(extents));

    ExtentList found = parser.extents();
    assertThat(found.count()).isEqualTo(count);
    assertThat(found.length()).isEqualTo(end);
    for (int i = 0; i < count; i++) {
      assertThat(found.start(i)).isEqualTo(extents[i][0]);
      assertThat(found.physical(i)).isEqualTo(extents[i][1]);
    }
  }

  @Property
  void damagedAnswerIsRefusedOrCoversTheFile(@ForAll long seed) {
    Random random = new Random(seed);
    ByteBuffer answer =
        answer(extent(0, 40960, 4096, 0), extent(4096, 0, 4096, 0), extent(8192, 1, 4096, LAST));
    for (int i = random.nextInt(8); i >= 0; i--) {
      int at = 20 + random.nextInt(answer.capacity() - 20);
      answer.put(at, random.nextBoolean() ? (byte) 0xFF : (byte) random.nextInt());
    }
    FiemapParser parser = new FiemapParser("f", 12288);
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> parser.accept(answer));

    if (refusal == null && parser.isComplete()) {
      assertThat(parser.extents().length()).isEqualTo(12288);
    } else if (refusal != null) {
      assertThat(refusal.reason()).isEqualTo(EXTENTS_UNMAPPABLE);
    } else {
      assertThat(parser.mappedBytes()).isBetween(1L, 12287L);
    }
  }

  private static void assertRefused(long length, String words, long[]... extents) {
    FiemapParser parser = new FiemapParser("f", length);
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> parser.accept(answer(extents)));
    assertThat(refusal.reason()).isEqualTo(EXTENTS_UNMAPPABLE);
    assertThat(refusal.detail()).contains(words);
  }

  private static long[] extent(long logical, long physical, long bytes, int flags) {
    return new long[] {logical, physical, bytes, flags};
  }

  private static ByteBuffer answer(long[]... extents) {
    ByteBuffer answer =
        ByteBuffer.allocate(Fiemap.HEADER_BYTES + extents.length * Fiemap.EXTENT_BYTES)
            .order(ByteOrder.nativeOrder());
    answer.putInt(20, extents.length);
    for (int i = 0; i < extents.length; i++) {
      int at = Fiemap.HEADER_BYTES + i * Fiemap.EXTENT_BYTES;
      answer.putLong(at, extents[i][0]).putLong(at + 8, extents[i][1]);
      answer.putLong(at + 16, extents[i][2]).putInt(at + 40, (int) extents[i][3]);
    }
    return answer;
  }
}
