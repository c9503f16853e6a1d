// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.MemoryDevice;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An image of a file system in a file, made and looked at by e2fsprogs; no mount, no root. */
public record Ext4Image(Path file) {
  public static void requireTools() throws IOException {
    Requirements.requireTool("mke2fs");
    Requirements.requireTool("debugfs");
    Requirements.requireTool("e2fsck");
    Requirements.requireTool("tune2fs");
  }

  /**
   * Makes one with a folder's content.
   *
   * @param options of mke2fs, between spaces
   */
  public static Ext4Image make(Path file, Path content, String size, String options)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("mke2fs", "-q", "-F", "-d", content.toString()));
    command.addAll(List.of(options.trim().split(" +")));
    command.addAll(List.of(file.toString(), size));
    Command.run(command.toArray(String[]::new));
    return new Ext4Image(file);
  }

  /** Has e2fsck rebuild directories as hash trees, and mend what debugfs left behind. */
  public void check() throws IOException {
    Command.run("sh", "-c", "e2fsck -fyD \"$0\"; [ $? -le 1 ]", file.toString());
  }

  /** What debugfs answers to a request. */
  public String ask(String request) throws IOException {
    String output = Command.run("debugfs", "-R", request, file.toString());
    return output.substring(output.indexOf('\n') + 1);
  }

  /** What debugfs answers to each of several requests. */
  List<String> askAll(List<String> requests) throws IOException {
    String output = run(requests, "-f");
    List<String> answers = new ArrayList<>();
    int at = 0;
    for (String request : requests) {
      String echo = "debugfs: " + request + "\n";
      int found = output.indexOf(echo, at);
      if (found < 0) {
        throw new IOException("no answer to " + request + " in " + output);
      }
      if (at > 0) {
        answers.add(output.substring(at, found));
      }
      at = found + echo.length();
    }
    answers.add(output.substring(Math.min(at, output.length())));
    return answers;
  }

  /** Runs requests that change the image. */
  public void change(String... requests) throws IOException {
    run(List.of(requests), "-w", "-f");
  }

  private String run(List<String> requests, String... options) throws IOException {
    Path script = Files.createTempFile(file.getParent(), "requests", "");
    Files.write(script, requests);
    List<String> command = new ArrayList<>(List.of("debugfs"));
    command.addAll(List.of(options));
    command.addAll(List.of(script.toString(), file.toString()));
    String output = Command.run(command.toArray(String[]::new));
    Files.delete(script);
    return output + "\n";
  }

  public BlockDevice device() throws IOException {
    return new MemoryDevice(Files.readAllBytes(file), 4096);
  }

  public Ext4Volume open() throws IOException, Ext4Exception {
    return Ext4Volume.open(device());
  }
}
