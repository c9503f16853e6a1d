// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.way.FallbackLog;
import java.io.IOException;
import java.io.OutputStream;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DFSStripedOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The new files of a file system, which RDIO writes where it may. Stock HDFS has created each of
 * them already, with its own checks and its own errors. Thread-safe.
 */
public final class NewFiles {
  private static final Set<CreateFlag> STOCK_ONLY =
      EnumSet.of(CreateFlag.SYNC_BLOCK, CreateFlag.LAZY_PERSIST, CreateFlag.APPEND);

  private final WriteChoice choice;

  private NewFiles(WriteChoice choice) {
    this.choice = choice;
  }

  /**
   * Those of a configuration's clients. One that is wrong has stock HDFS write all.
   *
   * @param remote who writes blocks
   * @return null where it is off
   */
  public static @Nullable NewFiles of(
      Configuration conf, RemoteBlocks remote, WriteCounters counters) {
    WriteChoice choice;
    try {
      if (RdioConfigKeys.CLIENT_WRITE.get(conf).equals("off")) {
        return null;
      }
      choice = new WriteChoice(WriteConfig.of(conf), remote, counters, System::nanoTime);
    } catch (IllegalArgumentException e) { // says it all
      RemoteBlocks none =
          new NoBlocks(
              new FallbackException(
                  FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage())));
      choice = new WriteChoice(WriteConfig.ofAll(), none, counters, System::nanoTime);
    }
    return new NewFiles(choice);
  }

  /**
   * The stream to write a file by that was just created.
   *
   * @param path as it was created by
   * @param stock its stream, which nobody has yet
   * @return this one, where stock HDFS is to write all of it; that is counted and logged
   */
  public FSDataOutputStream created(
      String path,
      Set<CreateFlag> flags,
      FSDataOutputStream stock,
      FileSystem.@Nullable Statistics statistics)
      throws IOException {
    if (stock.getWrappedStream() instanceof RdioOutputStream) {
      return stock; // behind a symbolic link, of another file system
    }
    DFSOutputStream taken;
    try {
      choice.requireFor(path);
      taken = RdioOutputStream.takeOver(requireWritable(stock, flags), choice);
    } catch (FallbackException | RuntimeException | LinkageError e) {
      choice.leftToStock(e, path);
      return stock;
    }
    return new HdfsDataOutputStream(taken, statistics);
  }

  private static DFSOutputStream requireWritable(FSDataOutputStream stock, Set<CreateFlag> flags)
      throws FallbackException {
    for (CreateFlag flag : STOCK_ONLY) {
      if (flags.contains(flag)) {
        throw RdioOutputStream.unsupported("create flag " + flag);
      }
    }
    OutputStream wrapped = stock.getWrappedStream();
    if (wrapped instanceof CryptoOutputStream) {
      throw RdioOutputStream.unsupported("encryption zone");
    }
    if (wrapped.getClass() != DFSOutputStream.class
        && wrapped.getClass() != DFSStripedOutputStream.class) {
      throw RdioOutputStream.unsupported("stream of " + wrapped.getClass().getName());
    }
    return (DFSOutputStream) wrapped;
  }

  /**
   * Counts and logs a file that is for stock HDFS by the way in which it was asked for; one for
   * which RDIO is off anyway, by that.
   */
  public void leftToStock(String path, String why) {
    Throwable reason = RdioOutputStream.unsupported(why);
    try {
      choice.requireFor(path);
    } catch (FallbackException | RuntimeException | LinkageError e) {
      if (FallbackLog.reasonOf(e) == FallbackReason.DISABLED) {
        reason = e;
      }
    }
    choice.leftToStock(reason, path);
  }
}
