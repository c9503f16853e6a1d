// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.dist.YamlNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What the release tarball takes from the sources: it is there, and what it names is, too. */
final class DistributionTest {
  private static final Path DIST = Path.of("src", "main", "dist");
  private static final Path POM = Path.of("pom.xml");
  private static final Path NOTICE = Path.of("..", "NOTICE");

  private static final Set<String> KEYS_OF_HADOOP =
      Set.of(
          "fs.hdfs.impl",
          DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY,
          HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY);

  /** A key of ours in any text. */
  private static final Pattern KEY =
      Pattern.compile("dfs\\.(?:client\\.rdio|datanode\\.rdio|rdio)\\.[a-z.]*[a-z]");

  /** The version of what the build makes. */
  private static final Pattern VERSION = Pattern.compile("rdio-(?:agent:|hdfs-)(\\d[\\w.-]*\\w)");

  @Test
  void holdsWhatItIsMeantToHold() throws IOException {
    assertThat(files(DIST))
        .map(file -> DIST.relativize(file).toString())
        .containsExactlyInAnyOrder(
            "container/Containerfile",
            "etc/examples/core-site.xml",
            "etc/examples/hdfs-site.xml",
            "grafana/rdio-alerts.yaml",
            "grafana/rdio.json",
            "kubernetes/agent-daemonset.yaml",
            "kubernetes/client-pod.yaml",
            "libexec/shellprofile.d/rdio.sh",
            "systemd/rdio-agent.service",
            "udev/60-rdio.rules",
            "udev/61-rdio-read-only.rules");
  }

  @Test
  void takesOnlyWhatIsThere() throws Exception {
    Path assembly = Path.of("src", "main", "assembly", "dist.xml");
    List<String> sources = new ArrayList<>(texts(assembly, "directory"));
    sources.addAll(texts(assembly, "source"));
    assertThat(sources)
        .contains("${rdio.jar}", "${project.build.directory}/${rdio.release}.cdx.json")
        .contains("${project.basedir}/../LICENSE", "${project.basedir}/../NOTICE")
        .contains("${project.basedir}/../README.md", "${project.basedir}/../CHANGELOG.md")
        .contains("${project.basedir}/../docs", "${project.basedir}/src/main/dist");
    assertThat(sources)
        .filteredOn(source -> source.startsWith("${project.basedir}/"))
        .map(source -> Path.of(source.replace("${project.basedir}/", "")))
        .allSatisfy(source -> assertThat(source).exists());
  }

  @ParameterizedTest
  @ValueSource(strings = {"core-site.xml", "hdfs-site.xml"})
  void examplesSetKeysThatThereAre(String name) throws Exception {
    Path example = DIST.resolve("etc/examples").resolve(name);
    Set<String> known = new TreeSet<>(DefaultsXml.keys());
    known.addAll(KEYS_OF_HADOOP);
    assertThat(texts(example, "name")).isNotEmpty().isSubsetOf(known);
    for (String value : texts(example, "value")) {
      if (value.startsWith("io.rdio.")) {
        assertThat(Class.forName(value, false, getClass().getClassLoader())).isPublic();
      }
    }
  }

  /** Also in comments, and in what a manifest has of Hadoop's configuration. */
  @Test
  void namesKeysThatThereAre() throws Exception {
    assertThat(found(KEY, 0)).isNotEmpty().isSubsetOf(DefaultsXml.keys());
  }

  @Test
  void namesTheVersionThatIsBuilt() throws Exception {
    assertThat(found(VERSION, 1)).isNotEmpty().containsOnly(texts(POM, "version").get(0));
  }

  @Test
  void noticeNamesAllThatIsRelocated() throws Exception {
    // In it a library's packages are in brackets behind its name.
    Set<String> packages =
        Pattern.compile("\\(([^)]*)\\)")
            .matcher(Files.readString(NOTICE))
            .results()
            .flatMap(match -> Stream.of(match.group(1).split(", ", -1)))
            .collect(Collectors.toSet());
    assertThat(texts(POM, "pattern")).hasSizeGreaterThan(5).isSubsetOf(packages);
  }

  @Test
  void alertsAreYaml() throws IOException {
    String alerts = Files.readString(DIST.resolve("grafana/rdio-alerts.yaml"));
    assertThat(YamlNode.documents(alerts))
        .singleElement()
        .satisfies(document -> assertThat(document.at("groups").items()).isNotEmpty());
  }

  /** Whoever is in the group reads all of a device: so none gets there that nobody named. */
  @Test
  void onlyDevicesThatAreNamedAreForTheGroup() throws IOException {
    List<String> rules = Files.readAllLines(DIST.resolve("udev/60-rdio.rules"));
    assertThat(rules)
        .filteredOn(rule -> rule.contains("ENV{RDIO_VOLUME}=\"1\""))
        .isNotEmpty()
        .allMatch(
            rule -> rule.matches("#?(ATTRS\\{subsysnqn}|ENV\\{ID_FS_LABEL})==\"\\w[^\"]*\",.*"));
    assertThat(rules)
        .filteredOn(rule -> rule.contains("GROUP="))
        .containsExactly("ENV{RDIO_VOLUME}==\"1\", GROUP=\"rdio\", MODE=\"0440\"");
    assertThat(DIST.resolve("systemd/rdio-agent.service"))
        .content()
        .contains("\nGroup=rdio\n")
        .doesNotContain("\nSupplementaryGroups=");
  }

  /** What a group of the pattern has, wherever it matches. */
  private static List<String> found(Pattern pattern, int group) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files(DIST)) {
      pattern.matcher(Files.readString(file)).results().forEach(at -> found.add(at.group(group)));
    }
    return found;
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  /** What stands in each of a file's elements of one name. */
  private static List<String> texts(Path file, String element) throws Exception {
    NodeList elements =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(file.toFile())
            .getElementsByTagName(element);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < elements.getLength(); i++) {
      texts.add(((Element) elements.item(i)).getTextContent().strip());
    }
    return texts;
  }
}
