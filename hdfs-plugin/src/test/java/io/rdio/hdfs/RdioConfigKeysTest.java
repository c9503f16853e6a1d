// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

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
    Configuration xml = new Configuration(false);
    xml.addResource("rdio-default.xml");
    Map<String, String> inXml = new TreeMap<>();
    xml.forEach(entry -> inXml.put(entry.getKey(), entry.getValue()));
    assertThat(inCode).isNotEmpty().isEqualTo(inXml);
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
