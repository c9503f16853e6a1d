// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.client.plane.device.InspectedVolume;
import io.rdio.core.FallbackException;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.DirectoryEntry;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.apache.hadoop.util.JsonSerialization;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rdio fs}: an ext4 file system as RDIO reads it from a device, without mounting it. */
@Command(
    name = "fs",
    mixinStandardHelpOptions = true,
    description = {
      "What an ext4 file system has, read from its device or an image without mounting it, with"
          + " what its journal has committed, also while another host writes to it.",
      "Exit status: 0 with the answer, 3 with the reason why there is none, 2 wrong usage, 1 if the"
          + " answer cannot be written."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      FsCommand.Stat.class,
      FsCommand.Ls.class,
      FsCommand.Extents.class,
      FsCommand.Cat.class
    })
final class FsCommand implements Callable<Integer> {
  private static final int REFUSED = 3;
  private static final char DELETE = 0x7F;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return spec.exitCodeOnInvalidInput();
  }

  /** What all of them are asked for. */
  static final class Place {
    @Parameters(index = "0", paramLabel = "DEVICE", description = "a device or an image in a file")
    private Path device = Path.of("");

    @Parameters(index = "1", paramLabel = "PATH", description = "from the file system's root")
    private String path = "";
  }

  /** A question about a file. */
  abstract static class Question implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private Place place = new Place();

    @Override
    public final Integer call() throws IOException {
      try {
        boolean image = Files.isRegularFile(place.device);
        answer(InspectedVolume.open(NamedDevice.open(place.device), image), place.path);
        // Each writer asks itself only: picocli's does not know what the stream under it came to.
        out().flush();
        if (out().checkError() || System.out.checkError()) {
          throw new IOException("the standard output takes no more");
        }
        return 0;
      } catch (Ext4Exception | FallbackException e) {
        return refused(e);
      } catch (OutOfMemoryError e) { // what was asked for is garbage by now
        return refused(
            Ext4Exception.unsupported(
                "the answer takes more than the "
                    + (Runtime.getRuntime().maxMemory() >> 20)
                    + " MiB of memory that this JVM has; fix: a larger HADOOP_HEAPSIZE_MAX"));
      }
    }

    abstract void answer(InspectedVolume volume, String path)
        throws Ext4Exception, FallbackException, IOException;

    PrintWriter out() {
      return spec.commandLine().getOut();
    }

    private int refused(Exception why) {
      String text = "rdio fs: " + place.path + " of " + place.device + ": " + why.getMessage();
      spec.commandLine().getErr().println(printable(text));
      return REFUSED;
    }

    void json(Map<String, Object> fields) throws IOException {
      out().println(ascii(new JsonSerialization<>(Map.class, false, true).toJson(fields)));
    }

    /** One after the other, for there may be a million of them. */
    <T> void json(String name, List<T> all, Function<T, Map<String, Object>> fields)
        throws IOException {
      var text = new JsonSerialization<>(Map.class, false, true);
      out().print("{ \"" + name + "\" : [");
      String before = "\n";
      for (T each : all) {
        out().print(before + ascii(text.toJson(fields.apply(each))));
        before = ",\n";
      }
      out().println(" ] }");
    }

    /** The same JSON whatever the locale, and without characters that terminals obey. */
    static String ascii(String json) {
      StringBuilder text = new StringBuilder(json.length());
      for (int i = 0; i < json.length(); i++) {
        char each = json.charAt(i);
        if (each < DELETE) {
          text.append(each);
        } else {
          text.append(String.format("\\u%04x", (int) each));
        }
      }
      return text.toString();
    }
  }

  /** {@code rdio fs stat}. */
  @Command(
      name = "stat",
      mixinStandardHelpOptions = true,
      description = "What the inode of a file says.")
  static final class Stat extends Question {
    @Option(names = "--json", description = "for programs")
    private boolean json;

    @Override
    void answer(InspectedVolume volume, String path)
        throws Ext4Exception, FallbackException, IOException {
      Inode inode = volume.inode(path);
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("inode", inode.number());
      fields.put("type", inode.type().text());
      fields.put("mode", inode.mode());
      fields.put("uid", Integer.toUnsignedLong(inode.uid()));
      fields.put("gid", Integer.toUnsignedLong(inode.gid()));
      fields.put("links", inode.links());
      fields.put("size", inode.size());
      fields.put("generation", Integer.toUnsignedLong(inode.generation()));
      fields.put("flags", Integer.toUnsignedLong(inode.flags()));
      fields.put("block_size", volume.blockSize());
      if (json) {
        json(fields);
      } else {
        fields.put("mode", Integer.toOctalString(inode.mode()));
        fields.put("flags", "0x" + Integer.toHexString(inode.flags()));
        fields.forEach((name, value) -> out().printf("%-10s  %s%n", name, value));
      }
    }
  }

  /** {@code rdio fs ls}. */
  @Command(
      name = "ls",
      mixinStandardHelpOptions = true,
      description = "The names in a directory, in the directory's order.")
  static final class Ls extends Question {
    @Option(names = "--json", description = "for programs")
    private boolean json;

    @Override
    void answer(InspectedVolume volume, String path)
        throws Ext4Exception, FallbackException, IOException {
      List<DirectoryEntry> entries = volume.list(path);
      if (json) {
        json("entries", entries, Ls::fields);
        return;
      }
      for (DirectoryEntry entry : entries) {
        String name = printable(entry.name());
        out().printf("%10s  %-9s  %s%n", entry.inode(), entry.type().text(), name);
      }
    }

    private static Map<String, Object> fields(DirectoryEntry entry) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("name", entry.name());
      fields.put("inode", entry.inode());
      fields.put("type", entry.type().text());
      return fields;
    }
  }

  /** {@code rdio fs extents}. */
  @Command(
      name = "extents",
      mixinStandardHelpOptions = true,
      description = "Where the bytes of a file lie on the device, in bytes; holes are left out.")
  static final class Extents extends Question {
    @Option(names = "--json", description = "for programs")
    private boolean json;

    @Override
    void answer(InspectedVolume volume, String path)
        throws Ext4Exception, FallbackException, IOException {
      List<FileExtent> extents = volume.extents(path);
      long blockSize = volume.blockSize();
      if (json) {
        json("extents", extents, extent -> fields(extent, blockSize));
        return;
      }
      for (FileExtent extent : extents) {
        Map<String, Object> fields = fields(extent, blockSize);
        out()
            .printf(
                "%s bytes of the file from %s on at %s of the device%s%n",
                fields.get("length"),
                fields.get("logical"),
                fields.get("physical"),
                fields.containsKey("unwritten") ? ", reserved and not written" : "");
      }
    }

    private static Map<String, Object> fields(FileExtent extent, long blockSize) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("logical", extent.logical() * blockSize);
      fields.put("physical", extent.physical() * blockSize);
      fields.put("length", extent.length() * blockSize);
      if (extent.unwritten()) {
        fields.put("unwritten", true);
      }
      return fields;
    }
  }

  /** {@code rdio fs cat}. */
  @Command(
      name = "cat",
      mixinStandardHelpOptions = true,
      description = "The bytes of a file, to the standard output.")
  static final class Cat extends Question {
    @Override
    void answer(InspectedVolume volume, String path)
        throws Ext4Exception, FallbackException, IOException {
      volume.copy(path, Cat::write);
    }

    private static void write(byte[] piece) throws IOException {
      PrintStream out = System.out;
      out.write(piece);
      if (out.checkError()) {
        throw new IOException("the standard output takes no more");
      }
    }
  }

  /** Names come from the device; terminals obey control characters, and turn text round by some. */
  static String printable(String text) {
    return text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
  }
}
