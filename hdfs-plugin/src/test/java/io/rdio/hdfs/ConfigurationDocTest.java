// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** docs/configuration.md is what rdio-default.xml says; with rdio.update.docs it is made so. */
class ConfigurationDocTest {
  private static final String UPDATE_PROPERTY = "rdio.update.docs";
  private static final Path PAGE = Path.of("..", "docs", "configuration.md");

  @Test
  void pageIsThatOfTheXml() throws Exception {
    String page = page();
    if (Boolean.getBoolean(UPDATE_PROPERTY)) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
        .as(
            "docs/configuration.md is stale. To make it anew: ./mvnw -pl hdfs-plugin -am test"
                + " -Dtest=ConfigurationDocTest -Dsurefire.failIfNoSpecifiedTests=false -D%s=true",
            UPDATE_PROPERTY)
        .isEqualTo(page);
  }

  @Test
  void everyKeyOfTheXmlHasARow() throws Exception {
    assertThat(Files.readString(PAGE).lines().filter(line -> line.startsWith("| `dfs.")))
        .hasSameSizeAs(rows("dfs.").keySet());
  }

  private static String page() throws Exception {
    return """
        # Configuration

        <!-- Generated from hdfs-plugin/src/main/resources/rdio-default.xml; see ConfigurationDocTest. -->

        Every key of RDIO-HDFS with its default. Set them in `hdfs-site.xml` or `core-site.xml`. Sizes take
        Hadoop's suffixes (`64m`), times too (`30s`). The two keys that switch RDIO on are Hadoop's own:
        `dfs.client.replica.accessor.builder.classes` and `dfs.datanode.plugins` (see the README); those two work in
        `hdfs-site.xml` only, for Hadoop's `hdfs-default.xml` overrides them in `core-site.xml`.

        ## Client

        """
        + table(RdioConfigKeys.CLIENT_PREFIX)
        + """

        ## DataNode

        """
        + table(RdioConfigKeys.DATANODE_PREFIX)
        + """

        ## Agent of a host

        """
        + table(RdioConfigKeys.AGENT_PREFIX);
  }

  private static String table(String prefix) throws Exception {
    StringBuilder text = new StringBuilder("| key | default | meaning |\n|---|---|---|\n");
    rows(prefix).values().forEach(row -> text.append(row).append('\n'));
    return text.toString();
  }

  /** One row for each key that starts with a prefix, by key. */
  private static Map<String, String> rows(String prefix) throws Exception {
    Map<String, String> rows = new TreeMap<>();
    for (DefaultsXml.Property property : DefaultsXml.properties()) {
      if (property.name().startsWith(prefix)) {
        String value = property.value().strip();
        rows.put(
            property.name(),
            String.format(
                "| `%s` | %s | %s |",
                property.name(),
                value.isEmpty() ? "(none)" : "`" + value + "`",
                property.description().strip().replace("|", "\\|")));
      }
    }
    return rows;
  }
}
