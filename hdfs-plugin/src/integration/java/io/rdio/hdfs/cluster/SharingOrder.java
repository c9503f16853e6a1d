// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;

/**
 * Classes that share a cluster one behind the other, so that few clusters are up at a time; those
 * that share none before them. Nothing depends on it but time and memory.
 */
public final class SharingOrder implements ClassOrderer {
  @Override
  public void orderClasses(ClassOrdererContext context) {
    context
        .getClassDescriptors()
        .sort(
            Comparator.comparing(SharingOrder::shapes, SharingOrder::compare)
                .thenComparing(descriptor -> descriptor.getTestClass().getName()));
  }

  private static List<Shape> shapes(ClassDescriptor descriptor) {
    return descriptor
        .findAnnotation(Shares.class)
        .map(shares -> Arrays.stream(shares.value()).sorted().toList())
        .orElse(List.of());
  }

  /** By the first shape in which they differ. */
  private static int compare(List<Shape> one, List<Shape> other) {
    for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
      int order = one.get(i).compareTo(other.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(one.size(), other.size());
  }
}
