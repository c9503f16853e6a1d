// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a JVM of Hadoop loads its classes from: Hadoop itself and, behind it, RDIO's jars.
 *
 * @param value in the form of the CLASSPATH environment variable
 */
public record HadoopClassPath(String value) {
  /** The class path of this JVM, for one that was itself started on Hadoop's. */
  public static HadoopClassPath ofThisJvm() {
    return new HadoopClassPath(System.getProperty("java.class.path"));
  }

  /** The class path that a file holds in one line, as dependency:build-classpath writes it. */
  public static HadoopClassPath ofFile(Path file) throws IOException {
    return new HadoopClassPath(Files.readString(file).strip());
  }

  /** This one with one more jar or folder at its end. */
  public HadoopClassPath with(String entry) {
    return new HadoopClassPath(value + File.pathSeparator + entry);
  }

  /** This one with one more folder at its start: the configuration that a JVM is to see. */
  HadoopClassPath behind(Path folder) {
    return new HadoopClassPath(folder + File.pathSeparator + value);
  }
}
