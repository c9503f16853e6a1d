// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a JVM of Hadoop loads its classes from: Hadoop itself and, behind it, RDIO's jar.
 *
 * @param value in the form of the CLASSPATH environment variable
 */
public record HadoopClassPath(String value) {
  /** The class path of this JVM, for one that was itself started on Hadoop's. */
  public static HadoopClassPath ofThisJvm() {
    String own;
    try {
      own =
          Path.of(HadoopClassPath.class.getProtectionDomain().getCodeSource().getLocation().toURI())
              .toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("where RDIO's own classes are is not a path", e);
    }
    // "hadoop jar" loads our jar with a class loader of its own, beside the class path.
    return new HadoopClassPath(System.getProperty("java.class.path")).with(own);
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
