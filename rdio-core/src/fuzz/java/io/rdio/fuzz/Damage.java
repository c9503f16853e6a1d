// SPDX-License-Identifier: Apache-2.0
package io.rdio.fuzz;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Bytes for parsers: mostly whole ones that were damaged here and there, and noise. */
public final class Damage {
  /** What texts are made of that are nearly right. */
  private static final List<byte[]> PIECES =
      List.of(
          "\n".getBytes(US_ASCII),
          "\r\n".getBytes(US_ASCII),
          " ".getBytes(US_ASCII),
          "-".getBytes(US_ASCII),
          "+".getBytes(US_ASCII),
          "\0".getBytes(US_ASCII),
          "\\u00".getBytes(US_ASCII),
          "9".repeat(20).getBytes(US_ASCII),
          "\u0131\u0130\ud83d\ude00".getBytes(UTF_8),
          "x".repeat(5000).getBytes(US_ASCII));

  private static final int EDIT = 4;

  private Damage() {}

  /** Some of these, and what becomes of them. */
  public static Arbitrary<byte[]> of(List<byte[]> whole) {
    Arbitrary<byte[]> edits = Arbitraries.bytes().array(byte[].class).ofMaxSize(4 * EDIT);
    return Arbitraries.frequencyOf(
        Tuple.of(9, Combinators.combine(Arbitraries.of(whole), edits).as(Damage::damaged)),
        Tuple.of(1, Arbitraries.bytes().array(byte[].class).ofMaxSize(150)));
  }

  /** In fours: two bytes of where, how, and with what. */
  private static byte[] damaged(byte[] whole, byte[] edits) {
    byte[] bytes = whole;
    for (int i = 0; i + EDIT <= edits.length; i += EDIT) {
      int at = ((edits[i] & 0xFF) << Byte.SIZE) | (edits[i + 1] & 0xFF);
      bytes = edited(bytes, at % (bytes.length + 1), edits[i + 2] & 0xFF, edits[i + 3]);
    }
    return bytes;
  }

  private static byte[] edited(byte[] bytes, int at, int how, byte with) {
    int rest = bytes.length - at;
    int count = Math.min(rest, with & 0x3F);
    return switch (how % 6) {
      case 0 -> replaced(bytes, at, Math.min(rest, 1), new byte[] {with});
      case 1 -> replaced(bytes, at, 0, new byte[] {with});
      case 2 -> replaced(bytes, at, count, new byte[0]);
      case 3 -> replaced(bytes, at, 0, Arrays.copyOfRange(bytes, at, at + count));
      case 4 -> replaced(bytes, at, how & 1, PIECES.get((with & 0xFF) % PIECES.size()));
      default -> flipped(bytes, at, with);
    };
  }

  private static byte[] flipped(byte[] bytes, int at, byte with) {
    byte[] flipped = bytes.clone();
    if (at < flipped.length) {
      flipped[at] ^= (byte) (1 << (with & 7));
    }
    return flipped;
  }

  private static byte[] replaced(byte[] bytes, int at, int length, byte[] by) {
    int behind = Math.min(bytes.length, at + length);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(bytes, 0, at);
    out.writeBytes(by);
    out.write(bytes, behind, bytes.length - behind);
    return out.toByteArray();
  }
}
