// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.rdio.core.wire.proto.Rdio;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What version 2 put on the wire is read as it was: nothing of its messages was changed. */
final class OlderSchemaTest {
  private static Set<String> facts(FileDescriptor schema) {
    Set<String> facts = new TreeSet<>();
    for (EnumDescriptor type : schema.getEnumTypes()) {
      facts.add("enum " + type.getFullName());
    }
    for (Descriptor message : schema.getMessageTypes()) {
      for (FieldDescriptor field : message.getFields()) {
        facts.add(
            field.getFullName()
                + " = "
                + field.getNumber()
                + " "
                + field.getType()
                + (field.isRepeated() ? " repeated" : "")
                + (field.getType() == FieldDescriptor.Type.MESSAGE
                    ? " " + field.getMessageType().getFullName()
                    : ""));
      }
    }
    for (ServiceDescriptor service : schema.getServices()) {
      for (MethodDescriptor method : service.getMethods()) {
        facts.add(
            method.getFullName()
                + " "
                + method.getInputType().getFullName()
                + (method.isClientStreaming() ? " stream" : "")
                + " -> "
                + method.getOutputType().getFullName()
                + (method.isServerStreaming() ? " stream" : ""));
      }
    }
    return facts;
  }

  @Test
  void versionTwoIsWhatItWas() throws Exception {
    Set<String> before = facts(RecordedMessages.ofVersion(2).schema());

    assertThat(facts(Rdio.getDescriptor())).containsAll(before);
    assertThat(before).hasSizeGreaterThan(90);
  }
}
