// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which JVMs are told to take an archive of classes. */
class ClassArchiveTest {
  @TempDir private Path folder;
  private Path file;
  private Path jar;
  private String jars;

  @BeforeEach
  void makeAnArchiveOfTwoJars() throws IOException {
    jar = Files.createFile(folder.resolve("a.jar"));
    Path other = Files.createFile(folder.resolve("b.jar"));
    Files.setLastModifiedTime(jar, FileTime.fromMillis(1000));
    Files.setLastModifiedTime(other, FileTime.fromMillis(1000));
    jars = jar + ":" + other;
    file = Files.createFile(folder.resolve("classes.jsa"));
    Files.setLastModifiedTime(file, FileTime.fromMillis(2000));
    Files.writeString(ClassArchive.jarsOf(file), jars);
  }

  private Optional<ClassArchive> archiveFor(String classPath) {
    return ClassArchive.of(file, new HadoopClassPath(classPath));
  }

  @Test
  void jvmsWhoseClassPathBeginsWithItsJarsTakeItAndHaveTheirConfigurationBehindThese() {
    ClassArchive archive = archiveFor(jars + ":/classes").orElseThrow();

    assertThat(archive.options()).contains("-XX:SharedArchiveFile=" + file);
    assertThat(
            archive.withFolder(Path.of("/conf"), new HadoopClassPath(jars + ":/classes")).value())
        .isEqualTo(jars + ":/conf:/classes");
    assertThat(archive.withFolder(Path.of("/conf"), new HadoopClassPath(jars)).value())
        .isEqualTo(jars + ":/conf");
  }

  @Test
  void othersDoNotTakeIt() {
    assertThat(archiveFor("/c.jar:" + jars)).isEmpty();
    assertThat(archiveFor(jar.toString())).isEmpty();
    assertThat(archiveFor(jars + "x")).isEmpty();
  }

  @Test
  void itIsNotTakenIfAJarIsAsNew() throws IOException {
    Files.setLastModifiedTime(jar, FileTime.fromMillis(2000));
    assertThat(archiveFor(jars)).isEmpty();
  }

  @Test
  void itIsNotTakenBeforeItIsComplete() throws IOException {
    Files.delete(ClassArchive.jarsOf(file));
    assertThat(archiveFor(jars)).isEmpty();
  }
}
