// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Hadoop's and RDIO's classes as a JVM has them in memory (class data sharing, JEP 310): a daemon
 * that maps them starts with 2 s less of processor time. For builds, whose tests start hundreds;
 * {@link ClassArchiveMaker} makes one. Immutable.
 *
 * <p>A JVM takes an archive only if its own class path begins with the archive's jars, none of them
 * changed since, and no folder among them: so the configuration goes behind these jars, none of
 * which has a file of configuration.
 *
 * @param file the archive; the jars that it is of are listed in a file beside it
 * @param jars in the form of the CLASSPATH environment variable
 */
record ClassArchive(Path file, String jars) {
  /** System property with the file that {@link #of} looks at. */
  static final String PROPERTY = "rdio.class-archive";

  /** What lists the jars of an archive, and is written when that is complete. */
  static Path jarsOf(Path file) {
    return file.resolveSibling(file.getFileName() + ".classpath");
  }

  /**
   * The archive that this JVM was told of, for JVMs with a class path.
   *
   * @return none if it was told of none, or if such JVMs could not take it
   * @throws UncheckedIOException if there is one, and it cannot be read
   */
  static Optional<ClassArchive> of(HadoopClassPath classPath) {
    return Optional.ofNullable(System.getProperty(PROPERTY))
        .flatMap(file -> of(Path.of(file), classPath));
  }

  /** {@link #of(HadoopClassPath)} of one that need not exist. */
  static Optional<ClassArchive> of(Path file, HadoopClassPath classPath) {
    if (!Files.exists(jarsOf(file))) {
      return Optional.empty();
    }
    try {
      ClassArchive archive = new ClassArchive(file, Files.readString(jarsOf(file)));
      return archive.isFor(classPath) ? Optional.of(archive) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A JVM that cannot take the archive it was told of says so in its output, which tests read. */
  private boolean isFor(HadoopClassPath classPath) {
    long made = file.toFile().lastModified();
    return (classPath.value() + File.pathSeparator).startsWith(jars + File.pathSeparator)
        && Arrays.stream(jars.split(File.pathSeparator, -1))
            .allMatch(jar -> new File(jar).lastModified() < made);
  }

  /** What a JVM is told to take it. */
  List<String> options() {
    return List.of("-XX:SharedArchiveFile=" + file, "-Xshare:auto");
  }

  /** A class path that begins with the archive's jars, with a folder behind these. */
  HadoopClassPath withFolder(Path folder, HadoopClassPath classPath) {
    return new HadoopClassPath(
        jars + File.pathSeparator + folder + classPath.value().substring(jars.length()));
  }
}
