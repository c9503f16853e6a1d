// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * rdio-default.xml, as it is written. Not by Hadoop's Configuration, which takes an empty value for
 * none and knows no descriptions.
 */
final class DefaultsXml {
  private DefaultsXml() {}

  /** What it says of one key; all texts as they stand there. */
  record Property(String name, String value, String description) {}

  /** In its order. */
  static List<Property> properties() throws Exception {
    try (InputStream xml = RdioConfigKeys.class.getResourceAsStream("/rdio-default.xml")) {
      NodeList nodes =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(xml)
              .getElementsByTagName("property");
      List<Property> properties = new ArrayList<>();
      for (int i = 0; i < nodes.getLength(); i++) {
        Element node = (Element) nodes.item(i);
        properties.add(
            new Property(text(node, "name"), text(node, "value"), text(node, "description")));
      }
      return properties;
    }
  }

  /** The names of all keys. */
  static Set<String> keys() throws Exception {
    return properties().stream().map(Property::name).collect(Collectors.toSet());
  }

  private static String text(Element node, String element) {
    return node.getElementsByTagName(element).item(0).getTextContent();
  }
}
