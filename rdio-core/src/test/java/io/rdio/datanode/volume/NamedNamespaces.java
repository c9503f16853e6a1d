// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.fence.Namespaces;
import io.rdio.core.fence.Reservations;
import io.rdio.core.fence.TestNamespace;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A host that has namespaces in memory under names that change. For one thread. */
final class NamedNamespaces implements Namespaces {
  private final String host;
  private final Map<Path, Namespace> names = new HashMap<>();
  private final Map<String, TestNamespace> targets = new HashMap<>();

  /** Called before a node is opened, when it was looked up. */
  Runnable beforeOpen = () -> {};

  NamedNamespaces(String host) {
    this.host = host;
  }

  /** Gives a namespace a name; whatever had it before has none then. */
  void name(String node, String wwid, TestNamespace target) {
    Path path = Path.of(node);
    names.put(path, new Namespace(wwid, path));
    targets.put(wwid, target);
  }

  @Override
  public Namespace of(Path node) throws IOException {
    Namespace found = names.get(node);
    if (found == null) {
      throw new NoSuchFileException(node.toString());
    }
    return found;
  }

  @Override
  public Reservations open(Namespace namespace) throws IOException {
    beforeOpen.run();
    return targets.get(of(namespace.node()).wwid()).of(host);
  }

  @Override
  public List<Namespace> all() {
    return List.copyOf(names.values());
  }

  @Override
  public boolean isMounted(Namespace namespace) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<String> holders(Namespace namespace) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Path> nodes(Namespace namespace) {
    throw new UnsupportedOperationException();
  }

  @Override
  public String written(Namespace namespace) {
    throw new UnsupportedOperationException();
  }
}
