// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows between this module's packages, which go one way. */
@AnalyzeClasses(packages = "io.rdio.bench", importOptions = DoNotIncludeTests.class)
class RoomsTest {
  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLE =
      slices().matching("io.rdio.bench.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule THE_TRACE_SIMULATOR_KNOWS_NOTHING_OF_TWO_LEVELS =
      noClasses()
          .that()
          .resideInAPackage("io.rdio.bench.simulator..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.rdio.bench.twolevel..");
}
