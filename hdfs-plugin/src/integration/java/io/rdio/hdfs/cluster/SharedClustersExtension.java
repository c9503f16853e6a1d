// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.io.IOException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Hands {@link SharedClusters} to classes that are {@link Shares}, and cleans up behind each. */
final class SharedClustersExtension implements ParameterResolver, AfterAllCallback {
  private static final Namespace OURS = Namespace.create(SharedClustersExtension.class);

  /**
   * In the store of the launcher's session, at whose end they are closed: where there are several
   * JVMs, each class is a run of its own, whose root ends with it.
   */
  private static SharedClusters clusters(ExtensionContext context) {
    return context
        .getStore(StoreScope.LAUNCHER_SESSION, OURS)
        .getOrComputeIfAbsent(
            SharedClusters.class, key -> new SharedClusters(), SharedClusters.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == SharedClusters.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return clusters(context);
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    Shares shares = context.getRequiredTestClass().getAnnotation(Shares.class);
    if (shares != null) {
      for (Shape shape : shares.value()) {
        clusters(context).clean(shape);
      }
    }
  }
}
