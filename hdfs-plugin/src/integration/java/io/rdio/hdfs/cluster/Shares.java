// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class that uses clusters which other classes use too, one class after the other. Its
 * methods take a parameter of type {@link SharedClusters} to get at them. A class works with
 * configurations of its own, closes its clients, and finds HDFS without a file.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SharedClustersExtension.class)
public @interface Shares {
  /** All that the class may use. */
  Shape[] value();
}
