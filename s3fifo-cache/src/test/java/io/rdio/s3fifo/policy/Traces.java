// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/** The traces and reference figures that the tests use. */
public final class Traces {
  /** Where the traces are that this repository may not contain, from this module's folder. */
  public static final Path SHARED = Path.of("..", "..", "shared", "cache");

  private Traces() {}

  /** Why a trace that {@link #ids} did not find is skipped. */
  public static String reasonForSkipping(String name) {
    return "the trace "
        + name
        + " has no licence to be in this repository and is not in "
        + SHARED.toAbsolutePath().normalize();
  }

  /** Returns the object ids of a trace, one per request; empty if it is not on this machine. */
  public static Optional<long[]> ids(String name) {
    if (SyntheticTraces.has(name)) {
      return Optional.of(SyntheticTraces.generate(name));
    }
    String file = name + ".ids.gz";
    try (InputStream resource = Traces.class.getResourceAsStream("/io/rdio/s3fifo/" + file)) {
      if (resource != null) {
        return Optional.of(read(resource));
      }
      if (!Files.exists(SHARED.resolve(file))) {
        return Optional.empty();
      }
      try (InputStream shared = Files.newInputStream(SHARED.resolve(file))) {
        return Optional.of(read(shared));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the rows of a csv resource without its heading. */
  public static List<String[]> csv(String name) {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Traces.class.getResourceAsStream("/io/rdio/s3fifo/" + name),
                StandardCharsets.UTF_8))) {
      return lines.lines().skip(1).map(line -> line.split(",", -1)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Renumbers ids from 0 in the order of their first request, so that arrays can be indexed. */
  public static int[] dense(long[] ids) {
    Map<Long, Integer> numbers = new HashMap<>();
    int[] dense = new int[ids.length];
    for (int i = 0; i < ids.length; i++) {
      Integer number = numbers.putIfAbsent(ids[i], numbers.size());
      dense[i] = number == null ? numbers.size() - 1 : number;
    }
    return dense;
  }

  private static long[] read(InputStream gzip) throws IOException {
    byte[] raw = new GZIPInputStream(gzip).readAllBytes();
    long[] ids = new long[raw.length / Long.BYTES];
    ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(ids);
    return ids;
  }
}
