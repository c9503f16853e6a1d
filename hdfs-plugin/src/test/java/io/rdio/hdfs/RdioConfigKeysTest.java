// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class RdioConfigKeysTest {
  @Test
  void keysAndDefaultsAreThoseOfTheXml() throws Exception {
    Map<String, String> inCode = new TreeMap<>();
    for (ConfigKey<?> key : keys()) {
      assertThat(inCode.put(key.name(), key.byDefault())).as(key.name()).isNull();
    }
    assertThat(inCode).isNotEmpty().isEqualTo(inXml(DefaultsXml.Property::value));
  }

  /** All there are, with those that both sides have. */
  private static List<ConfigKey<?>> keys() throws Exception {
    List<ConfigKey<?>> keys = new ArrayList<>();
    for (Field field : RdioConfigKeys.class.getFields()) {
      Object value = field.get(null);
      if (value instanceof ConfigKey<?> key) {
        keys.add(key);
      } else if (value instanceof TlsConfigKeys both) {
        for (Method key : TlsConfigKeys.class.getDeclaredMethods()) {
          keys.add((ConfigKey<?>) key.invoke(both));
        }
      }
    }
    return keys;
  }

  @Test
  void defaultsAreValid() throws Exception {
    for (ConfigKey<?> key : keys()) {
      Configuration written = new Configuration(false);
      written.set(key.name(), key.byDefault());
      assertThat(key.get(written)).as(key.name()).isEqualTo(key.get(new Configuration(false)));
    }
  }

  @Test
  void everyKeyIsDescribed() throws Exception {
    assertThat(inXml(DefaultsXml.Property::description))
        .allSatisfy((key, text) -> assertThat(text).as(key).isNotBlank().endsWith("."));
  }

  private static Map<String, String> inXml(Function<DefaultsXml.Property, String> what)
      throws Exception {
    Map<String, String> found = new TreeMap<>();
    for (DefaultsXml.Property property : DefaultsXml.properties()) {
      found.put(property.name(), what.apply(property));
    }
    return found;
  }

  @Test
  void everyKeyStartsWithAKnownPrefix() throws Exception {
    assertThat(keys())
        .allMatch(
            key ->
                key.name().startsWith(RdioConfigKeys.CLIENT_PREFIX)
                    || key.name().startsWith(RdioConfigKeys.DATANODE_PREFIX)
                    || key.name().startsWith(RdioConfigKeys.AGENT_PREFIX));
  }
}
