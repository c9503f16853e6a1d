// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links of earlier incarnations: each goes at its own time, and what they keep is summed up. */
final class LeftoversTest {
  @TempDir Path root;
  private final AtomicInteger failures = new AtomicInteger();
  private final Leftovers leftovers = new Leftovers((what, failure) -> failures.incrementAndGet());

  private Path file(String name, int bytes) throws IOException {
    return Files.write(root.resolve(name), new byte[bytes]);
  }

  @Test
  void linksGoInTheOrderOfTheirTimesAndTheSumFollows() throws IOException {
    Path late = file("late", 100);
    Path early = file("early", 20);
    Path named = file("named", 3);
    Files.createLink(root.resolve("current"), named);
    leftovers.keep(late, 0, 50);
    leftovers.keep(early, 0, 10);
    leftovers.keep(named, 0, 30);
    assertThat(leftovers.deletedBytes()).isEqualTo(120);

    leftovers.removeDue(9);
    assertThat(leftovers.count()).isEqualTo(3);
    leftovers.removeDue(10);
    assertThat(early).doesNotExist();
    assertThat(leftovers.deletedBytes()).isEqualTo(100);
    leftovers.removeDue(30);
    assertThat(named).doesNotExist();
    assertThat(leftovers.deletedBytes()).isEqualTo(100);
    leftovers.removeDue(50);
    assertThat(leftovers.count()).isZero();
    assertThat(leftovers.deletedBytes()).isZero();
  }

  private Path pinOf(String name) throws IOException {
    return Files.createLink(root.resolve("pin-of-" + name), root.resolve(name));
  }

  private Path keep(String name) throws IOException {
    Path folder = Files.createDirectories(KeptLinks.folder(root));
    return Files.createLink(folder.resolve(name), root.resolve(name));
  }

  @Test
  void deletedBlockCountsAlsoWhereItsFileIsKept() throws IOException {
    List<Path> pins = new ArrayList<>();
    for (String name : List.of("deleted", "there", "not-kept")) {
      file(name, 100 + pins.size());
      pins.add(pinOf(name));
    }
    keep("deleted");
    keep("there");
    Files.delete(root.resolve("deleted"));
    KeptLinks kept = KeptLinks.find(root, pins);

    for (Path pin : pins) {
      leftovers.keep(pin, 0, 10, kept);
    }
    assertThat(leftovers.deletedBytes()).isEqualTo(100);

    leftovers.removeDue(10);
    assertThat(leftovers.deletedBytes()).isZero();
    assertThat(failures).hasValue(0);
  }

  @Test
  void linkThatIsMadeLaterGoesAtItsTimeAndCountsForNothing() throws IOException {
    Path link = root.resolve("link");
    leftovers.expect(link, 0, 10);
    leftovers.expect(root.resolve("never made"), 0, 10);
    Files.createLink(link, file("file", 7));
    assertThat(leftovers.count()).isEqualTo(2);
    assertThat(leftovers.deletedBytes()).isZero();

    leftovers.removeDue(9);
    assertThat(link).exists();
    leftovers.removeDue(10);
    assertThat(link).doesNotExist();
    assertThat(leftovers.count()).isZero();
    assertThat(failures).hasValue(0);
  }

  @Test
  void linkThatCannotBeRemovedIsCountedOnAndTriedAgainATermLater() throws IOException {
    Path folder = Files.createDirectory(root.resolve("folder"));
    Path inside = Files.write(folder.resolve("inside"), new byte[5]);
    leftovers.keep(folder, 0, 10);

    leftovers.removeDue(10);
    assertThat(leftovers.count()).isEqualTo(1);

    Files.delete(inside);
    leftovers.removeDue(19);
    assertThat(folder).exists();
    leftovers.removeDue(20);
    assertThat(folder).doesNotExist();
  }

  /** A path whose file system fails as long as it is told to. */
  private static Path failing(Path file, AtomicBoolean fails) {
    return (Path)
        Proxy.newProxyInstance(
            Path.class.getClassLoader(),
            new Class<?>[] {Path.class},
            (proxy, method, args) -> {
              if (method.getName().equals("getFileSystem") && fails.get()) {
                throw new StackOverflowError("thrown by the test");
              }
              return method.invoke(file, args);
            });
  }

  @Test
  void errorAtOneLinkKeepsNoOtherFromGoing() throws IOException {
    AtomicBoolean fails = new AtomicBoolean(true);
    Path bad = failing(root.resolve("bad"), fails);
    Path good = file("good", 20);
    leftovers.keep(bad, 0, 10);
    leftovers.keep(good, 0, 11);

    leftovers.removeDue(11);

    assertThat(good).doesNotExist();
    assertThat(leftovers.count()).as("it is tried again").isEqualTo(1);
    assertThat(leftovers.deletedBytes()).isZero();
    assertThat(failures).hasPositiveValue();
    fails.set(false);
    leftovers.removeDue(20);
    assertThat(leftovers.count()).as("not due yet").isEqualTo(1);
  }
}
