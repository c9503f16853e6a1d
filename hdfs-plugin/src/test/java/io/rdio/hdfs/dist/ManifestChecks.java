// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.dist;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is wrong with Kubernetes manifests that no schema forbids: names that lead nowhere, and
 * rights that nothing of ours needs.
 */
final class ManifestChecks {
  /** All that a container has of its host. */
  static final String SOCKET_FOLDER = "/run/rdio";

  private final List<YamlNode> documents;
  private final List<String> problems = new ArrayList<>();

  private ManifestChecks(List<YamlNode> documents) {
    this.documents = documents;
  }

  /** In one line each; none if all is well. */
  static List<String> problems(List<YamlNode> documents) {
    ManifestChecks checks = new ManifestChecks(documents);
    documents.forEach(checks::document);
    return checks.problems;
  }

  private void unless(boolean good, YamlNode where, String problem) {
    if (!good) {
      problems.add(where.path() + ": " + problem);
    }
  }

  private void document(YamlNode document) {
    switch (document.at("kind").text()) {
      case "Pod" -> pod(document.at("spec"));
      case "DaemonSet" -> daemonSet(document);
      case "PersistentVolumeClaim" -> claim(document);
      case "ConfigMap", "Namespace", "PersistentVolume" -> {}
      default -> unless(false, document, "a kind that nobody looks at");
    }
    List<YamlNode> namespaces = ofKind("Namespace");
    boolean global = Set.of("Namespace", "PersistentVolume").contains(document.at("kind").text());
    if (!namespaces.isEmpty() && !global) {
      YamlNode name = namespaces.get(0).at("metadata", "name");
      YamlNode namespace = document.at("metadata", "namespace");
      unless(namespace.is(name.text()), namespace, "is not " + name.text());
    }
  }

  private List<YamlNode> ofKind(String kind) {
    return documents.stream().filter(document -> document.at("kind").is(kind)).toList();
  }

  /** The one document of a kind and name; without a value, and a problem, if there is none. */
  private YamlNode named(String kind, YamlNode name) {
    for (YamlNode document : ofKind(kind)) {
      if (document.at("metadata", "name").is(name.text())) {
        return document;
      }
    }
    unless(false, name, "there is no " + kind + " " + name.text());
    return new YamlNode(name.path(), null);
  }

  private void daemonSet(YamlNode set) {
    YamlNode selector = set.at("spec", "selector", "matchLabels");
    YamlNode labels = set.at("spec", "template", "metadata", "labels");
    unless(!selector.entries().isEmpty(), selector, "selects nothing");
    unless(
        labels.entries().entrySet().containsAll(selector.entries().entrySet()),
        selector,
        "the template has not these labels");
    pod(set.at("spec", "template", "spec"));
  }

  private void claim(YamlNode claim) {
    YamlNode volume = named("PersistentVolume", claim.at("spec", "volumeName"));
    for (String same : List.of("storageClassName", "volumeMode", "accessModes")) {
      YamlNode wanted = claim.at("spec", same);
      unless(wanted.text().equals(volume.at("spec", same).text()), wanted, "not the volume's");
    }
    unless(
        claim
            .at("spec", "resources", "requests", "storage")
            .text()
            .equals(volume.at("spec", "capacity", "storage").text()),
        claim,
        "its storage is not the volume's");
    for (String same : List.of("name", "namespace")) {
      YamlNode owner = volume.at("spec", "claimRef", same);
      unless(owner.is(claim.at("metadata", same).text()), owner, "is not the claim");
    }
  }

  private void pod(YamlNode pod) {
    unless(pod.at("automountServiceAccountToken").is(false), pod, "has a token of Kubernetes");
    for (String host : List.of("hostNetwork", "hostPID", "hostIPC")) {
      unless(!pod.at(host).exists(), pod.at(host), "is not needed");
    }
    YamlNode security = pod.at("securityContext");
    unless(security.at("runAsNonRoot").is(true), security, "may be root");
    unless(security.at("runAsUser").exists(), security, "has no user");
    unless(security.at("seccompProfile", "type").is("RuntimeDefault"), security, "has no seccomp");
    pod.at("volumes").items().forEach(this::volume);
    Set<String> used = new TreeSet<>();
    for (YamlNode container : pod.at("initContainers").items()) {
      container(container, Set.of("CHOWN"));
      used.addAll(mounts(pod, container));
    }
    for (YamlNode container : pod.at("containers").items()) {
      container(container, Set.of());
      unless(!container.at("securityContext", "runAsUser").exists(), container, "other user");
      used.addAll(mounts(pod, container));
    }
    for (YamlNode volume : pod.at("volumes").items()) {
      unless(used.contains(volume.at("name").text()), volume, "is nowhere in a container");
    }
  }

  private void volume(YamlNode volume) {
    YamlNode host = volume.at("hostPath", "path");
    unless(!host.exists() || host.is(SOCKET_FOLDER), host, "is not for containers");
    YamlNode claim = volume.at("persistentVolumeClaim");
    if (claim.exists()) {
      named("PersistentVolumeClaim", claim.at("claimName"));
      unless(claim.at("readOnly").is(true), claim, "the device can be written");
    }
    if (volume.at("configMap").exists()) {
      named("ConfigMap", volume.at("configMap", "name"));
    }
    if (volume.at("emptyDir").exists()) {
      unless(volume.at("emptyDir", "sizeLimit").exists(), volume, "may fill the node's disk");
    }
  }

  private void container(YamlNode container, Set<String> capabilities) {
    YamlNode security = container.at("securityContext");
    unless(!security.at("privileged").exists(), security, "is privileged");
    unless(security.at("allowPrivilegeEscalation").is(false), security, "may get more rights");
    unless(security.at("readOnlyRootFilesystem").is(true), security, "may change its image");
    unless(security.at("capabilities", "drop").is(List.of("ALL")), security, "keeps capabilities");
    for (YamlNode added : security.at("capabilities", "add").items()) {
      unless(capabilities.contains(added.text()), added, "is not needed");
    }
    YamlNode image = container.at("image");
    unless(image.text().matches("[^:@]+:\\d[\\w.-]*"), image, "names no version");
    YamlNode resources = container.at("resources");
    for (List<String> bound :
        List.of(
            List.of("requests", "cpu"),
            List.of("requests", "memory"),
            List.of("limits", "memory"))) {
      YamlNode at = resources.at(bound.toArray(String[]::new));
      unless(at.exists(), at, "is not said");
    }
    probes(container);
  }

  private void probes(YamlNode container) {
    Set<String> ports = new TreeSet<>();
    container.at("ports").items().forEach(port -> ports.add(port.at("name").text()));
    for (String kind : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
      YamlNode port = container.at(kind, "httpGet", "port");
      unless(!port.exists() || ports.contains(port.text()), port, "there is no such port");
    }
  }

  /** The names of the volumes that a container has. */
  private Set<String> mounts(YamlNode pod, YamlNode container) {
    Set<String> used = new TreeSet<>();
    for (YamlNode mount : container.at("volumeMounts").items()) {
      YamlNode volume = volumeOf(pod, mount.at("name"), used);
      unless(!volume.at("persistentVolumeClaim").exists(), mount, "a device is not mounted");
      YamlNode key = mount.at("subPath");
      YamlNode map = volume.at("configMap", "name");
      if (key.exists() && map.exists()) {
        YamlNode data = named("ConfigMap", map).at("data");
        unless(data.entries().containsKey(key.text()), key, map.text() + " has no such key");
      }
    }
    for (YamlNode device : container.at("volumeDevices").items()) {
      YamlNode volume = volumeOf(pod, device.at("name"), used);
      unless(volume.at("persistentVolumeClaim").exists(), device, "is no device");
    }
    return used;
  }

  private YamlNode volumeOf(YamlNode pod, YamlNode name, Set<String> used) {
    used.add(name.text());
    for (YamlNode volume : pod.at("volumes").items()) {
      if (volume.at("name").is(name.text())) {
        return volume;
      }
    }
    unless(false, name, "there is no volume " + name.text());
    return new YamlNode(name.path(), null);
  }
}
