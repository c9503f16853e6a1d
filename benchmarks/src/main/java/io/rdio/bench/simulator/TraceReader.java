// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** Reads traces of the formats in use; any may be compressed with gzip. */
public final class TraceReader {
  /** What the bytes of a trace mean. */
  public enum Format {
    /** 64-bit little-endian ids. */
    IDS,
    /** An id per line: a number, or any text, which is hashed to 64 bits. */
    TEXT,
    /** libCacheSim's csv: one request per line, the id in one of the columns. */
    CSV,
    /** libCacheSim's oracleGeneral: records of 24 bytes, the id at offset 4. */
    ORACLE_GENERAL,
    /** A flight recording of a client or an agent: the blocks whose maps its readers asked for. */
    JFR;

    /** Guesses the format by the name of the file. */
    static Format of(Path file) {
      String name = fileName(file).toLowerCase(Locale.ROOT);
      if (name.endsWith(".zst")) {
        throw new IllegalArgumentException(
            file + " is compressed with zstd, which is not read here: run unzstd on it first");
      }
      if (name.contains("oraclegeneral")) {
        return ORACLE_GENERAL;
      }
      if (name.contains(".csv")) {
        return CSV;
      }
      if (name.endsWith(".jfr")) {
        return JFR;
      }
      return name.endsWith(".ids") || name.endsWith(".ids.gz") ? IDS : TEXT;
    }
  }

  private static final List<String> ID_COLUMNS = List.of("obj_id", "object_id", "id", "key", "lbn");
  private static final int ORACLE_RECORD = 24;
  private static final int ORACLE_ID_OFFSET = 4;

  private TraceReader() {}

  /**
   * Reads a trace whose format its name tells.
   *
   * @throws IllegalArgumentException if the file is not of that format
   */
  public static Trace read(Path file) throws IOException {
    return read(file, Format.of(file), 0);
  }

  /**
   * Reads a trace.
   *
   * @param idColumn of csv, the column of the id, counted from 1; 0 to find it by its heading, or
   *     to take the second when there is none
   * @throws IllegalArgumentException if the file is not of that format
   */
  static Trace read(Path file, Format format, int idColumn) throws IOException {
    try (InputStream in = open(file)) {
      long[] ids =
          switch (format) {
            case IDS -> readRecords(in, Long.BYTES, 0, file);
            case ORACLE_GENERAL -> readRecords(in, ORACLE_RECORD, ORACLE_ID_OFFSET, file);
            case TEXT -> readText(in);
            case CSV -> readCsv(in, idColumn, file);
            case JFR -> MapRequestReader.read(file);
          };
      if (ids.length == 0) {
        throw new IllegalArgumentException(file + " has no requests");
      }
      return Trace.of(fileName(file).replaceAll("\\.(ids|txt|csv|bin|jfr|gz)\\b", ""), ids);
    }
  }

  private static String fileName(Path file) {
    Path name = file.getFileName();
    return name == null ? file.toString() : name.toString();
  }

  private static InputStream open(Path file) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    in.mark(2);
    boolean gzip = in.read() == 0x1f && in.read() == 0x8b;
    in.reset();
    return gzip ? new BufferedInputStream(new GZIPInputStream(in, 1 << 16), 1 << 16) : in;
  }

  private static long[] readRecords(InputStream in, int length, int offset, Path file)
      throws IOException {
    DataInputStream data = new DataInputStream(in);
    byte[] record = new byte[length];
    Ids ids = new Ids();
    for (int first = data.read(); first >= 0; first = data.read()) {
      record[0] = (byte) first;
      try {
        data.readFully(record, 1, length - 1);
      } catch (EOFException e) {
        throw new IllegalArgumentException(
            file
                + " does not end with a whole record of "
                + length
                + " bytes: cut off, or not of"
                + " this format (see --format)",
            e);
      }
      long id = 0;
      for (int i = Long.BYTES - 1; i >= 0; i--) {
        id = id << Byte.SIZE | (record[offset + i] & 0xff);
      }
      ids.add(id);
    }
    return ids.toArray();
  }

  private static long[] readText(InputStream in) throws IOException {
    Ids ids = new Ids();
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String id = line.strip();
      if (!id.isEmpty() && id.charAt(0) != '#') {
        ids.add(parse(id));
      }
    }
    return ids.toArray();
  }

  private static long[] readCsv(InputStream in, int idColumn, Path file) throws IOException {
    Ids ids = new Ids();
    int column = idColumn - 1;
    int number = 0;
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      String[] cells = line.split(",", -1);
      boolean heading = number == 1 && cells[0].matches("\\W*[A-Za-z_].*");
      if (number == 1 && idColumn == 0) {
        column = heading ? idColumn(cells) : 1;
      }
      if (column >= cells.length) {
        throw new IllegalArgumentException(
            file
                + " line "
                + number
                + " has no column "
                + (column + 1)
                + ": say which column has"
                + " the id with --id-column");
      }
      if (!heading) {
        ids.add(parse(cells[column].strip()));
      }
    }
    return ids.toArray();
  }

  private static int idColumn(String[] headings) {
    for (int i = 0; i < headings.length; i++) {
      if (ID_COLUMNS.contains(headings[i].strip().toLowerCase(Locale.ROOT))) {
        return i;
      }
    }
    return 1;
  }

  private static long parse(String id) {
    try {
      return Long.parseLong(id);
    } catch (NumberFormatException e) {
      // FNV-1a: two of a billion different names share a hash with a chance of one in 40.
      long hash = 0xcbf29ce484222325L;
      for (byte b : id.getBytes(StandardCharsets.UTF_8)) {
        hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
      }
      return hash;
    }
  }

  /** A growing array of ids. */
  private static final class Ids {
    private long[] ids = new long[1 << 12];
    private int size;

    void add(long id) {
      if (size == ids.length) {
        ids = Arrays.copyOf(ids, 2 * size);
      }
      ids[size++] = id;
    }

    long[] toArray() {
      return Arrays.copyOf(ids, size);
    }
  }
}
