// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What users are told of options that cannot be, before anything is started. */
class BenchTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Bench.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          read --fs btrfs                 | --fs btrfs: take ext4 or xfs
          read --backing nvme             | --backing nvme: take tmpfs or disk
          read --page-cache hot           | --page-cache hot: take cold or warm
          read --buffer mapped            | --buffer mapped: take heap or direct or aligned
          read --json /no/folder/file     | --json /no/folder/file: fix: name a file in a folder
          read --size much                | not a size
          read --size 4m --threads 8      | --size 4194304: less than 1m for each of 8 threads
          read --sizes 4097               | 4097: must be a multiple of 4k
          read --size 4m --sizes 8m       | --sizes 8388608: more than
          read --rounds 0                 | --rounds 0: must be 1 or more
          read --seconds 0                | --seconds 0.0: must be greater than 0
          read --threads none             | --threads
          write --replication 0           | --replication 0: must be 1 to 6
          write --policy RS-7-2           | --policy RS-7-2: take RS-6-3-1024k or
          write --policy XOR --replication 1 | --policy XOR: excludes --replication, for
          write --policy RS-6-3-1024k --pool 128m | 2 slots of 134217728 bytes
          write --policy RS-6-3-1024k --threads 0 | --threads 0: must be 1 or more
          write --size 1m --threads 2     | --size 1048576: less than 1m for each of 2 threads
          write --size 2g                 | --size 2147483648: 16 slots of 134217728 bytes
          write --sizes 1g --threads 2    | and --pool 2147483648 keeps 8; take --pool 4294967296
          write --block-size 100k         | --block-size 102400: must be a multiple of 1m
          write --arrays 16m              | --arrays 16777216: must be 8388608 or less
          write --rounds 0                | --rounds 0: must be 1 or more
          write --warm-up -1              | --warm-up -1: must be 0 or more
          write --warm-up-max 0           | --warm-up-max 0.0: must be greater than 0
          cold --rounds 0                 | --rounds 0: must be 1 or more
          cold --sizes much               | not a size
          micro --replicas 0              | --replicas 0: must be 1 or more
          micro --backing nvme            | --backing nvme: take tmpfs or disk
          routing --routing false         | --routing false: take true or adaptive
          routing --threads 1,0           | --threads 0: must be 1 or more
          routing --load-threads 0        | --load-threads 0: must be 1 or more
          routing --size 1m --sizes 4m    | --size 1048576: less than a read
          routing --stream --size 8m --threads 1,16 | less than a read for each of 16 threads
          resilience --policy XOR-2-1     | --policy XOR-2-1: take RS-3-2-1024k
          resilience --objects 0          | --objects 0: must be 1 or more
          processes --task-size 63k       | --task-size 64512: less than a read of the crowd
          processes --readers 0           | --readers 0: must be 1 or more
          vectored --read 21              | --read 21: more than --columns 20
          vectored --size 1m              | --size 1048576: less than a row group of 134217728
          vectored --scans 0              | --scans 0: must be 1 or more
          ycsb --distribution normal      | --distribution normal: take zipf, uniform or both
          ycsb --file-size 64k            | --file-size 65536: less than a read of 1048576 bytes
          ycsb --threads 1,0              | --threads 0: must be 1 or more
          ycsb --threads 4096             | --threads 4096: at most 1024
          ycsb --read-sizes 1m..4k        | 1m..4k: ends below its start
          near-exclusive --policy DEMOTE  | --policy [DEMOTE]: take some of [Vanilla, Incl
          near-exclusive --workload tpcc  | --workload [tpcc]: take some of [scans, zipf0.99]
          near-exclusive --data 100k      | --data 100k is not a multiple of 64k
          near-exclusive --passes 0       | --passes at least 1
          near-exclusive --max-queue -1   | --max-queue must not be negative
          near-exclusive --size 0%        | "0%" is not a percentage above 0% up to 100%
          ktracer --data much             | not a size
          ktracer --rate 0                | 0: must be greater than 0
          ktracer --workload tpcc         | there are tpch-scans, ycsb-c-uniform
          two-level --clients 0           | --clients 0: from 1 to 16 compute nodes
          two-level --clients 17          | --clients 17: from 1 to 16 compute nodes
          two-level --data much           | not a size
          two-level --policy DEMOTE       | of the policies only [Vanilla, Incl
          extent-cache --files 0          | --files 0: must be 1 or more
          extent-cache --files 4097       | --files 4097: at most 4096
          extent-cache --data 1m --files 257 | --files 257: more than --data has blocks
          extent-cache --extents 1,-1     | --extents [1, -1]: must not be negative
          extent-cache --extent-size 4k,8k | --extent-size 4k,8k: take one size
          extent-cache --extent-size 6k   | 6k: must be a multiple of 4k
          extent-cache --workload tpch-scans | a scan would read the holes ahead
          extent-cache --rate 0           | 0: must be greater than 0
          objects --files 0               | --files 0: must be 1 or more
          objects --metadata-plane auto   | --metadata-plane auto: take grpc or device
          ycsb --metadata-plane auto      | --metadata-plane auto: take grpc or device
          records --workloads E           | --workloads E: take some of load,A,B,C,D,F
          records --record-size 1m,2m     | --record-size 1m,2m: take one size
          records --threads 2048          | --threads 2048: at most 1024
          records --pool 8m               | --pool 8388608: less than 16 slots of 1048576 bytes
          characterize --repeats 1        | --repeats 1: must be 2 or more
          characterize --tasks 0          | --tasks 0: must be 1 or more
          characterize --size 64k         | --size 65536: less than a request for each of 8 files
          characterize --slow fast        | not a size
          characterize --pool 8m          | --pool 8388608: less than 16 slots of 1048576 bytes
          characterize --operations scan  | --operations scan: take read, write or both
          scale --clients 0               | --clients 0: must be 1 or more
          scale --maps 9 --blocks 10      | --maps 9: more than half of --blocks 10
          scale --changes -1              | --changes and --deletions must not be negative
          scale --seconds 0               | --seconds 0: must be 1 or more
          papers --only rdio-9z           | --only rdio-9z: there is no such figure; there are
          papers --json /no/folder/file   | --json /no/folder/file: fix: name a file in a folder
          papers --traces /no/folder      | --traces /no/folder: there is no such folder
          papers --any-machine            | --any-machine: is of what --resume keeps; fix: give both
          plane --rounds 0                | --rounds 0: must be 1 or more
          plane --readers 4,1             | --readers 4: the first must be 1
          plane --readers 1,0             | --readers 0: must be 1 or more
          plane --wait 0                  | --wait 0.0: must be greater than 0
          plane --latency -1              | --latency -1: must not be negative
          plane --json /no/folder/file    | --json /no/folder/file: fix: name a file in a folder
          maps --blocks 0                 | --blocks 0: must be 1 or more
          maps --blocks 2000000000        | set JAVA_TOOL_OPTIONS=-Xmx
          """,
      delimiter = '|')
  void wrongUsage(String arguments, String message) {
    assertThat(run(arguments.split(" ", -1))).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains(message);
  }

  @Test
  void helpNamesTheCommands() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains(
            "read",
            "write",
            "ycsb",
            "processes",
            "simulate",
            "maps",
            "plane",
            "cache",
            "memory",
            "near-exclusive",
            "extent-cache",
            "vectored",
            "resilience",
            "objects",
            "records",
            "characterize",
            "papers");
  }

  @Test
  void sharedOptionsHaveDefaultsOfTheirCommands() {
    assertThat(run("two-level", "--help")).isZero();
    assertThat(out.toString()).contains("--clients", "256m", "64m").doesNotContain("128m");
    out.getBuffer().setLength(0);
    assertThat(run("extent-cache", "--help")).isZero();
    assertThat(out.toString()).contains("--extents", "128m").doesNotContain("256m");
  }

  /** As {@code papers} runs them; of options that cannot be read nothing would be run. */
  @ParameterizedTest
  @MethodSource("io.rdio.bench.papers.PartLines#all")
  void linesOfPapersPartsCanBeRead(String line) {
    ParseResult parsed = Bench.commandLine().parseArgs(line.split(" ", -1));
    assertThat(parsed.subcommand().commandSpec().name()).isEqualTo(line.split(" ", -1)[0]);
  }

  @Test
  void papersListsItsFiguresWithoutRunningAny() {
    assertThat(run("papers", "--list", "--only", "s3fifo-6")).isZero();
    assertThat(out.toString()).startsWith("s3fifo-6").contains("[miss-ratios]").hasLineCount(1);
  }
}
