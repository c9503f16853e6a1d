// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of Hadoop's own stream, which looks one up for its subclasses only. What it shows
 * everybody is all blocks of the file, and for a long file it has to ask the NameNode for these.
 */
final class StreamBlocks implements BlockLookup {
  private static final @Nullable MethodHandle BLOCK_AT = find();

  private final DFSInputStream stream;
  private final MethodHandle blockAt;

  private StreamBlocks(DFSInputStream stream, MethodHandle blockAt) {
    this.stream = stream;
    this.blockAt = blockAt;
  }

  /** Those of a stream; null where this Hadoop, or this JVM, lets nobody look them up. */
  static @Nullable StreamBlocks of(DFSInputStream stream) {
    MethodHandle found = BLOCK_AT;
    return found == null ? null : new StreamBlocks(stream, found);
  }

  private static @Nullable MethodHandle find() {
    try {
      Method method = DFSInputStream.class.getDeclaredMethod("getBlockAt", long.class);
      method.setAccessible(true);
      return MethodHandles.lookup().unreflect(method);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  @Override
  public @Nullable LocatedBlock at(long offset) throws IOException {
    if (offset >= stream.getFileLength()) {
      return null;
    }
    try {
      return (LocatedBlock) blockAt.invokeExact(stream, offset);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("DFSInputStream.getBlockAt declares no " + e, e);
    }
  }
}
