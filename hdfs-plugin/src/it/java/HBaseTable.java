// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A table of HBase in which each value follows from its row and column. HBaseThroughOutageIT runs
 * it from this source, since only there its imports exist.
 *
 * <pre>
 *   write TABLE ROWS PORT   makes it, with all its regions on the region server at PORT, each column
 *                           in an HFile of its own; nothing is left in memory, of any table
 *   read TABLE ROWS END     gets and scans until there is a file END; exits with 1 if anything fails
 *   get TABLE ROWS          one get, not tried again
 * </pre>
 */
final class HBaseTable {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int COLUMNS = 3;
  private static final int REGIONS = 4;
  private static final int READERS = 3;
  private static final int GETS = 100;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(3);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final TableName name;
  private final int rows;

  private HBaseTable(String name, String rows) {
    this.name = TableName.valueOf(name);
    this.rows = Integer.parseInt(rows);
  }

  public static void main(String[] args) throws Exception {
    HBaseTable table = new HBaseTable(args[1], args[2]);
    Configuration conf = HBaseConfiguration.create();
    if (!args[0].equals("write")) {
      conf.setInt("hbase.client.retries.number", 0); // or nobody would see that one failed
    }
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      switch (args[0]) {
        case "write" -> table.write(connection, Integer.parseInt(args[3]));
        case "read" -> table.read(connection, Path.of(args[3]));
        default -> table.getOne(connection);
      }
    }
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("%08d", number));
  }

  private static byte[] column(int number) {
    return Bytes.toBytes("c" + number);
  }

  private static byte[] value(int row, int column) {
    SplittableRandom random = new SplittableRandom(row * (long) COLUMNS + column);
    byte[] value = new byte[64];
    random.nextBytes(value);
    return value;
  }

  private void write(Connection connection, int port) throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin.balancerSwitch(false, true);
      ServerName server = server(admin, port);
      byte[][] splits = new byte[REGIONS - 1][];
      for (int i = 1; i < REGIONS; i++) {
        splits[i - 1] = row(rows / REGIONS * i);
      }
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                      .setBlockCacheEnabled(false)
                      .build())
              .build(),
          splits);
      for (RegionInfo region : admin.getRegions(name)) {
        admin.move(region.getEncodedNameAsBytes(), server);
      }
      await("the regions of " + name + " are on " + server, () -> isOn(connection, server));
      for (int column = 0; column < COLUMNS; column++) {
        writeColumn(connection, column);
        admin.flush(name);
      }
      for (TableName system : admin.listTableNamesByNamespace("hbase")) {
        admin.flush(system);
      }
    }
  }

  private void writeColumn(Connection connection, int column) throws IOException {
    try (BufferedMutator all = connection.getBufferedMutator(name)) {
      for (int i = 0; i < rows; i++) {
        all.mutate(new Put(row(i)).addColumn(FAMILY, column(column), value(i, column)));
      }
    }
  }

  private static ServerName server(Admin admin, int port) throws Exception {
    List<ServerName> found = new ArrayList<>();
    await(
        "a region server at " + port,
        () -> {
          for (ServerName server : admin.getRegionServers()) {
            if (server.getPort() == port) {
              found.add(server);
            }
          }
          return !found.isEmpty();
        });
    return found.get(0);
  }

  private boolean isOn(Connection connection, ServerName server) throws IOException {
    try (RegionLocator locator = connection.getRegionLocator(name)) {
      locator.clearRegionLocationCache();
      for (HRegionLocation location : locator.getAllRegionLocations()) {
        if (!server.equals(location.getServerName())) {
          return false;
        }
      }
    }
    return true;
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(String what, Condition condition) throws Exception {
    long begun = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - begun > PATIENCE_NANOS) {
        throw new IOException("not within three minutes: " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void check(Result got, int row) throws IOException {
    if (!Bytes.equals(got.getRow(), row(row)) || got.size() != COLUMNS) {
      throw new IOException("row " + row + ": " + got);
    }
    for (int column = 0; column < COLUMNS; column++) {
      byte[] value = got.getValue(FAMILY, column(column));
      if (!Bytes.equals(value, value(row, column))) {
        throw new IOException("row " + row + ", column " + column + ": wrong");
      }
    }
  }

  private void getOne(Connection connection) throws IOException {
    try (Table table = connection.getTable(name)) {
      check(table.get(new Get(row(1))), 1);
    }
  }

  private void read(Connection connection, Path end) throws Exception {
    AtomicLong longest = new AtomicLong();
    List<AtomicLong> done = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      done.add(inBackground(connection, table -> getSome(table, longest)));
    }
    done.add(inBackground(connection, this::scan));
    long[] seen = new long[done.size()];
    while (!Files.exists(end)) {
      LockSupport.parkNanos(PAUSE_NANOS);
      if (allWentOn(done, seen)) {
        System.out.println("PASS " + READERS * GETS + " gets, " + rows + " rows");
      }
    }
    System.out.println("LONGEST " + TimeUnit.NANOSECONDS.toMillis(longest.get()));
    System.exit(0); // the readers do not end
  }

  /** Whether each of them did something since this was true last. */
  private static boolean allWentOn(List<AtomicLong> done, long[] seen) {
    for (int i = 0; i < seen.length; i++) {
      if (done.get(i).get() == seen[i]) {
        return false;
      }
    }
    for (int i = 0; i < seen.length; i++) {
      seen[i] = done.get(i).get();
    }
    return true;
  }

  private interface Work {
    void with(Table table) throws IOException;
  }

  /** Does it again and again; how often it was done. */
  private AtomicLong inBackground(Connection connection, Work work) {
    AtomicLong done = new AtomicLong();
    Thread thread =
        new Thread(
            () -> {
              try (Table table = connection.getTable(name)) {
                while (true) {
                  work.with(table);
                  done.incrementAndGet();
                }
              } catch (Throwable e) {
                e.printStackTrace();
                System.exit(1);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return done;
  }

  private void getSome(Table table, AtomicLong longest) throws IOException {
    for (int i = 0; i < GETS; i++) {
      int row = ThreadLocalRandom.current().nextInt(rows);
      long begun = System.nanoTime();
      Result got = table.get(new Get(row(row)));
      longest.accumulateAndGet(System.nanoTime() - begun, Math::max);
      check(got, row);
    }
  }

  private void scan(Table table) throws IOException {
    int row = 0;
    try (ResultScanner all = table.getScanner(new Scan().setCacheBlocks(false).setCaching(500))) {
      for (Result got : all) {
        check(Objects.requireNonNull(got), row);
        row++;
      }
    }
    if (row != rows) {
      throw new IOException(row + " rows instead of " + rows);
    }
  }
}
