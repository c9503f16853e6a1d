// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.dist;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * A place in a YAML document. What is not there is a node without a value, so that one can ask on.
 *
 * @param path the way to it, for messages
 */
public record YamlNode(String path, @Nullable Object value) {

  /**
   * The documents of a stream.
   *
   * @throws org.yaml.snakeyaml.error.YAMLException if it is no YAML, or has a key twice
   */
  public static List<YamlNode> documents(String text) {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    List<YamlNode> documents = new ArrayList<>();
    for (Object document : new Yaml(new SafeConstructor(options)).loadAll(text)) {
      documents.add(new YamlNode("document " + documents.size(), document));
    }
    return documents;
  }

  /** What stands below these keys, one below the other. */
  public YamlNode at(String... keys) {
    YamlNode node = this;
    for (String key : keys) {
      Object below = node.value instanceof Map<?, ?> map ? map.get(key) : null;
      node = new YamlNode(node.path + "." + key, below);
    }
    return node;
  }

  /** The entries of the list that is here; none where there is none. */
  public List<YamlNode> items() {
    List<YamlNode> items = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object item : list) {
        items.add(new YamlNode(path + "[" + items.size() + "]", item));
      }
    }
    return items;
  }

  /** The entries of the map that is here, as texts; none where there is none. */
  public Map<String, String> entries() {
    Map<String, String> entries = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, entry) -> entries.put(String.valueOf(key), String.valueOf(entry)));
    }
    return entries;
  }

  /** A scalar as a text; empty where there is none. */
  public String text() {
    return value == null ? "" : value.toString();
  }

  /** Whether anything is here. */
  public boolean exists() {
    return value != null;
  }

  /** Whether this is here, of its type. */
  public boolean is(Object other) {
    return other.equals(value);
  }
}
