// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a {@link GrantWritesFixture} each. */
abstract class GrantWritesTestBase {
  @TempDir private Path root;

  GrantWritesFixture fixture;

  @BeforeEach
  void startDataNode() throws IOException {
    fixture = new GrantWritesFixture(root);
  }

  @AfterEach
  void closeFixture() {
    fixture.close();
  }
}
