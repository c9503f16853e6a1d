// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What is public in rdio-core is used from another package, of whatever module. Here, because no
 * other module sees all of them.
 */
class PublicTypesTest {
  private static final String CORE = "io\\.rdio\\.(core|client|datanode|exclusive)\\..*";

  /** Code that protoc writes. */
  private static final String GENERATED = "io\\.rdio\\.(core\\.wire\\.proto|exclusive\\.wire)\\..*";

  /** Public types that no other package uses, and why they are public all the same. */
  private static final Map<String, String> EXCEPTIONS =
      Map.ofEntries(
          entry("io.rdio.client.read.RdioClientFaultInjector", "tests put their own in its place"),
          entry("io.rdio.datanode.grant.GrantFaultInjector", "tests put their own in its place"),
          entry(
              "io.rdio.exclusive.eviction.BlockRunSink",
              "the two-level simulation hands SegmentBatcher a lambda of it"),
          entry(
              "io.rdio.exclusive.eviction.LocalDeviceFinder",
              "NearExclusiveIT joins the tracer to the prefetch cache of the other package"),
          entry(
              "io.rdio.exclusive.prefcache.PageCacheCalls",
              "jnr-ffi implements it from another class loader"),
          entry(
              "io.rdio.core.wire.ProtocolVersion",
              "constants, which the compiler puts in their places"),
          entry(
              "io.rdio.client.write.BlockWriter",
              "what BlockWriters, which is used, has for a block; others write by GroupWriter"),
          entry("io.rdio.client.write.WriterFaultInjector", "tests put their own in its place"),
          entry(
              "io.rdio.datanode.allocate.CommitResult$Committed",
              "the other of two answers, which need not be asked for"),
          entry(
              "io.rdio.datanode.allocate.WriteFaultInjector", "tests put their own in its place"));

  @Test
  void isUsedByAnotherPackage() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.rdio");
    Set<String> unused =
        all.stream()
            .filter(type -> type.getName().matches(CORE) && !type.getName().matches(GENERATED))
            .filter(PublicTypesTest::isPublic)
            .filter(type -> !isForLambdas(type))
            .filter(type -> !isUsedElsewhere(type))
            .map(JavaClass::getName)
            .collect(Collectors.toSet());
    assertThat(unused).isEqualTo(EXCEPTIONS.keySet());
    // So that the rule does not hold for want of classes.
    assertThat(all.contain("io.rdio.hdfs.cli.Rdio")).isTrue();
    assertThat(all.contain("io.rdio.core.FallbackReason")).isTrue();
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(PublicTypesTest::isPublic).orElse(true);
  }

  /** A lambda names no interface in its class, so that its use cannot be seen. */
  private static boolean isForLambdas(JavaClass type) {
    return type.isInterface() && type.isNestedClass();
  }

  private static boolean isUsedElsewhere(JavaClass type) {
    return type.getDirectDependenciesToSelf().stream()
        .anyMatch(use -> !use.getOriginClass().getPackageName().equals(type.getPackageName()));
  }
}
