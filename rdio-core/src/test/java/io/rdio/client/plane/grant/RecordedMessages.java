// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The messages of a version of the protocol as its release sent them, and as its peers read them.
 */
final class RecordedMessages {
  private final Map<String, byte[]> messages = new HashMap<>();
  private final FileDescriptor schema;

  private RecordedMessages(String text)
      throws InvalidProtocolBufferException, DescriptorValidationException {
    for (String line : text.lines().filter(each -> !each.startsWith("#")).toList()) {
      int space = line.indexOf(' ');
      messages.put(line.substring(0, space), HexFormat.of().parseHex(line.substring(space + 1)));
    }
    schema =
        FileDescriptor.buildFrom(
            FileDescriptorProto.parseFrom(bytes("schema")), new FileDescriptor[0]);
  }

  static RecordedMessages ofVersion(int version) throws IOException {
    String name = "protocol-v" + version + ".txt";
    try (InputStream in = RecordedMessages.class.getResourceAsStream(name)) {
      return new RecordedMessages(
          new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8));
    } catch (DescriptorValidationException e) {
      throw new IOException(name, e);
    }
  }

  FileDescriptor schema() {
    return schema;
  }

  byte[] bytes(String name) {
    return Objects.requireNonNull(messages.get(name), name);
  }

  /**
   * A message as its receiver of that version sees it: what it does not know is not there.
   *
   * @param name of the message, such as "grant.reply"
   */
  DynamicMessage read(String name, byte[] bytes) throws InvalidProtocolBufferException {
    return DiscardUnknownFieldsParser.wrap(
            DynamicMessage.getDefaultInstance(type(name)).getParserForType())
        .parseFrom(bytes);
  }

  private Descriptor type(String name) {
    int dot = name.indexOf('.');
    String call = name.substring(0, dot);
    MethodDescriptor method =
        schema.getServices().get(0).getMethods().stream()
            .filter(each -> each.getName().toLowerCase(Locale.ROOT).endsWith(call))
            .findFirst()
            .orElseThrow();
    return name.endsWith(".request") ? method.getInputType() : method.getOutputType();
  }

  /** The same as text, without what is random or depends on the machine. */
  String text(String name, byte[] bytes) throws InvalidProtocolBufferException {
    return TextFormat.printer()
        .printToString(read(name, bytes))
        .replaceAll("(incarnation|lease_ids?|nonce): -?\\d+", "$1: any")
        .replaceAll("path: \".*\"", "path: any");
  }
}
