// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.hdfs.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.util.JsonSerialization;

/**
 * What finished parts measured, a file of JSON for each, so that a run can be taken up again. A
 * file is there whole or not at all. For one run at a time.
 */
final class FinishedParts {
  private static final String SUFFIX = ".part.json";
  private static final String MACHINE = "machine";

  private final Path folder;
  private final Machine machine;
  private final boolean anyMachine;

  /**
   * @param folder which exists
   * @param machine that parts are run on
   * @param anyMachine whether parts that another one ran are kept, too
   */
  FinishedParts(Path folder, Machine machine, boolean anyMachine) {
    this.folder = folder;
    this.machine = machine;
    this.anyMachine = anyMachine;
  }

  /** Forgets all of them. */
  void clear() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> file.toString().endsWith(SUFFIX)).toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
  }

  /**
   * What a part measured, if the same was run: on this machine, or on any one if that will do.
   *
   * @throws IOException if the file cannot be read
   */
  Optional<Measured> find(Part part, boolean quick) throws IOException {
    Path file = file(part);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      Map<?, ?> fields = json().fromJson(Files.readString(file));
      boolean here = where().equals(fields.get(MACHINE));
      if (!part.runs(quick).equals(fields.get("runs")) || !(here || anyMachine)) {
        return Optional.empty();
      }
      Measured measured = Measured.ofFields(Json.objects(fields, "panels"));
      return Optional.of(here ? measured : measured.from(Json.text(fields, MACHINE)));
    } catch (IOException | ClassCastException e) {
      throw new IOException(
          file + " is not what a finished part left: remove it, or run without --resume", e);
    }
  }

  /** Keeps what a part measured. */
  void save(Part part, boolean quick, Measured measured) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("runs", part.runs(quick));
    fields.put(MACHINE, where());
    fields.put("panels", measured.fields());
    Path unfinished = folder.resolve(part.name() + ".tmp");
    Files.writeString(unfinished, json().toJson(fields));
    Files.move(
        unfinished,
        file(part),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  /** The machine, whatever the time. */
  private String where() {
    return String.join(
        ", ", machine.cpu(), machine.cores() + " cores", machine.kernel(), machine.jdk());
  }

  private Path file(Part part) {
    return folder.resolve(part.name() + SUFFIX);
  }

  @SuppressWarnings("rawtypes") // as its class object has it
  private static JsonSerialization<Map> json() {
    return new JsonSerialization<>(Map.class, false, true);
  }
}
