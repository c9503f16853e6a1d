// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How a JVM of Hadoop is started. */
public final class HadoopJvm {
  /** What Hadoop 3.5 asks of a Java 17 JVM, as its own launch scripts pass it. */
  private static final List<String> OPENED_PACKAGES =
      List.of(
          "java.base/java.io",
          "java.base/java.lang",
          "java.base/java.lang.reflect",
          "java.base/java.math",
          "java.base/java.net",
          "java.base/java.text",
          "java.base/java.util",
          "java.base/java.util.concurrent",
          "java.base/java.util.zip",
          "java.base/sun.security.util",
          "java.base/sun.security.x509");

  /**
   * System property with more options of all JVMs, with blanks between: those of tests, whose JVMs
   * live for seconds. What a caller asks for wins.
   */
  private static final String MORE_OPTIONS = "rdio.jvm.options";

  private HadoopJvm() {}

  /**
   * A JVM of its own, not started yet.
   *
   * @param folder the cluster's folder: a mark on the command line by which {@link Teardown} knows
   *     the process
   * @param conf folder with core-site.xml, hdfs-site.xml and log4j.properties
   * @param mainClass and its arguments
   */
  public static ProcessBuilder of(
      Path folder,
      Path conf,
      HadoopClassPath classPath,
      List<String> options,
      String... mainClass) {
    Optional<ClassArchive> archive = ClassArchive.of(classPath);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    OPENED_PACKAGES.forEach(name -> command.add("--add-opens=" + name + "=ALL-UNNAMED"));
    command.add("-Drdio.cluster=" + folder);
    archive.ifPresent(classes -> command.addAll(classes.options()));
    String more = System.getProperty(MORE_OPTIONS, "");
    if (!more.isEmpty()) {
      command.addAll(List.of(more.split(" ", -1)));
    }
    command.addAll(options);
    command.addAll(List.of(mainClass));
    ProcessBuilder builder = new ProcessBuilder(command);
    HadoopClassPath withConf =
        archive
            .map(classes -> classes.withFolder(conf, classPath))
            .orElseGet(() -> classPath.behind(conf));
    builder.environment().put("CLASSPATH", withConf.value());
    // Options meant for this JVM (a debugger's port, a test's agent) are not meant for that one.
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().remove("JDK_JAVA_OPTIONS");
    return builder;
  }
}
