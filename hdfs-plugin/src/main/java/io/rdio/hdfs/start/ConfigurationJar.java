// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.start;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Packs a folder of configuration into a jar that can stand in its place on a class path: JVMs
 * share no class-data archive where a folder is on it. What this user may not read is left out, as
 * it is from a folder. Equal folders give equal jars.
 */
public final class ConfigurationJar {
  private ConfigurationJar() {}

  /**
   * Writes the jar.
   *
   * @param args the folder, which may have links in it, and the jar
   */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    try (OutputStream file = Files.newOutputStream(Path.of(args[1]));
        ZipOutputStream jar = new ZipOutputStream(file)) {
      for (Path entry : readable(folder)) {
        ZipEntry header = new ZipEntry(folder.relativize(entry).toString());
        header.setTime(0);
        jar.putNextEntry(header);
        Files.copy(entry, jar);
        jar.closeEntry();
      }
    }
  }

  private static List<Path> readable(Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        folder,
        EnumSet.of(FileVisitOption.FOLLOW_LINKS),
        Integer.MAX_VALUE,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile() && Files.isReadable(file)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE; // a folder that is not ours, a link in a circle
          }
        });
    Collections.sort(files);
    return files;
  }
}
