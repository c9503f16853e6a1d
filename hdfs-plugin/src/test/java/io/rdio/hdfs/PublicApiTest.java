// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.client.RdioClientContext;
import java.io.File;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Classes that a cluster's configuration names stay where they are; few others are seen. */
final class PublicApiTest {
  @Test
  void ofTheClient() throws Exception {
    assertThat(publicClasses("client"))
        .containsExactlyInAnyOrder(
            // Named by configurations.
            "RdioReplicaAccessorBuilder",
            "RecordingFailoverProxyProvider",
            "RecordingIPFailoverProxyProvider",
            "RdioFileSystem",
            // Public for HDFS, which calls it.
            "RdioReplicaAccessor",
            // For the rdio command.
            "DataNodePlugins",
            "RdioClientContext");
  }

  @Test
  void ofTheDataNode() throws Exception {
    assertThat(publicClasses("datanode"))
        .containsExactlyInAnyOrder("RdioDataNodePlugin", "RecallingDatasetFactory");
  }

  private static List<String> publicClasses(String room) throws Exception {
    Path classes =
        Path.of(
            RdioClientContext.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    File[] files = classes.resolve("io/rdio/hdfs").resolve(room).toFile().listFiles();
    return Arrays.stream(Objects.requireNonNull(files, () -> "no classes in " + classes))
        .map(File::getName)
        .filter(name -> name.endsWith(".class") && !name.contains("$"))
        .map(name -> name.substring(0, name.length() - ".class".length()))
        .filter(name -> !name.equals("package-info") && isPublic(room, name))
        .toList();
  }

  private static boolean isPublic(String room, String name) {
    try {
      String full = "io.rdio.hdfs." + room + "." + name;
      return Modifier.isPublic(
          Class.forName(full, false, PublicApiTest.class.getClassLoader()).getModifiers());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
