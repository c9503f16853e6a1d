// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;

/**
 * The order that JUnit gives methods by itself: where the build is told to reverse that of the
 * classes, it would reverse theirs too.
 */
public final class UsualOrder implements MethodOrderer {
  @Override
  public void orderMethods(MethodOrdererContext context) {
    // As they come.
  }
}
