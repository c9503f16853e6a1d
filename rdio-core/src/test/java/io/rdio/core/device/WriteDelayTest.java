// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.FakeSysfs;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How late a write may be, by the files of kernels that this machine does not have. */
final class WriteDelayTest {
  /** Any node with numbers, which the tree gives to a device of its own. */
  private static final Path NODE = Path.of("/dev/null");

  private static final long QUARANTINE = 60_000;
  private static final String WWID = "uuid.1";

  @TempDir Path root;
  private FakeSysfs sysfs;

  @BeforeEach
  void make() {
    Requirements.require(Files.exists(NODE), "there is no /dev/null");
    sysfs = new FakeSysfs(root);
  }

  private static void put(Path file, String text) throws IOException {
    Files.createDirectories(file.resolveSibling(""));
    Files.writeString(file, text + "\n");
  }

  private void isNode(String name) throws IOException {
    long dev = (Long) Files.getAttribute(NODE, "unix:rdev");
    sysfs.number(name, SysfsBlockDevice.major(dev), SysfsBlockDevice.minor(dev));
  }

  private Path disk(String name, String millis) throws IOException {
    Path disk = sysfs.disk(name, 1 << 20, name.startsWith("nvme") ? WWID : "");
    put(disk.resolve("queue/io_timeout"), millis);
    return disk;
  }

  /** A disk, or a path to one, behind a controller of its own. */
  private Path behind(String name, String controller, Map<String, String> says) throws IOException {
    Path disk = disk(name, "30000");
    Path folder = Files.createDirectories(root.resolve("devices/virtual").resolve(controller));
    for (Map.Entry<String, String> each : says.entrySet()) {
      put(folder.resolve(each.getKey()), each.getValue());
    }
    Files.createSymbolicLink(disk.resolve("device"), folder);
    return disk;
  }

  private static Map<String, String> tcp(String fastIoFail, String ctrlLoss) {
    return Map.of(
        "transport",
        "tcp",
        "fast_io_fail_tmo",
        fastIoFail,
        "ctrl_loss_tmo",
        ctrlLoss,
        "reconnect_delay",
        "10");
  }

  private long within() throws FallbackException {
    return new WriteDelay(root).require(NODE, QUARANTINE);
  }

  private String refusal() {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, this::within);
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).isEqualTo(FallbackReason.WRITE_UNBOUNDED);
    return refusal.detail();
  }

  /** The defaults of nvme connect: what waits for a lost connection waits for ten minutes. */
  @Test
  void fabricThatHoldsWhatIsLostIsRefused() throws Exception {
    behind("nvme3n1", "nvme3", tcp("off", "600"));
    isNode("nvme3n1");

    assertThat(refusal())
        .isEqualTo(
            "a write may still reach nvme3n1 640 s later, and its place there is left alone for"
                + " 60 s: nvme3n1/queue/io_timeout 30 s, then fast_io_fail_tmo off, then"
                + " ctrl_loss_tmo 600 s, then reconnect_delay 10 s of nvme3 (tcp)");
  }

  @Test
  void fabricThatFailsItSoonIsNot() throws Exception {
    behind("nvme3n1", "nvme3", tcp("30", "600"));
    isNode("nvme3n1");
    assertThat(within()).as("as long as the slot is left alone").isEqualTo(60_000);

    put(root.resolve("devices/virtual/nvme3/fast_io_fail_tmo"), "31");
    assertThat(refusal()).contains("61 s later", "fast_io_fail_tmo 31 s of nvme3 (tcp)");
  }

  @Test
  void partitionHasTheControllerOfItsDisk() throws Exception {
    behind("nvme3n1", "nvme3", tcp("off", "600"));
    sysfs.partition("nvme3n1", "nvme3n1p1", 1 << 20, 1 << 20);
    isNode("nvme3n1/nvme3n1p1");

    assertThat(refusal()).contains("nvme3n1p1 640 s later");
  }

  @Test
  void connectionThatIsNeverGivenUpHasNoBound() throws Exception {
    behind("nvme3n1", "nvme3", tcp("-1", "off"));
    isNode("nvme3n1");

    assertThat(refusal()).contains("at any time", "fast_io_fail_tmo off", "ctrl_loss_tmo off");
  }

  @Test
  void whatAnOldKernelDoesNotSayHasNoBound() throws Exception {
    behind("nvme3n1", "nvme3", Map.of("transport", "rdma"));
    isNode("nvme3n1");

    assertThat(refusal()).contains("at any time", "ctrl_loss_tmo off", "nvme3 (rdma)");
  }

  @Test
  void commandThatNeverEndsHasNoBoundBehindAFabric() throws Exception {
    Path disk = behind("nvme3n1", "nvme3", tcp("5", "600"));
    Files.delete(disk.resolve("queue/io_timeout"));
    isNode("nvme3n1");

    assertThat(refusal()).contains("at any time", "nvme3n1/queue/io_timeout unknown");
  }

  @Test
  void textThatIsNoTimeIsRefused() throws Exception {
    behind("nvme3n1", "nvme3", tcp("soon", "600"));
    isNode("nvme3n1");

    assertThat(refusal()).contains("is not known", "fast_io_fail_tmo holds \"soon\"");
  }

  /** The disk of native multipath has no controller: the longest of its paths counts. */
  @Test
  void eachPathOfMultipathCounts() throws Exception {
    sysfs.disk("nvme0n1", 1 << 20, WWID);
    isNode("nvme0n1");
    assertThat(refusal()).contains("at any time", "no path");

    behind("nvme0c0n1", "nvme0", tcp("5", "600"));
    behind("nvme0c1n1", "nvme1", tcp("7", "600"));
    put(behind("nvme1c2n1", "nvme2", tcp("off", "off")).resolve("wwid"), "uuid.2");
    assertThat(within()).isEqualTo(37_000);

    put(root.resolve("devices/virtual/nvme1/fast_io_fail_tmo"), "off");
    assertThat(refusal()).contains("nvme0n1 640 s later", "nvme0c1n1/queue/io_timeout", "nvme1");
  }

  /** As newer kernels can: the disk takes what is written to it for a while without any path. */
  @Test
  void diskThatIsKeptWithoutPathsHoldsWhatWaits() throws Exception {
    Path disk = sysfs.disk("nvme0n1", 1 << 20, WWID);
    put(disk.resolve("delayed_removal_secs"), "0");
    behind("nvme0c0n1", "nvme0", tcp("5", "10"));
    isNode("nvme0n1");
    assertThat(within()).isEqualTo(35_000);

    put(disk.resolve("delayed_removal_secs"), "20");
    assertThat(refusal())
        .contains("70 s later", "fast_io_fail_tmo without effect", "delayed_removal_secs 20 s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pcie", "loop"})
  void deviceOfThisHostHasTheBlockLayersTime(String transport) throws Exception {
    Path disk = behind("nvme3n1", "nvme3", Map.of("transport", transport));
    isNode("nvme3n1");
    assertThat(within()).isEqualTo(30_000);

    put(disk.resolve("queue/io_timeout"), "60001");
    assertThat(refusal()).contains("60001 ms later", "nvme3n1/queue/io_timeout 60001 ms");
  }

  @Test
  void otherDisksHaveTheBlockLayersTimeIfThereIsOne() throws Exception {
    Path disk = disk("loop0", "30000");
    isNode("loop0");
    assertThat(within()).isEqualTo(30_000);

    Files.delete(disk.resolve("queue/io_timeout"));
    assertThat(within()).isZero();
  }

  /** As the kernel shows where a disk is plugged in. */
  private Path diskOn(String way) throws IOException {
    disk("sdb", "30000");
    isNode("sdb");
    Path link = root.resolve("class/block/sdb");
    Path disk = root.resolve("devices/pci0000:00").resolve(way).resolve("block/sdb");
    put(disk.resolve("queue/io_timeout"), "30000");
    Files.delete(link);
    Files.createSymbolicLink(link, disk);
    return disk;
  }

  @ParameterizedTest
  @ValueSource(strings = {"ata1/host0/target0:0:0", "host0/port-0:0/end_device-0:0/target0:0:0"})
  void localDiskHasTheBlockLayersTimeAndNoneIsNoBound(String way) throws Exception {
    Path disk = diskOn(way);
    assertThat(within()).isEqualTo(30_000);

    Files.delete(disk.resolve("queue/io_timeout"));
    assertThat(refusal()).contains("sdb at any time", "queue/io_timeout unknown");
  }

  /** How long these wait for a connection, and send again, is said elsewhere, if at all. */
  @ParameterizedTest
  @ValueSource(strings = {"nbd0", "rbd1", "zd16", "unheard-of"})
  void driverThatIsNotKnownHasNoBound(String name) throws Exception {
    disk(name, "30000");
    isNode(name);

    assertThat(refusal()).contains(name + " at any time", "driver's own waiting is not known");
  }

  /** Of iSCSI, Fibre Channel, SRP, virtio and Hyper-V. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "host2/session1/target2:0:0",
        "host2/rport-2:0-1/target2:0:0",
        "host7/target7:0:0",
        "virtio1/host2/target2:0:0",
        "VMBUS:01/host0/target0:0:0"
      })
  void norHasADiskOfScsiOfAnotherKind(String way) throws Exception {
    diskOn(way);

    assertThat(refusal()).contains("sdb at any time");
  }

  /** Multipath of the device mapper queues what has no path, and sysfs does not tell. */
  @Test
  void stackedDeviceHasNoBound() throws Exception {
    Files.createDirectory(disk("dm-0", "30000").resolve("dm"));
    isNode("dm-0");

    assertThat(refusal()).contains("dm-0 at any time", "(dm)");
  }

  @Test
  void deviceThatTheKernelDoesNotShowIsRefused() {
    assertThat(refusal()).contains("/dev/null", "is not known");
  }

  @Test
  void whatIsNoDeviceIsLeftToWhoOpensIt() throws Exception {
    Path file = Files.createFile(root.resolve("image"));
    assertThat(new WriteDelay(root).require(file, QUARANTINE)).isZero();

    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class,
            () -> new WriteDelay(root).require(root.resolve("nowhere"), QUARANTINE));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_NOT_FOUND);
  }

  private static DeviceIdentity identity(String wwid) {
    return new DeviceIdentity("ext4", new UUID(1, 2), 1 << 20, wwid, 0, "there");
  }

  @Test
  void allDevicesOfAWwidCount() throws Exception {
    behind("nvme3n1", "nvme3", tcp("5", "600"));
    behind("nvme4n1", "nvme4", tcp("9", "600"));
    disk("loop0", "30000");
    WriteDelay delay = new WriteDelay(root);
    assertThat(delay.require(identity(WWID), QUARANTINE)).hasValue(39_000);
    assertThat(delay.require(identity("uuid.2"), QUARANTINE)).isEmpty();
    assertThat(delay.require(identity(""), QUARANTINE)).isEmpty();

    put(root.resolve("devices/virtual/nvme4/fast_io_fail_tmo"), "off");
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class, () -> delay.require(identity(WWID), QUARANTINE));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.WRITE_UNBOUNDED);
    assertThat(refusal.detail()).contains("nvme4n1 640 s later");
  }
}
