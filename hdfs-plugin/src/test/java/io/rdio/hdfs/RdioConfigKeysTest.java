// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class RdioConfigKeysTest {
  private static final String KEY_SUFFIX = "_KEY";

  @Test
  void keysAndDefaultsAreThoseOfTheXml() throws Exception {
    Map<String, String> inCode = new TreeMap<>();
    for (Field field : RdioConfigKeys.class.getFields()) {
      if (field.getName().endsWith(KEY_SUFFIX)) {
        String name = field.getName().replace(KEY_SUFFIX, "_DEFAULT");
        Object byDefault = RdioConfigKeys.class.getField(name).get(null);
        inCode.put((String) field.get(null), byDefault.toString());
      }
    }
    assertThat(inCode).isNotEmpty().isEqualTo(propertiesInXml("value"));
  }

  @Test
  void everyKeyIsDescribed() throws Exception {
    assertThat(propertiesInXml("description"))
        .allSatisfy((key, text) -> assertThat(text).as(key).isNotBlank().endsWith("."));
  }

  // Not by Hadoop's Configuration, which takes an empty value for none.
  private static Map<String, String> propertiesInXml(String what) throws Exception {
    Map<String, String> found = new TreeMap<>();
    try (InputStream xml = RdioConfigKeys.class.getResourceAsStream("/rdio-default.xml")) {
      NodeList properties =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(xml)
              .getElementsByTagName("property");
      for (int i = 0; i < properties.getLength(); i++) {
        Element property = (Element) properties.item(i);
        found.put(
            property.getElementsByTagName("name").item(0).getTextContent(),
            property.getElementsByTagName(what).item(0).getTextContent());
      }
    }
    return found;
  }

  @Test
  void everyKeyStartsWithAKnownPrefix() throws Exception {
    for (Field field : RdioConfigKeys.class.getFields()) {
      if (field.getName().endsWith(KEY_SUFFIX)) {
        assertThat((String) field.get(null))
            .matches(
                key ->
                    key.startsWith(RdioConfigKeys.CLIENT_PREFIX)
                        || key.startsWith(RdioConfigKeys.DATANODE_PREFIX));
      }
    }
  }
}
