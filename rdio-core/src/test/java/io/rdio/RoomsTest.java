// SPDX-License-Identifier: Apache-2.0
package io.rdio;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The rooms of this module, one for each host, and the arrows between them. */
@AnalyzeClasses(
    packages = {
      "io.rdio.core",
      "io.rdio.client",
      "io.rdio.datanode",
      "io.rdio.exclusive",
      "io.rdio.agent"
    },
    importOptions = DoNotIncludeTests.class)
final class RoomsTest {
  @ArchTest
  static final ArchRule WHAT_ALL_HOSTS_SHARE_KNOWS_NO_HOST =
      none(
          "io.rdio.core..",
          "io.rdio.client..",
          "io.rdio.datanode..",
          "io.rdio.exclusive..",
          "io.rdio.agent..");

  @ArchTest
  static final ArchRule CLIENTS_KNOW_NO_OTHER_HOST =
      none("io.rdio.client..", "io.rdio.datanode..", "io.rdio.exclusive..", "io.rdio.agent..");

  @ArchTest
  static final ArchRule DATANODES_KNOW_NO_OTHER_HOST =
      none("io.rdio.datanode..", "io.rdio.client..", "io.rdio.exclusive..", "io.rdio.agent..");

  @ArchTest
  static final ArchRule STORAGE_NODES_KNOW_NO_OTHER_HOST =
      none("io.rdio.exclusive..", "io.rdio.client..", "io.rdio.datanode..", "io.rdio.agent..");

  @ArchTest
  static final ArchRule AGENTS_KNOW_CLIENTS_ONLY =
      none("io.rdio.agent..", "io.rdio.datanode..", "io.rdio.exclusive..");

  @ArchTest
  static final ArchRule THIN_CLIENTS_LOAD_NOTHING_OF_FULL_ONES =
      none("io.rdio.agent.ipc..", "io.rdio.client..", "io.rdio.agent.daemon..");

  @ArchTest static final ArchRule HADOOP_IS_UNKNOWN_HERE = none("io.rdio..", "org.apache.hadoop..");

  @ArchTest
  static final ArchRule NO_PACKAGES_NEED_EACH_OTHER =
      slices().matching("io.rdio.(**)").should().beFreeOfCycles();

  private static ArchRule none(String from, String... to) {
    return noClasses()
        .that()
        .resideInAPackage(from)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(to);
  }
}
