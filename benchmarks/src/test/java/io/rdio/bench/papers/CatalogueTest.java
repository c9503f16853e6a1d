// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CatalogueTest {
  private static final Duration QUICK = Duration.ofMinutes(15);
  private static final Duration WHOLE = Duration.ofHours(4);

  /** Of one part: so much is lost at most where a run ends in mid-part. */
  private static final Duration PART = Duration.ofMinutes(20);

  private static List<Part> parts() {
    return Catalogue.all().stream().flatMap(figure -> figure.parts().stream()).distinct().toList();
  }

  private static List<String> ids(List<String> names) {
    return Catalogue.select(names).stream().map(Figure::id).toList();
  }

  @Test
  void idsAreUniqueAndBeginWithTheirPapers() {
    assertThat(Catalogue.all().stream().map(Figure::id)).doesNotHaveDuplicates();
    assertThat(Catalogue.all())
        .allMatch(figure -> figure.id().startsWith(figure.paper().prefix() + "-"));
  }

  @Test
  void partsHaveNamesOfTheirOwnThatFilesCanHave() {
    assertThat(parts().stream().map(Part::name))
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("[a-z0-9-]+"));
  }

  @Test
  void quickRunIsBoundTo15Minutes() {
    List<Part> quick = parts().stream().filter(Part::inQuick).toList();
    Duration all =
        quick.stream().map(part -> part.bound(true)).reduce(Duration.ZERO, Duration::plus);
    assertThat(quick).isNotEmpty();
    assertThat(all).isLessThanOrEqualTo(QUICK);
    assertThat(parts()).allMatch(part -> part.bound(true).compareTo(part.bound(false)) <= 0);
  }

  @Test
  void wholeRunIsBoundToFourHoursAndEachPartToTwentyMinutes() {
    Duration all =
        parts().stream().map(part -> part.bound(false)).reduce(Duration.ZERO, Duration::plus);
    assertThat(all).isLessThanOrEqualTo(WHOLE);
    assertThat(parts()).allMatch(part -> part.bound(false).compareTo(PART) <= 0);
  }

  /** As commands have unless they are told otherwise. */
  @Test
  void wholeRunHasThreeRoundsAndFiveRepeats() {
    List<String> lines = parts().stream().map(part -> part.runs(false)).toList();
    assertThat(lines)
        .noneMatch(line -> line.matches(".*--rounds [12]( .*)?"))
        .noneMatch(line -> line.matches(".*--repeats [1-4]( .*)?"))
        .anyMatch(line -> line.startsWith("bin/rdio bench characterize "));
  }

  @Test
  void everyFigureSaysWhereThePapersIs() {
    assertThat(Catalogue.all())
        .allSatisfy(
            figure -> {
              assertThat(figure.published().source()).as(figure.id()).isNotEmpty();
              assertThat(figure.title()).as(figure.id()).isNotEmpty();
            });
  }

  @Test
  void figuresAreChosenByTheirIdsOrBeginnings() {
    assertThat(ids(List.of("s3fifo-10"))).containsExactly("s3fifo-10");
    assertThat(ids(List.of("bnex-4"))).as("not bnex-4-real").containsExactly("bnex-4");
    assertThat(ids(List.of("bnex-4-", "rdio-3"))).contains("bnex-4-real", "rdio-3f");
    assertThat(ids(List.of("s3fifo"))).contains("s3fifo-6", "s3fifo-11").doesNotContain("rdio-3a");
    assertThat(ids(List.of())).hasSameSizeAs(Catalogue.all());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ids(List.of("s3fifo-1")))
        .withMessageContaining("--only s3fifo-1: there is no such figure; there are")
        .withMessageContaining("s3fifo-6");
  }
}
