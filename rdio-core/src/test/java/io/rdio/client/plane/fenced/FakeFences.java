// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.core.fence.FenceRecord;
import io.rdio.core.fence.FenceState;
import io.rdio.core.fence.FencedDevices;
import io.rdio.core.fence.StandingFence;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Devices that are fenced because a test says so. */
final class FakeFences implements FencedDevices {
  private final List<Path> nodes = new ArrayList<>();
  private long generation = 3;
  private String written = "0";
  private @Nullable String trouble;
  private int looks;

  FakeFences(Path... fenced) {
    nodes.addAll(List.of(fenced));
  }

  void add(Path node) {
    nodes.add(node);
  }

  /** Undone and done again, or somebody registered. */
  void fenceAnew() {
    generation++;
  }

  /** This host has written to them. */
  void write() {
    written += "0";
  }

  /** They are fenced no more. */
  void undo(String why) {
    trouble = why;
  }

  /** They are fenced again. */
  void redo() {
    trouble = null;
    fenceAnew();
  }

  int looks() {
    return looks;
  }

  @Override
  public List<Path> recorded() {
    return List.copyOf(nodes);
  }

  @Override
  public StandingFence look(Path node) throws IOException {
    looks++;
    String why = trouble;
    if (why != null) {
      throw new IOException(node + ": " + why);
    }
    FenceRecord record = new FenceRecord("dead", "eui.1", "here", FenceState.FENCED, Instant.EPOCH);
    return new StandingFence(List.of(record), generation, written);
  }
}
