// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Loads librdio, or {@linkplain BpfLibrary another library of ours}, once for this class loader:
 * from the file that {@code rdio.native.path} names, and then from nowhere else; or from
 * java.library.path; or from the jar, unpacked to {@code rdio.native.workdir} (java.io.tmpdir by
 * default).
 */
public final class NativeLibrary {
  /** System property: a librdio.so to load instead of any other. */
  public static final String PATH_PROPERTY = "rdio.native.path";

  /** System property: a directory, mounted without noexec, to unpack librdio.so to. */
  public static final String WORKDIR_PROPERTY = "rdio.native.workdir";

  private final Binding binding;
  private final UnaryOperator<@Nullable String> properties;

  /** What a library is called, and how it is known to be of this version. */
  static final class Binding {
    private final String name;
    private final String pathProperty;
    private final int neededVersion;
    private final IntSupplier version;

    /**
     * A binding.
     *
     * @param name for example {@code librdio}
     * @param pathProperty system property that names a file to load
     * @param neededVersion of the interface between its classes and it
     * @param version which one it has; called when it is loaded
     */
    Binding(String name, String pathProperty, int neededVersion, IntSupplier version) {
      this.name = name;
      this.pathProperty = pathProperty;
      this.neededVersion = neededVersion;
      this.version = version;
    }
  }

  NativeLibrary(UnaryOperator<@Nullable String> properties) {
    this(
        new Binding(
            "librdio",
            PATH_PROPERTY,
            DirectReader.INTERFACE_VERSION,
            DirectReader::interfaceVersion),
        properties);
  }

  NativeLibrary(Binding binding, UnaryOperator<@Nullable String> properties) {
    this.binding = binding;
    this.properties = properties;
  }

  /** Loads the library at the first call; always the same answer. Thread-safe. */
  public static NativeAvailability availability() {
    return Loaded.AVAILABILITY;
  }

  private static final class Loaded {
    static final NativeAvailability AVAILABILITY = new NativeLibrary(System::getProperty).load();
  }

  NativeAvailability load() {
    String named = property(binding.pathProperty);
    if (!named.isEmpty()) {
      Path file = Paths.get(named).toAbsolutePath();
      return Files.isRegularFile(file)
          ? load(file, "-D" + binding.pathProperty + "=" + named)
          : unavailable(
              "-D"
                  + binding.pathProperty
                  + "="
                  + named
                  + " is not a file: correct it or leave it out",
              null);
    }
    for (String directory : property("java.library.path").split(File.pathSeparator, -1)) {
      Path file = Paths.get(directory, fileName()).toAbsolutePath();
      if (!directory.isEmpty() && Files.isRegularFile(file)) {
        return load(file, file + " (java.library.path)");
      }
    }
    return loadFromJar();
  }

  private NativeAvailability loadFromJar() {
    String resource = "META-INF/native/" + platform() + "/" + fileName();
    String workdir = property(WORKDIR_PROPERTY);
    Path directory = Paths.get(workdir.isEmpty() ? property("java.io.tmpdir") : workdir);
    try (InputStream packed = NativeLibrary.class.getResourceAsStream("/" + resource)) {
      if (packed == null) {
        return unavailable(
            "no "
                + resource
                + " in this jar: build "
                + binding.name
                + " here and name it by -D"
                + binding.pathProperty,
            null);
      }
      return unpackAndLoad(packed, directory, resource);
    } catch (IOException e) {
      return unavailable(
          binding.name
              + " could not be unpacked to "
              + directory
              + ": name a writable directory by -D"
              + WORKDIR_PROPERTY,
          e);
    }
  }

  private NativeAvailability unpackAndLoad(InputStream packed, Path directory, String resource)
      throws IOException {
    Path file =
        Files.createTempFile(
            directory,
            binding.name + "-",
            ".so",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      copy(packed, file);
      // access(2) denies execution of a file that has the permission only on a noexec mount.
      if (!Files.isExecutable(file)) {
        return unavailable(
            directory
                + " is mounted noexec, so "
                + binding.name
                + " cannot be loaded from there: name another"
                + " directory by -D"
                + WORKDIR_PROPERTY
                + ", or the library by -D"
                + binding.pathProperty,
            null);
      }
      return load(file, resource + " of the jar");
    } finally {
      Files.delete(file);
    }
  }

  /** To the file that is there, with its permissions; Files.copy would make another one. */
  private static void copy(InputStream from, Path to) throws IOException {
    byte[] piece = new byte[64 << 10];
    try (OutputStream out = Files.newOutputStream(to)) {
      for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
        out.write(piece, 0, count);
      }
    }
  }

  private NativeAvailability load(Path file, String place) {
    try {
      System.load(file.toString());
      int version = binding.version.getAsInt();
      if (version != binding.neededVersion) {
        return unavailable(
            place
                + " has interface version "
                + version
                + " but these classes need "
                + binding.neededVersion
                + ": use jar and library of one RDIO version",
            null);
      }
      return NativeAvailability.loadedFrom(binding.name, place);
    } catch (LinkageError e) {
      return unavailable(place + " could not be loaded: " + explain(e), e);
    }
  }

  private String explain(LinkageError error) {
    String message = String.valueOf(error.getMessage());
    if (message.contains("already loaded in another classloader")) {
      return message
          + ". Put the RDIO jar on one class path only (not both in the application and"
          + " in a parent loader), or leave out -D"
          + binding.pathProperty
          + ": from the jar each class loader gets a copy of its own";
    }
    return message + ". It must be a " + fileName() + " of this RDIO version for " + platform();
  }

  private NativeAvailability unavailable(String detail, @Nullable Throwable cause) {
    return NativeAvailability.unavailable(binding.name, detail, cause);
  }

  private String fileName() {
    return binding.name + ".so";
  }

  /** As in the jar's resource names, after {@code uname -m}. */
  private static String platform() {
    String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    return "linux-" + (arch.equals("amd64") ? "x86_64" : arch);
  }

  private String property(String name) {
    String value = properties.apply(name);
    return value == null ? "" : value;
  }
}
