// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Loads librdio once for this class loader: from the file that {@code rdio.native.path} names, and
 * then from nowhere else; or from java.library.path; or from the jar, unpacked to {@code
 * rdio.native.workdir} (java.io.tmpdir by default).
 */
public final class NativeLibrary {
  /** System property: a librdio.so to load instead of any other. */
  public static final String PATH_PROPERTY = "rdio.native.path";

  /** System property: a directory, mounted without noexec, to unpack librdio.so to. */
  public static final String WORKDIR_PROPERTY = "rdio.native.workdir";

  private static final String FILE_NAME = "librdio.so";

  private final UnaryOperator<@Nullable String> properties;

  NativeLibrary(UnaryOperator<@Nullable String> properties) {
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
    String named = property(PATH_PROPERTY);
    if (!named.isEmpty()) {
      Path file = Path.of(named).toAbsolutePath();
      return Files.isRegularFile(file)
          ? load(file, "-D" + PATH_PROPERTY + "=" + named)
          : NativeAvailability.unavailable(
              "-D" + PATH_PROPERTY + "=" + named + " is not a file: correct it or leave it out",
              null);
    }
    for (String directory : property("java.library.path").split(File.pathSeparator, -1)) {
      Path file = Path.of(directory, FILE_NAME).toAbsolutePath();
      if (!directory.isEmpty() && Files.isRegularFile(file)) {
        return load(file, file + " (java.library.path)");
      }
    }
    return loadFromJar();
  }

  private NativeAvailability loadFromJar() {
    String resource = "META-INF/native/" + platform() + "/" + FILE_NAME;
    String workdir = property(WORKDIR_PROPERTY);
    Path directory = Path.of(workdir.isEmpty() ? property("java.io.tmpdir") : workdir);
    try (InputStream packed = NativeLibrary.class.getResourceAsStream("/" + resource)) {
      if (packed == null) {
        return NativeAvailability.unavailable(
            "no " + resource + " in this jar: build librdio here and name it by -D" + PATH_PROPERTY,
            null);
      }
      return unpackAndLoad(packed, directory, resource);
    } catch (IOException e) {
      return NativeAvailability.unavailable(
          "librdio could not be unpacked to "
              + directory
              + ": name a writable directory by -D"
              + WORKDIR_PROPERTY,
          e);
    }
  }

  private static NativeAvailability unpackAndLoad(
      InputStream packed, Path directory, String resource) throws IOException {
    var ownerOnly = PosixFilePermissions.fromString("rwx------");
    Path file =
        Files.createTempFile(
            directory, "librdio-", ".so", PosixFilePermissions.asFileAttribute(ownerOnly));
    try {
      Files.write(file, packed.readAllBytes());
      // access(2) denies execution of a file that has the permission only on a noexec mount.
      if (!Files.isExecutable(file)) {
        return NativeAvailability.unavailable(
            directory
                + " is mounted noexec, so librdio cannot be loaded from there: name another"
                + " directory by -D"
                + WORKDIR_PROPERTY
                + ", or the library by -D"
                + PATH_PROPERTY,
            null);
      }
      return load(file, resource + " of the jar");
    } finally {
      Files.delete(file);
    }
  }

  private static NativeAvailability load(Path file, String place) {
    try {
      System.load(file.toString());
      int version = DirectReader.interfaceVersion();
      if (version != DirectReader.INTERFACE_VERSION) {
        return NativeAvailability.unavailable(
            place
                + " has interface version "
                + version
                + " but these classes need "
                + DirectReader.INTERFACE_VERSION
                + ": use jar and library of one RDIO version",
            null);
      }
      return NativeAvailability.loadedFrom(place);
    } catch (LinkageError e) {
      return NativeAvailability.unavailable(place + " could not be loaded: " + explain(e), e);
    }
  }

  private static String explain(LinkageError error) {
    String message = String.valueOf(error.getMessage());
    if (message.contains("already loaded in another classloader")) {
      return message
          + ". Put the RDIO jar on one class path only (not both in the application and"
          + " in a parent loader), or leave out -D"
          + PATH_PROPERTY
          + ": from the jar each class loader gets a copy of its own";
    }
    return message + ". It must be a librdio.so of this RDIO version for " + platform();
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
