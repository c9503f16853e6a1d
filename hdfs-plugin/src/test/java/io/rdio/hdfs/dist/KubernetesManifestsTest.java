// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.RdioConfigKeys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The Kubernetes manifests: what is named is there, and nothing has a right that it does not need.
 */
final class KubernetesManifestsTest {
  private static final Path FOLDER = Path.of("src", "main", "dist", "kubernetes");
  private static final String AGENT = "agent-daemonset.yaml";
  private static final String CLIENT = "client-pod.yaml";

  @ParameterizedTest
  @ValueSource(strings = {AGENT, CLIENT})
  void nothingIsWrong(String name) throws IOException {
    assertThat(ManifestChecks.problems(YamlNode.documents(read(name)))).isEmpty();
  }

  /** That the checks find something: each change of the agent's manifest is one problem or more. */
  @ParameterizedTest
  @CsvSource({
    "'matchLabels:\n      app.kubernetes.io/name: rdio-agent', "
        + "'matchLabels:\n      app.kubernetes.io/name: agent', the template has not these labels",
    "claimName: rdio-dn1-vol1, claimName: rdio-dn1-vol2, there is no PersistentVolumeClaim",
    "volumeName: rdio-dn1-vol1, volumeName: rdio-dn1-vol2, there is no PersistentVolume",
    "subPath: core-site.xml, subPath: core.xml, rdio-hadoop has no such key",
    "port: metrics, port: prom, there is no such port",
    "'- name: tmp\n              mount', '- name: temp\n              mount', no volume temp",
    "path: /run/rdio, path: /run, is not for containers",
    "readOnly: true, readOnly: false, the device can be written",
    "- CHOWN, - SYS_ADMIN, is not needed",
    "runAsNonRoot: true, runAsNonRoot: false, may be root",
    "rdio-agent:0.1.0, rdio-agent:latest, names no version",
    "automountServiceAccountToken: false, hostNetwork: true, is not needed",
    "'namespace: rdio\n    name', 'namespace: default\n    name', is not the claim",
  })
  void whatIsWrongIsFound(String good, String bad, String problem) throws IOException {
    String manifest = read(AGENT);
    String changed = manifest.replace(good, bad);
    assertThat(changed).isNotEqualTo(manifest);
    assertThat(ManifestChecks.problems(YamlNode.documents(changed)))
        .anySatisfy(found -> assertThat(found).contains(problem));
  }

  /** A device is found by the name that the container has for it, and figures where it is asked. */
  @Test
  void configurationOfTheAgentNamesWhatItsContainerHas() throws IOException {
    List<YamlNode> documents = YamlNode.documents(read(AGENT));
    YamlNode agent = container(documents, "DaemonSet", "spec", "template", "spec");
    Configuration conf = configuration(documents, "rdio-hadoop");
    assertThat(RdioConfigKeys.CLIENT_AGENT_SOCKET.get(conf))
        .startsWith(ManifestChecks.SOCKET_FOLDER + "/");
    assertThat(List.of(conf.getTrimmedStrings("dfs.client.rdio.devices")))
        .map(device -> device.replaceFirst(".*=", ""))
        .isEqualTo(
            agent.at("volumeDevices").items().stream()
                .map(device -> device.at("devicePath").text())
                .toList());
    assertThat(conf.get("dfs.rdio.agent.metrics.address"))
        .endsWith(":" + agent.at("ports").items().get(0).at("containerPort").text());
  }

  /** docs/agent.md: the folder of the socket, and nothing else of the host. */
  @Test
  void clientHasTheSocketOnlyToRead() throws IOException {
    List<YamlNode> documents = YamlNode.documents(read(CLIENT));
    YamlNode client = container(documents, "Pod", "spec");
    Configuration conf = configuration(documents, "rdio-client");
    assertThat(conf.getBoolean("dfs.client.rdio.enabled", false)).isTrue();
    assertThat(conf.get("dfs.client.rdio.agent")).isEqualTo("required");
    assertThat(client.at("volumeDevices").exists()).isFalse();
    assertThat(client.at("volumeMounts").items())
        .filteredOn(mount -> mount.at("name").is("socket"))
        .singleElement()
        .satisfies(mount -> assertThat(mount.at("readOnly").is(true)).isTrue())
        .satisfies(mount -> assertThat(mount.at("mountPath").is("/run/rdio")).isTrue());
  }

  private static YamlNode container(List<YamlNode> documents, String kind, String... spec) {
    return documents.stream()
        .filter(document -> document.at("kind").is(kind))
        .findFirst()
        .orElseThrow()
        .at(spec)
        .at("containers")
        .items()
        .get(0);
  }

  private static Configuration configuration(List<YamlNode> documents, String map) {
    Configuration conf = new Configuration(false);
    for (YamlNode document : documents) {
      if (document.at("metadata", "name").is(map)) {
        document
            .at("data")
            .entries()
            .values()
            .forEach(xml -> conf.addResource(new ByteArrayInputStream(xml.getBytes(UTF_8))));
      }
    }
    assertThat(conf.get("fs.defaultFS")).startsWith("hdfs://");
    return conf;
  }

  private static String read(String name) throws IOException {
    return Files.readString(FOLDER.resolve(name));
  }
}
