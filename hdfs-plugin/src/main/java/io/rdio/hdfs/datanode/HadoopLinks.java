// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which methods and fields of Hadoop a class of ours links to, as its class file says, and whether
 * they are there. Java itself looks for each when it is first used, which would be in a grant. Only
 * what is public is found, as no other is used.
 */
final class HadoopLinks {
  private static final String HADOOP = "org/apache/hadoop/";

  // Tags of the constant pool, as in chapter 4.4 of the JVM's specification.
  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;
  private static final int STRING = 8;
  private static final int FIELD = 9;
  private static final int INTERFACE_METHOD = 11;
  private static final int METHOD_HANDLE = 15;
  private static final int METHOD_TYPE = 16;
  private static final int MODULE = 19;
  private static final int PACKAGE = 20;

  private final ClassLoader loader;
  private final int[] tags;
  private final int[] firsts;
  private final int[] seconds;
  private final String[] texts;

  private HadoopLinks(byte[] classFile, ClassLoader loader) throws IOException {
    this.loader = loader;
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
    in.skipNBytes(8); // magic and version
    int count = in.readUnsignedShort();
    tags = new int[count];
    firsts = new int[count];
    seconds = new int[count];
    texts = new String[count];
    for (int i = 1; i < count; i++) {
      tags[i] = in.readUnsignedByte();
      readConstant(in, i);
      i += tags[i] == LONG || tags[i] == DOUBLE ? 1 : 0; // these take two places
    }
  }

  private void readConstant(DataInputStream in, int i) throws IOException {
    switch (tags[i]) {
      case UTF8 -> texts[i] = in.readUTF();
      case LONG, DOUBLE -> in.skipNBytes(8);
      case CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE -> firsts[i] = in.readUnsignedShort();
      case METHOD_HANDLE -> in.skipNBytes(3);
      default -> {
        firsts[i] = in.readUnsignedShort();
        seconds[i] = in.readUnsignedShort();
      }
    }
  }

  /**
   * What one of these classes needs and is not there, or null.
   *
   * @param classes of ours, by whose loader Hadoop's are found
   */
  static @Nullable String missing(Class<?>... classes) {
    for (Class<?> each : classes) {
      String missing = missing(bytes(each), each.getClassLoader());
      if (missing != null) {
        return missing;
      }
    }
    return null;
  }

  /** The same of a class file. */
  static @Nullable String missing(byte[] classFile, ClassLoader loader) {
    try {
      return new HadoopLinks(classFile, loader).firstMissing();
    } catch (IOException e) {
      throw new UncheckedIOException("a class file that ends too soon", e);
    }
  }

  static byte[] bytes(Class<?> type) {
    String file = type.getName().replace('.', '/') + ".class";
    try (InputStream in = type.getClassLoader().getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is in no jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }

  private @Nullable String firstMissing() {
    for (int i = 1; i < tags.length; i++) {
      if (tags[i] < FIELD || tags[i] > INTERFACE_METHOD) {
        continue;
      }
      String owner = texts[firsts[firsts[i]]];
      if (owner.startsWith(HADOOP)) {
        String name = texts[firsts[seconds[i]]];
        String descriptor = texts[seconds[seconds[i]]];
        String missing = missing(owner.replace('/', '.'), name, descriptor, tags[i] == FIELD);
        if (missing != null) {
          return missing;
        }
      }
    }
    return null;
  }

  private @Nullable String missing(String owner, String name, String descriptor, boolean isField) {
    try {
      Class<?> type = Class.forName(owner, false, loader);
      MethodType wanted =
          MethodType.fromMethodDescriptorString(isField ? "()" + descriptor : descriptor, loader);
      boolean there = isField ? hasField(type, name, wanted) : hasMethod(type, name, wanted);
      return there ? null : owner + "." + name + " " + descriptor;
    } catch (ClassNotFoundException | LinkageError | TypeNotPresentException e) {
      return owner + "." + name + " (" + e + ")";
    }
  }

  private static boolean hasField(Class<?> type, String name, MethodType wanted) {
    return Arrays.stream(type.getFields())
        .anyMatch(each -> each.getName().equals(name) && each.getType() == wanted.returnType());
  }

  private static boolean hasMethod(Class<?> type, String name, MethodType wanted) {
    Class<?>[] parameters = wanted.parameterArray();
    if (name.equals("<init>")) {
      Stream<Constructor<?>> all = Arrays.stream(type.getConstructors());
      return all.anyMatch(each -> Arrays.equals(each.getParameterTypes(), parameters));
    }
    Stream<Method> all = Arrays.stream(type.getMethods());
    return all.anyMatch(
        each ->
            each.getName().equals(name)
                && each.getReturnType() == wanted.returnType()
                && Arrays.equals(each.getParameterTypes(), parameters));
  }
}
