// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where librdio is loaded from, and what is said where it cannot be. */
final class NativeLibraryTest {
  private static final Path BUILT =
      Path.of(System.getProperty("rdio.test.native.dir"), "..", "classes", "META-INF", "native");

  /** This machine's. */
  private static final String PROCESSOR = System.getProperty("os.arch").replace("amd64", "x86_64");

  @TempDir Path directory;

  @Test
  void comesFromTheJarAndLeavesNothingBehind() throws Exception {
    NativeAvailability availability =
        load(Map.of("java.io.tmpdir", "/nonexistent", "rdio.native.workdir", directory.toString()));

    assertThat(availability.detail())
        .startsWith("loaded from META-INF/native/linux-")
        .endsWith("of the jar");
    assertThat(availability.isAvailable()).isTrue();
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory)) {
      assertThat(left).isEmpty();
    }
    assertThat(DirectReader.interfaceVersion()).isEqualTo(DirectReader.INTERFACE_VERSION);
  }

  @Test
  void isAvailableOnThisMachine() {
    assertThat(NativeLibrary.availability().toString())
        .isEqualTo(
            "librdio loaded from META-INF/native/linux-" + PROCESSOR + "/librdio.so of the jar");
  }

  @Test
  void libraryPathGoesBeforeTheJar() throws Exception {
    Path copy = Files.copy(builtLibrary(), directory.resolve("librdio.so"));

    NativeAvailability availability =
        load(Map.of("java.library.path", "/nonexistent::" + directory, "java.io.tmpdir", "/tmp"));

    assertThat(availability.detail()).isEqualTo("loaded from " + copy + " (java.library.path)");
  }

  @Test
  void namedFileThatIsMissingIsNotReplacedByAnother() {
    NativeAvailability availability =
        load(Map.of("rdio.native.path", "/nonexistent/librdio.so", "java.io.tmpdir", "/tmp"));

    assertThat(availability.isAvailable()).isFalse();
    assertThat(availability.detail())
        .isEqualTo(
            "-Drdio.native.path=/nonexistent/librdio.so is not a file: correct it or leave it out");
  }

  @Test
  void namedFileThatIsNoLibraryIsExplained() throws Exception {
    Path garbage = Files.writeString(directory.resolve("librdio.so"), "not a library");

    NativeAvailability availability = load(Map.of("rdio.native.path", garbage.toString()));

    assertThat(availability.isAvailable()).isFalse();
    assertThat(availability.detail())
        .startsWith("-Drdio.native.path=" + garbage + " could not be loaded: ")
        .contains("It must be a librdio.so of this RDIO version for linux-");
    assertThat(availability.cause()).isInstanceOf(UnsatisfiedLinkError.class);
  }

  @Test
  void libraryOfAnotherVersionIsRefused() throws Exception {
    Path other = Path.of(System.getProperty("rdio.test.native.dir"), "librdio_other_version.so");

    assertThat(loadInNewClassLoader(Map.of("rdio.native.path", other.toString())))
        .startsWith("librdio is not available: ")
        .endsWith(
            "has interface version 999 but these classes need "
                + DirectReader.INTERFACE_VERSION
                + ": use jar and library of one RDIO version");
  }

  @Test
  void libraryOfAnotherClassLoaderIsExplained() throws Exception {
    Path copy = Files.copy(builtLibrary(), directory.resolve("shared.so"));
    assertThat(load(Map.of("rdio.native.path", copy.toString())).isAvailable()).isTrue();

    assertThat(loadInNewClassLoader(Map.of("rdio.native.path", copy.toString())))
        .startsWith("librdio is not available: ")
        .contains("Put the RDIO jar on one class path only");
  }

  @Test
  void eachClassLoaderGetsACopyOfItsOwnFromTheJar() throws Exception {
    Map<String, String> properties = Map.of("java.io.tmpdir", directory.toString());

    assertThat(loadInNewClassLoader(properties)).startsWith("librdio loaded from META-INF");
    assertThat(loadInNewClassLoader(properties)).startsWith("librdio loaded from META-INF");
  }

  @Test
  void workdirThatIsMissingIsExplained() {
    NativeAvailability availability = load(Map.of("rdio.native.workdir", "/nonexistent"));

    assertThat(availability.detail())
        .isEqualTo(
            "librdio could not be unpacked to /nonexistent: name a writable directory by"
                + " -Drdio.native.workdir");
  }

  @Test
  void noexecWorkdirIsExplained() throws Exception {
    boolean root = Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    assertThat(root || !"1".equals(System.getenv("RDIO_REQUIRE_ALL"))).isTrue();
    Assumptions.assumeTrue(root, "mounting a noexec directory needs root");
    run("mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", directory.toString());
    try {
      NativeAvailability availability = load(Map.of("rdio.native.workdir", directory.toString()));

      assertThat(availability.detail())
          .isEqualTo(
              directory
                  + " is mounted noexec, so librdio cannot be loaded from there: name another"
                  + " directory by -Drdio.native.workdir, or the library by -Drdio.native.path");
    } finally {
      run("umount", directory.toString());
    }
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("%s ends", List.of(command)).isTrue();
      assertThat(process.exitValue()).as("status of %s", List.of(command)).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /** As the header of ELF has it at this place: one file for a wrong one is loaded by nobody. */
  @ParameterizedTest
  @CsvSource({"x86_64, 62", "aarch64, 183"})
  void eachProcessorHasLibrariesOfItsOwn(String processor, int machine) throws Exception {
    Path folder = BUILT.resolve("linux-" + processor);
    boolean isThere = Files.isDirectory(folder);
    assertThat(isThere || !"1".equals(System.getenv("RDIO_REQUIRE_ALL"))).isTrue();
    Assumptions.assumeTrue(isThere, "this machine cannot compile for " + processor);
    for (String name : List.of("librdio.so", "librdio-write.so", "librdio_bpf.so")) {
      ByteBuffer header = ByteBuffer.wrap(Files.readAllBytes(folder.resolve(name)));
      assertThat(header.order(ByteOrder.LITTLE_ENDIAN).getShort(18)).isEqualTo((short) machine);
    }
  }

  private static Path builtLibrary() {
    return BUILT.resolve("linux-" + PROCESSOR).resolve("librdio.so");
  }

  private static NativeAvailability load(Map<String, String> properties) {
    return new NativeLibrary(properties::get).load();
  }

  /** What {@link NativeAvailability#toString} says there. */
  private static String loadInNewClassLoader(Map<String, String> properties) throws Exception {
    URL classes = NativeLibrary.class.getProtectionDomain().getCodeSource().getLocation();
    ClassLoader parent = ClassLoader.getPlatformClassLoader();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, parent)) {
      Class<?> type = loader.loadClass(NativeLibrary.class.getName());
      Constructor<?> constructor = type.getDeclaredConstructor(UnaryOperator.class);
      constructor.setAccessible(true);
      Method load = type.getDeclaredMethod("load");
      load.setAccessible(true);
      UnaryOperator<String> lookup = properties::get;
      return load.invoke(constructor.newInstance(lookup)).toString();
    }
  }
}
