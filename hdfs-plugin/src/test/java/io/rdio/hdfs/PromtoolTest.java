// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus's own tool takes the alerts, and every query of the dashboard. */
@Timeout(60)
final class PromtoolTest {
  private static final Path GRAFANA = Path.of("src", "main", "dist", "grafana");
  private static final Path FOLDER =
      Path.of(System.getenv().getOrDefault("HOME", "/root"), ".cache", "rdio", "prometheus");
  private static final Path PROMTOOL = FOLDER.resolve(Path.of("usr", "bin", "promtool"));

  /** What Grafana puts in the place of a variable. */
  private static final Map<String, String> VARIABLES =
      Map.of(
          "$agent", ".*",
          "$datanode", ".*",
          "$__range", "6h",
          "$__rate_interval", "1m",
          "$__interval", "15s");

  @TempDir private Path folder;

  @BeforeAll
  static void requireTool() {
    Requirements.require(
        Files.isExecutable(PROMTOOL), "there is no promtool: bin/lib/prometheus " + FOLDER);
  }

  @Test
  void takesTheAlerts() throws IOException {
    assertThat(check(GRAFANA.resolve("rdio-alerts.yaml"))).containsPattern("SUCCESS: [1-9]");
  }

  @Test
  void takesTheQueries() throws IOException {
    List<String> queries = new ArrayList<>();
    JsonNode dashboard = new ObjectMapper().readTree(GRAFANA.resolve("rdio.json").toFile());
    for (JsonNode panel : dashboard.path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        queries.add(withoutVariables(target.path("expr").asText()));
      }
    }
    assertThat(queries).isNotEmpty();
    assertThat(check(rules(queries))).contains("SUCCESS: " + queries.size() + " rules");
  }

  @Test
  void refusesWhatIsWrong() {
    assertThatThrownBy(() -> check(rules(List.of("sum(up", "up"))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("unclosed left parenthesis");
  }

  private static String check(Path rules) throws IOException {
    return Command.run(PROMTOOL.toString(), "check", "rules", rules.toString());
  }

  private static String withoutVariables(String query) {
    String bare = query;
    List<String> longestFirst = new ArrayList<>(VARIABLES.keySet());
    longestFirst.sort((a, b) -> b.length() - a.length());
    for (String name : longestFirst) {
      bare = bare.replace(name, VARIABLES.get(name));
    }
    return bare;
  }

  /** As rules, for queries alone the tool cannot check; in JSON, which is YAML, too. */
  private Path rules(List<String> queries) throws IOException {
    List<Map<String, String>> rules = new ArrayList<>();
    for (String query : queries) {
      rules.add(Map.of("record", "query:" + rules.size(), "expr", query));
    }
    Path file = folder.resolve("rules.yaml");
    Map<String, Object> group = Map.of("name", "dashboard", "rules", rules);
    new ObjectMapper().writeValue(file.toFile(), Map.of("groups", List.of(group)));
    return file;
  }
}
