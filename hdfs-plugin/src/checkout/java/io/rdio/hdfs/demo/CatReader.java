// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.hadoop.fs.FsShell;

/**
 * A client JVM that runs {@code hdfs dfs -cat} by the very main method that the hdfs script runs,
 * and reports when it exits. Its CPU counts from the start of that method to the exit.
 */
final class CatReader {
  private CatReader() {}

  /** Arguments: the file, and where the {@link ReadReport} goes. */
  public static void main(String[] args) throws Exception {
    double cpuBefore = ReadReport.processCpuSeconds();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    ReadReport.ofThisJvm(ReadReport.processCpuSeconds() - cpuBefore)
                        .write(Path.of(args[1]));
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }));
    FsShell.main(new String[] {"-cat", args[0]});
  }
}
