// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.ProcessEnd;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Debian package of a release: what is in it, and that it comes and goes as one should. */
final class DebianPackageIT {
  private static final Path TARGET = Path.of(System.getProperty("rdio.class-path.folder"));
  private static final Path JAR = Path.of(System.getProperty("rdio.jar"));

  private static Path deb;

  @TempDir Path folder;

  @BeforeAll
  static void find() throws IOException {
    Requirements.requireTool("dpkg-deb");
    Path found = null;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(TARGET, "rdio-hdfs_*_all.deb")) {
      for (Path each : all) {
        found = each;
      }
    }
    Requirements.require(
        found != null
            && Files.getLastModifiedTime(found).compareTo(Files.getLastModifiedTime(JAR)) >= 0,
        "there is no Debian package of this build: ./mvnw -Pdist makes one");
    deb = found;
  }

  @Test
  void filesAreWhereDebianHasSuch() throws IOException {
    List<String> lines = Command.run("dpkg-deb", "--contents", deb.toString()).lines().toList();
    assertThat(lines).allMatch(line -> line.matches("(l.{9}|[d-]rw[x-]r-[x-]r-[x-]) root/root .*"));
    assertThat(lines)
        .map(line -> line.replaceFirst("^.* \\./", "/").replaceFirst(" -> .*", ""))
        .contains(
            "/usr/share/rdio-hdfs/" + JAR.getFileName(),
            "/usr/share/rdio-hdfs/libexec/shellprofile.d/rdio.sh",
            "/usr/share/rdio-hdfs/udev/61-rdio-read-only.rules",
            "/usr/bin/rdio",
            "/lib/systemd/system/rdio-agent.service",
            "/lib/udev/rules.d/60-rdio.rules",
            "/etc/default/rdio-agent",
            "/usr/share/doc/rdio-hdfs/copyright",
            "/usr/share/doc/rdio-hdfs/NOTICE",
            "/usr/share/doc/rdio-hdfs/etc/examples/hdfs-site.xml",
            "/usr/share/doc/rdio-hdfs/docs/operations.md")
        .doesNotContain("/lib/udev/rules.d/61-rdio-read-only.rules");
  }

  /** Or a second build of the same revision would be another package. */
  @Test
  void hasOneTimeForAllThatIsInIt() throws IOException {
    assertThat(Command.run("env", "TZ=UTC", "dpkg-deb", "--contents", deb.toString()).lines())
        .allMatch(line -> line.contains(" 2026-01-01 00:00 "));
  }

  @Test
  void saysWhatItIs() throws IOException {
    String version = Command.run("dpkg-deb", "--field", deb.toString(), "Version");
    assertThat(JAR.getFileName()).hasToString("rdio-hdfs-" + version + ".jar");
    assertThat(Command.run("dpkg-deb", "--info", deb.toString(), "conffiles"))
        .isEqualTo("/etc/default/rdio-agent");
    Command.run("dpkg-deb", "--extract", deb.toString(), folder.toString());
    Path changelog = folder.resolve("usr/share/doc/rdio-hdfs/changelog.gz");
    assertThat(Command.run("gzip", "-dc", changelog.toString()))
        .startsWith("rdio-hdfs (" + version + ") ");
  }

  @Test
  void lintianFindsNoError() throws IOException {
    Requirements.requireTool("lintian");
    assertThat(Command.run("lintian", "--no-cfg", "--allow-root", deb.toString()))
        .doesNotContain("E: ");
  }

  @Test
  void unitStartsTheJarThatIsThere() throws IOException {
    Command.run("dpkg-deb", "--extract", deb.toString(), folder.toString());
    String unit = Files.readString(folder.resolve("lib/systemd/system/rdio-agent.service"));
    Matcher start = Pattern.compile("(?m)^ExecStart=.* jar /(\\S+) agent$").matcher(unit);
    assertThat(start.find()).isTrue();
    assertThat(folder.resolve(start.group(1))).hasSameBinaryContentAs(JAR);
  }

  @Test
  void commandAnswersWhereHadoopIs() throws Exception {
    Path root = folder.resolve("root");
    Command.run("dpkg-deb", "--extract", deb.toString(), root.toString());
    Path hadoop = Files.createDirectories(folder.resolve("hadoop/bin")).resolve("hadoop");
    Files.writeString(hadoop, "#!/bin/sh\ncat " + TARGET.resolve("hadoop-3.5.classpath") + "\n");
    Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwxr-xr-x"));

    assertThat(rdio(root, 0, "--version"))
        .isEqualTo("rdio " + Command.run("dpkg-deb", "--field", deb.toString(), "Version"));
    // There is no cluster: what matters is that it starts, and loads the library of the jar.
    assertThat(rdio(root, 1, "doctor"))
        .containsPattern(
            "ok +librdio +loaded from META-INF/native/linux-\\w+/librdio.so of the jar")
        .contains("NOT IN ORDER");
  }

  private String rdio(Path root, int status, String command) throws Exception {
    Path errors = folder.resolve("stderr");
    ProcessBuilder builder =
        new ProcessBuilder(root.resolve("usr/bin/rdio").toString(), command)
            .redirectError(errors.toFile());
    builder.environment().put("HADOOP_HOME", folder.resolve("hadoop").toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    ProcessEnd end = ProcessEnd.of(process, "rdio " + command);
    assertThat(end.status()).as(end.output() + Files.readString(errors)).isEqualTo(status);
    return end.output().strip();
  }

  @Test
  void comesAndGoes() throws IOException {
    Requirements.requireLoop("ext4"); // root
    Requirements.requireTool("unshare");
    Path script = Path.of("src/test/resources/io/rdio/hdfs/dist/throwaway_root.sh");
    String user = "user rdio:x:9860:9860::/nonexistent:/usr/sbin/nologin";
    assertThat(Command.run(script.toAbsolutePath().toString(), deb.toString()).lines())
        .containsExactly(
            "installed: /usr/share/rdio-hdfs/rdio-hdfs.jar is there",
            "installed: /etc/default/rdio-agent is there",
            "installed: systemctl daemon-reload",
            "installed: " + user,
            "upgraded: systemctl daemon-reload",
            "upgraded: systemctl daemon-reload",
            "upgraded: systemctl try-restart rdio-agent.service",
            "upgraded: HADOOP=/opt/hadoop/bin/hadoop",
            "removed: /usr/share/rdio-hdfs/rdio-hdfs.jar is not there",
            "removed: /etc/default/rdio-agent is there",
            "removed: systemctl disable --now rdio-agent.service",
            "removed: systemctl daemon-reload",
            "removed: " + user,
            "purged: /usr/share/rdio-hdfs/rdio-hdfs.jar is not there",
            "purged: /etc/default/rdio-agent is not there",
            "purged: systemctl daemon-reload",
            "purged: " + user);
  }
}
