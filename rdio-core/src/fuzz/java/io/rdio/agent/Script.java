// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.RandomDistribution;

/**
 * Choices that are read from bytes: the same bytes are the same play, and fewer bytes a shorter
 * one. Behind its end all choices are the first. For one thread at a time.
 */
public final class Script {
  /** Numbers at which bounds are, near them and far from them. */
  private static final long[] EDGES = {
    0,
    1,
    -1,
    7,
    511,
    512,
    4095,
    4096,
    4097,
    8192,
    65_536,
    262_144,
    278_528,
    282_624,
    1 << 20,
    1_064_960,
    Short.MAX_VALUE,
    0xffff,
    Integer.MAX_VALUE,
    Integer.MAX_VALUE - 4095,
    Integer.MIN_VALUE,
    1L << 32,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private static final int SEEDS = 10;

  private final byte[] bytes;
  private int at;

  /** As many choices as there may be up to a most, none likelier than another. */
  public static Arbitrary<byte[]> any(int most) {
    return Arbitraries.bytes()
        .withDistribution(RandomDistribution.uniform())
        .array(byte[].class)
        .ofMaxSize(most)
        .withSizeDistribution(RandomDistribution.uniform())
        .withoutEdgeCases();
  }

  /** Choices to begin with, always the same, short ones and up to so many bytes. */
  public static List<byte[]> seeds(int longest) {
    Random random = new Random(longest);
    return IntStream.rangeClosed(1, SEEDS)
        .mapToObj(
            i -> {
              byte[] seed = new byte[longest * i / SEEDS];
              random.nextBytes(seed);
              return seed;
            })
        .toList();
  }

  public Script(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The same choices from another place on, for another thread. */
  public Script from(int place) {
    Script other = new Script(bytes);
    other.at = bytes.length == 0 ? 0 : place % bytes.length;
    return other;
  }

  public boolean hasNext() {
    return at < bytes.length;
  }

  /** A number from 0 to below a bound of at most 256. */
  public int choice(int bound) {
    return hasNext() ? (bytes[at++] & 0xff) % bound : 0;
  }

  /** Whether something comes to pass that does so this often in a hundred times. */
  public boolean happens(int percent) {
    return hasNext() && (bytes[at++] & 0xff) * 100 < percent * 256;
  }

  /** A number as an attacker likes it. */
  public long edge() {
    int choice = choice(EDGES.length + 4);
    return choice < EDGES.length ? EDGES[choice] : (long) number() << (8 * (choice - EDGES.length));
  }

  /** Any number of 24 bits. */
  public int number() {
    return choice(256) | choice(256) << 8 | choice(256) << 16;
  }

  /** Some of the bytes themselves. */
  public byte[] bytes(int most) {
    int from = at;
    at = Math.min(bytes.length, at + choice(most + 1) + 1);
    return Arrays.copyOfRange(bytes, Math.min(from, at), at);
  }
}
