// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import io.rdio.client.filemap.BlockLocation;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks several locators in turn; the first that knows a block answers. Thread-safe. */
public record LocatorChain(List<BlockLocator> locators) implements BlockLocator {
  @Override
  public List<BlockLocation> locate(BlockRequest request) throws FallbackException {
    StringBuilder details = new StringBuilder();
    for (BlockLocator locator : locators) {
      try {
        return locator.locate(request);
      } catch (FallbackException e) {
        details.append(details.isEmpty() ? "" : "; ").append(e.detail());
      }
    }
    throw new FallbackException(FallbackReason.LOCATION_UNKNOWN, details.toString());
  }

  @Override
  public @Nullable BlockLocation following(BlockKey block) {
    for (BlockLocator locator : locators) {
      BlockLocation next = locator.following(block);
      if (next != null) {
        return next;
      }
    }
    return null;
  }

  @Override
  public void forget(BlockKey block) {
    locators.forEach(locator -> locator.forget(block));
  }
}
