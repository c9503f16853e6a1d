// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.Map;

/** The S3-FIFO paper's figure of flash, simulated and by the flash tier. */
final class FlashFigures {
  private static final Part ADMISSION = new FlashWrites();
  private static final Part TIER = new TierWrites();

  /** Of miss ratios: a cache that is real has a little less room than its simulation. */
  private static final double NEAR = 0.05;

  /** Of what should be written: more that is left out would make writes few for another reason. */
  private static final double FEW = 0.05;

  private FlashFigures() {}

  private static Published published() {
    return S3FifoFigures.published("9", "scripts/plot_write_amp.py");
  }

  /** What is admitted, simulated. */
  static Figure admission() {
    Figure.Builder figure =
        Figure.of(
                Paper.S3_FIFO,
                "9",
                "what is admitted to flash: misses and bytes written",
                published())
            .shows(ADMISSION, FlashWrites.MISSES, FlashWrites.WRITES)
            .differs("Traces of CDNs with sizes of objects there, of size 1 here")
            .differs(
                "Flashield learns from the first two tenths of a trace, by majority, not from two"
                    + " hours by a support vector machine")
            .differs(
                "The main queue in flash is not in the paper's figure, only in its numbers; there a"
                    + " hit object stays once, here up to three times, as in this project's flash"
                    + " tier")
            .differs("A simulation of the admission: 9-tier has the flash tier itself");
    FlashWrites.SHARES.forEach(share -> expectAdmission(figure, share));
    return figure.build();
  }

  private static void expectAdmission(Figure.Builder figure, String share) {
    figure.expects(
        Check.that(
            "the small queue has fewer misses than admission by chance, memory " + share,
            Check.notBelow(
                Check.at(FlashWrites.MISSES, FlashWrites.PROBABILISTIC, share),
                Check.at(FlashWrites.MISSES, FlashWrites.SMALL_QUEUE, share),
                0)));
    figure.expects(
        Check.that(
            "and writes at most half of what no admission writes, memory " + share,
            Check.atLeast(
                Check.at(FlashWrites.WRITES, FlashWrites.ALL, share),
                2,
                Check.at(FlashWrites.WRITES, FlashWrites.SMALL_QUEUE, share))));
    figure.expects(
        Check.that(
            "Flashield has more misses than the small queue, memory " + share,
            Check.notBelow(
                Check.at(FlashWrites.MISSES, FlashWrites.FLASHIELD, share),
                Check.at(FlashWrites.MISSES, FlashWrites.SMALL_QUEUE, share),
                0)));
    figure.expects(
        Check.that(
            "a main queue in flash has fewer misses than a FIFO queue there, memory " + share,
            Check.notBelow(
                Check.at(FlashWrites.MISSES, FlashWrites.SMALL_QUEUE, share),
                Check.at(FlashWrites.MISSES, FlashWrites.MAIN_QUEUE, share),
                0)));
    figure.expects(
        Check.that(
            "and writes more, memory " + share,
            Check.atLeast(
                Check.at(FlashWrites.WRITES, FlashWrites.MAIN_QUEUE, share),
                1,
                Check.at(FlashWrites.WRITES, FlashWrites.SMALL_QUEUE, share))));
  }

  /** What the flash tier writes and misses, in a file. */
  static Figure tier() {
    Figure.Builder figure =
        Figure.of(
                Paper.S3_FIFO,
                "9-tier",
                "the flash tier: misses, and what is written to its file",
                published())
            .shows(TIER, TierWrites.MISSES, TierWrites.WRITES, TierWrites.SKIPS)
            .differs(
                "Memory is an S3-FIFO cache, into which a chunk comes when it is missed for the"
                    + " second time; written is what was hit there once, or comes out of it again;"
                    + " the file is written by regions of 2 MiB, at most half of one is chunks that"
                    + " were hit and stay")
            .differs(
                "Chunks of 4 KiB, all of a size; where the file is too slow the replay waits for 2"
                    + " ms, as readers do not");
    for (String share : TierWrites.SHARES) {
      figure.expects(
          Check.that(
              "the flash tier writes at most half of what no admission writes, memory " + share,
              Check.atLeast(
                  Check.at(TierWrites.WRITES, TierWrites.ALL, share),
                  2,
                  Check.at(TierWrites.WRITES, TierWrites.TIER, share))));
      figure.expects(
          Check.that(
              "and has no more misses, but for a few, memory " + share,
              Check.notBelow(
                  Check.at(TierWrites.MISSES, TierWrites.ALL, share),
                  Check.at(TierWrites.MISSES, TierWrites.TIER, share),
                  NEAR)));
      figure.expects(Check.that("the file kept up, memory " + share, keptUp("memory " + share)));
    }
    return figure.build();
  }

  /** Holds if there is a trace, and of none more than a few chunks were left out. */
  private static Check.Rule keptUp(String line) {
    return ours -> {
      Map<String, Double> skips =
          ours.panel(TierWrites.SKIPS)
              .map(panel -> panel.lines().getOrDefault(line, Map.of()))
              .orElse(Map.of());
      return skips.isEmpty() || skips.values().stream().anyMatch(share -> share > FEW)
          ? "left out were, by trace, " + skips
          : "";
    };
  }
}
