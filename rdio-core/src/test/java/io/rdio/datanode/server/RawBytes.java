// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Sends the bytes that it is given, and hands out those that come. */
public final class RawBytes implements MethodDescriptor.Marshaller<byte[]> {
  /** A method whose messages are bytes on this side. */
  public static MethodDescriptor<byte[], byte[]> method(
      MethodDescriptor<?, ?> method, MethodDescriptor.MethodType type) {
    return MethodDescriptor.<byte[], byte[]>newBuilder(new RawBytes(), new RawBytes())
        .setType(type)
        .setFullMethodName(method.getFullMethodName())
        .build();
  }

  @Override
  public InputStream stream(byte[] bytes) {
    return new ByteArrayInputStream(bytes);
  }

  @Override
  public byte[] parse(InputStream stream) {
    try {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
