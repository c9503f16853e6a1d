// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.agent.daemon.AgentPage;
import io.rdio.hdfs.datanode.PromPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Dashboard and alerts ask for metrics that agents and DataNodes have, and can be looked at. */
@Timeout(60)
final class DashboardTest {
  private static final Path FOLDER = Path.of("src", "main", "dist", "grafana");
  private static final Path DASHBOARD = FOLDER.resolve("rdio.json");
  private static final Path ALERTS = FOLDER.resolve("rdio-alerts.yaml");
  private static final Path DOC = Path.of("..", "docs", "operations.md");

  private static final int GRID_WIDTH = 24;
  private static final String DATASOURCE = "${datasource}";

  /** Grafana has them without a plugin. */
  private static final Set<String> TYPES = Set.of("barchart", "stat", "table", "timeseries");

  /** A line of what Prometheus scrapes: a metric, and its labels. */
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)(?:\\{(.*)})? \\S+$");

  private static final Pattern SAMPLE_LABEL = Pattern.compile("(\\w+)=\"");

  // Of a query.
  private static final Pattern STRING = Pattern.compile("\"[^\"]*\"");
  private static final Pattern SELECTOR = Pattern.compile("\\{[^}]*}");
  private static final Pattern SELECTOR_LABEL = Pattern.compile("[{,] *(\\w+) *(?:=~|!~|!=|=)");
  private static final Pattern GROUPING =
      Pattern.compile("\\b(?:by|without|on|ignoring) *\\(([^)]*)\\)");
  private static final Pattern RANGE = Pattern.compile("\\[[^\\]]*]");

  /** A name that is no function, for no bracket is behind it. */
  private static final Pattern NAME = Pattern.compile("\\b[a-zA-Z_:][\\w:]*\\b(?! *\\()");

  private static final Pattern NAMES_BY_PATTERN =
      Pattern.compile("__name__(?:=~|\", *)\"([^\"]+)\"");
  private static final Pattern LABEL_MADE = Pattern.compile(", *\"(\\w+)\", *\"\\$1\"");
  private static final Set<String> WORDS = Set.of("and", "bool", "offset", "or", "unless");

  /** Of a variable of the dashboard. */
  private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");

  // Of the alerts.
  private static final Pattern EXPRESSION = Pattern.compile("(?m)^ +expr: (.*)$");
  private static final Pattern JOB = Pattern.compile("job=\"([^\"]*)\"");

  @TempDir static Path volume;

  /** With {@code up}, which Prometheus makes for each target that it scrapes. */
  private static final Set<String> METRICS = new TreeSet<>(Set.of("up"));

  /** With those that Prometheus puts to each metric. */
  private static final Set<String> LABELS = new TreeSet<>(Set.of("__name__", "instance", "job"));

  @BeforeAll
  static void readPages() throws IOException {
    for (String page : List.of(AgentPage.text(), PromPage.text(volume))) {
      for (MatchResult sample : SAMPLE.matcher(page).results().toList()) {
        METRICS.add(sample.group(1));
        if (sample.group(2) != null) {
          LABELS.addAll(found(SAMPLE_LABEL, sample.group(2)));
        }
      }
    }
  }

  /** Or the tests below would be content with anything, or with nothing. */
  @Test
  void pagesHaveWhatTheyShouldHave() {
    assertThat(METRICS)
        .as("what AgentPage and PromPage show; mend them, or how this test reads them")
        .contains("rdio_agent_processes", "rdio_agent_refusals_total", "datanode_bytes_read")
        .contains("rdio_agent_maps_by_device_total", "rdio_agent_plane_looks_total")
        .contains("rdio_data_node_plugin_up", "rdio_data_node_refused_pin_limit")
        .contains("rdio_data_node_slots_free", "rdio_data_node_write_refused_slots_exhausted")
        .doesNotContain("HELP", "TYPE");
    assertThat(LABELS).contains("reason", "startfailure");
  }

  @Test
  void queriesAreTakenApart() {
    String query =
        "sum by (reason, x) (rate(label_replace(a_b{c=~\"d\", e!=\"f)\"}, \"g\", \"$1\","
            + " \"__name__\", \"a_(.+)\")[$__range:])) > 0 or on (h) max(i offset 15m) / 1.5";
    assertThat(metrics(query)).containsExactlyInAnyOrder("a_b", "i");
    assertThat(labels(query)).containsExactlyInAnyOrder("reason", "x", "c", "e", "h");
    assertThat(found(NAMES_BY_PATTERN, query)).containsExactly("a_(.+)");
    assertThat(found(LABEL_MADE, query)).containsExactly("g");
  }

  @Test
  void queriesAskForWhatThereIs() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (JsonNode panel : panels()) {
      List<String> queries = texts(panel.path("targets"), "expr");
      if (queries.isEmpty()) {
        wrong.add(title(panel) + ": has no query");
      }
      queries.forEach(query -> wrong.addAll(wrongIn(title(panel), query)));
    }
    assertThat(wrong)
        .as("%s: correct these queries; agents and DataNodes have: %s", DASHBOARD, METRICS)
        .isEmpty();
  }

  @Test
  void variablesAreMadeOfWhatThereIs() throws IOException {
    List<JsonNode> variables = new ArrayList<>();
    dashboard().path("templating").path("list").forEach(variables::add);
    assertThat(variables)
        .as("%s: the variables under templating, with one of a datasource", DASHBOARD)
        .extracting(variable -> variable.path("type").asText())
        .containsOnlyOnce("datasource")
        .contains("query");
    for (JsonNode variable : variables) {
      String query = variable.path("query").path("query").asText();
      if (variable.path("type").asText().equals("query")) {
        assertThat(LABEL_VALUES.matcher(query).results())
            .as("%s: the query of the variable %s", DASHBOARD, variable.path("name").asText())
            .hasSize(1)
            .allMatch(at -> METRICS.contains(at.group(1)) && LABELS.contains(at.group(2)));
        assertThat(datasource(variable)).isEqualTo(DATASOURCE);
      }
    }
  }

  @Test
  void panelsSayWhatTheyShow() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (JsonNode panel : panels()) {
      String title = title(panel);
      require(wrong, !title.isBlank(), "panel " + panel.path("id") + ": give it a title");
      require(
          wrong,
          panel.path("description").asText().endsWith("."),
          title + ": give it a description, in sentences");
      require(
          wrong,
          !panel.at("/fieldConfig/defaults/unit").asText().isBlank(),
          title + ": give it a unit in fieldConfig.defaults, 'short' for plain numbers");
      require(
          wrong,
          TYPES.contains(panel.path("type").asText()),
          title + ": make it one of " + TYPES + ", for which nothing is to be installed");
      List<JsonNode> asked = new ArrayList<>(List.of(panel));
      panel.path("targets").forEach(asked::add);
      require(
          wrong,
          asked.stream().allMatch(node -> datasource(node).equals(DATASOURCE)),
          title + ": take the datasource " + DATASOURCE + ", in its queries too");
    }
    assertThat(wrong).as("%s: what to mend in its panels", DASHBOARD).isEmpty();
  }

  @Test
  void panelsStandBesideEachOther() throws IOException {
    List<String> wrong = new ArrayList<>();
    Set<Integer> numbers = new HashSet<>();
    List<String> taken = new ArrayList<>(); // the panel in each place of the grid, row by row
    for (JsonNode panel : dashboard().path("panels")) {
      require(wrong, numbers.add(panel.path("id").asInt()), title(panel) + ": give it another id");
      JsonNode place = panel.path("gridPos");
      int right = place.path("x").asInt(-1) + place.path("w").asInt();
      if (place.path("x").asInt(-1) < 0 || right > GRID_WIDTH || place.path("h").asInt() <= 0) {
        wrong.add(title(panel) + ": give it a gridPos within " + GRID_WIDTH + " columns");
        continue;
      }
      for (int at : places(place)) {
        while (taken.size() <= at) {
          taken.add("");
        }
        String before = taken.set(at, title(panel));
        require(wrong, before.isEmpty(), title(panel) + ": move it, it covers " + before);
      }
    }
    assertThat(wrong.stream().distinct()).as("%s: what to mend", DASHBOARD).isEmpty();
  }

  @Test
  void alertsAskForWhatThereIs() throws IOException {
    String alerts = Files.readString(ALERTS);
    List<String> expressions = found(EXPRESSION, alerts);
    assertThat(expressions).as("%s: lines 'expr: …'", ALERTS).isNotEmpty();
    assertThat(expressions.stream().flatMap(query -> wrongIn("an alert", query).stream()))
        .as("%s: correct these; agents and DataNodes have: %s", ALERTS, METRICS)
        .isEmpty();
  }

  /** An alert on a job of another name would never be raised. */
  @Test
  void jobsOfAlertsAreThoseOfTheDocs() throws IOException {
    String doc = Files.readString(DOC);
    assertThat(found(JOB, Files.readString(ALERTS)))
        .isNotEmpty()
        .allSatisfy(
            job ->
                assertThat(doc)
                    .as("%s names jobs as %s does: let them agree", DOC, ALERTS)
                    .contains("job_name: " + job + "\n"));
  }

  /** What a query asks for and nobody has. */
  private static List<String> wrongIn(String where, String query) {
    List<String> wrong = new ArrayList<>();
    for (String metric : metrics(query)) {
      require(wrong, METRICS.contains(metric), where + ": there is no metric " + metric);
    }
    for (String names : found(NAMES_BY_PATTERN, query)) {
      require(
          wrong,
          METRICS.stream().anyMatch(metric -> metric.matches(names)),
          where + ": there is no metric of a name like " + names);
    }
    Set<String> labels = labels(query);
    labels.removeAll(found(LABEL_MADE, query));
    for (String label : labels) {
      require(wrong, LABELS.contains(label), where + ": no metric has the label " + label);
    }
    return wrong;
  }

  private static void require(List<String> wrong, boolean right, String otherwise) {
    if (!right) {
      wrong.add(otherwise);
    }
  }

  private static Set<String> metrics(String query) {
    String bare = STRING.matcher(query).replaceAll("");
    for (Pattern other : List.of(SELECTOR, GROUPING, RANGE)) {
      bare = other.matcher(bare).replaceAll(" ");
    }
    return NAME.matcher(bare)
        .results()
        .map(MatchResult::group)
        .filter(name -> !WORDS.contains(name))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> labels(String query) {
    String bare = STRING.matcher(query).replaceAll("");
    Set<String> labels = new TreeSet<>();
    for (MatchResult selector : SELECTOR.matcher(bare).results().toList()) {
      labels.addAll(found(SELECTOR_LABEL, selector.group()));
    }
    for (String grouping : found(GROUPING, bare)) {
      labels.addAll(List.of(grouping.split(", *", -1)));
    }
    return labels;
  }

  /** The places that a panel takes, counted row by row. */
  private static List<Integer> places(JsonNode place) {
    List<Integer> places = new ArrayList<>();
    for (int y = 0; y < place.path("h").asInt(); y++) {
      for (int x = 0; x < place.path("w").asInt(); x++) {
        places.add((place.path("y").asInt() + y) * GRID_WIDTH + place.path("x").asInt() + x);
      }
    }
    return places;
  }

  private static JsonNode dashboard() throws IOException {
    return new ObjectMapper().readTree(Files.readString(DASHBOARD));
  }

  /** Those that show something: all but the headings of rows. */
  private static List<JsonNode> panels() throws IOException {
    List<JsonNode> panels = new ArrayList<>();
    for (JsonNode panel : dashboard().path("panels")) {
      if (!panel.path("type").asText().equals("row")) {
        panels.add(panel);
      }
    }
    assertThat(panels).as("%s: its panels", DASHBOARD).isNotEmpty();
    return panels;
  }

  private static String title(JsonNode panel) {
    return panel.path("title").asText();
  }

  private static String datasource(JsonNode node) {
    return node.path("datasource").path("uid").asText();
  }

  private static List<String> texts(JsonNode nodes, String name) {
    List<String> texts = new ArrayList<>();
    nodes.forEach(node -> texts.add(node.path(name).asText()));
    return texts;
  }

  /** What the first group of a pattern has, wherever it matches. */
  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(at -> at.group(1)).toList();
  }
}
