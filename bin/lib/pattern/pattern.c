/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What RDIO's reads would take if nothing but the kernel and its own C code had a part in them: the
 * device read as RDIO reads it, checked and copied by the same function, beside the bare device. What
 * 'bin/rdio bench read' shows beyond this is Java's, Hadoop's and RDIO's.
 *
 * pattern FILE|DEVICE SECONDS ROUNDS [cooperative]
 *
 * reads the first 2 GiB, or all if that is less, by O_DIRECT. With 'cooperative' each way by a ring is
 * there twice: as RDIO has it, and by a ring whose completions wait for its thread's next call.
 *
 * The ways take turns within each round; a line is the median of the rounds, with the least and the
 * most. CPU: of this process's threads, and of the whole machine, kernel threads with it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "checksum.h"
#include "memory.h"
#include "ring.h"

enum { CHUNK = 512, CRC = 4, KIB = 1 << 10, MIB = 1 << 20, MOST_AHEAD = 16, MOST_THREADS = 2 };
enum { LARGEST_WINDOW = 2 * MIB };
enum { MOST_ROUNDS = 99, MOST_LATENCIES = 1 << 20 };

struct way {
  const char *name;
  size_t piece;    /* what is asked for at a time */
  size_t window;   /* ... in reads of so much */
  unsigned ahead;  /* windows under way */
  bool positional; /* each piece waited for, at random */
  bool checked;    /* CRCs, and a copy */
  bool by_ring;
  unsigned threads;
};

enum { RDIO_RINGS, COOPERATIVE_RINGS, RING_MODES };

static const struct way WAYS[] = {
    {"4 KiB, bare pread", 4 * KIB, 4 * KIB, 1, true, false, false, 1},
    {"4 KiB, bare ring", 4 * KIB, 4 * KIB, 1, true, false, true, 1},
    {"4 KiB, ring, CRC and copy", 4 * KIB, 4 * KIB, 1, true, true, true, 1},
    {"1 MiB, bare pread", MIB, MIB, 1, true, false, false, 1},
    {"1 MiB, 4 of 256 KiB, CRC and copy", MIB, 256 * KIB, 4, true, true, true, 1},
    {"1 MiB, 2 of 512 KiB, CRC and copy", MIB, 512 * KIB, 2, true, true, true, 1},
    {"1 MiB, 1 of 1 MiB, CRC and copy", MIB, MIB, 1, true, true, true, 1},
    {"stream, bare, 8 of 1 MiB", MIB, MIB, 8, false, false, true, 1},
    {"stream, 4 of 1 MiB, CRC and copy", MIB, MIB, 4, false, true, true, 1},
    {"stream, 16 of 256 KiB, CRC and copy", MIB, 256 * KIB, 16, false, true, true, 1},
    {"stream, 8 of 512 KiB, CRC and copy", MIB, 512 * KIB, 8, false, true, true, 1},
    {"stream, 8 of 1 MiB, CRC and copy", MIB, MIB, 8, false, true, true, 1},
    {"stream, 4 of 2 MiB, CRC and copy", 2 * MIB, 2 * MIB, 4, false, true, true, 1},
    {"2 streams, bare, 8 of 1 MiB", MIB, MIB, 8, false, false, true, 2},
    {"2 streams, 4 of 1 MiB, CRC and copy", MIB, MIB, 4, false, true, true, 2},
};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS, NAME_WIDTH = 49 };

static int fd;
static size_t size;
static uint8_t *crcs;
static double run_seconds;

struct reader {
  const struct way *way;
  struct rdio_ring *ring;
  uint8_t *memory;
  uint8_t *target;
  uint64_t seed;
  unsigned first; /* thread's number */
  bool arrived[MOST_AHEAD];
  double *latencies;
  size_t reads;
  uint64_t bytes;
  double cpu;
};

struct figures {
  double rate, p50, cpu, machine;
};

static void must(int64_t result, const char *what) {
  if (result < 0) {
    fprintf(stderr, "pattern: %s: %s\n", what, strerror((int)-result));
    exit(1);
  }
}

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Seconds that the processors were not idle, all of them together. */
static double machine_busy(void) {
  FILE *stat = fopen("/proc/stat", "r");
  long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0;
  if (stat == NULL || fscanf(stat, "cpu %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system, &idle,
                             &wait, &irq, &soft) != 7) {
    must(-EIO, "/proc/stat");
  }
  fclose(stat);
  return (double)(user + nice + system + irq + soft) / (double)sysconf(_SC_CLK_TCK);
}

static size_t place(struct reader *reader) {
  reader->seed = reader->seed * 6364136223846793005ULL + 1442695040888963407ULL;
  size_t places = size / reader->way->piece;
  return (size_t)((reader->seed >> 33) % places) * reader->way->piece;
}

static void check(struct reader *reader, const uint8_t *data, size_t length, size_t offset) {
  struct rdio_chunks chunks = {data, length, CHUNK, crcs + offset / CHUNK * CRC, 0, length};
  if (rdio_verify_copy(RDIO_CRC32C, &chunks, reader->target) != RDIO_ALL_GOOD) {
    fprintf(stderr, "pattern: a wrong chunk at %zu\n", offset);
    exit(1);
  }
}

static void begin(struct reader *reader, unsigned window, size_t offset) {
  size_t length = reader->way->window;
  reader->arrived[window] = false;
  must(rdio_ring_prepare(reader->ring, fd, reader->memory + window * length, length, (int64_t)offset,
                         window, (int)window),
       "prepare");
}

static void await(struct reader *reader, unsigned window) {
  struct rdio_completion done[MOST_AHEAD];
  do {
    bool here = reader->arrived[window];
    int told = rdio_ring_enter(reader->ring, here ? 0 : 1, 10000000000LL, done, MOST_AHEAD);
    must(told, "enter");
    for (int i = 0, count = told % RDIO_RING_LEFT; i < count; i++) {
      must(done[i].result, "read");
      reader->arrived[done[i].tag] = true;
    }
  } while (!reader->arrived[window]);
}

static void by_position(struct reader *reader) {
  const struct way *way = reader->way;
  size_t offset = place(reader);
  if (!way->by_ring) {
    must(pread(fd, reader->memory, way->piece, (off_t)offset) < 0 ? -errno : 0, "pread");
    return;
  }
  unsigned windows = (unsigned)(way->piece / way->window);
  for (unsigned i = 0; i < windows; i++) {
    begin(reader, i, offset + i * way->window);
  }
  for (unsigned i = 0; i < windows; i++) {
    await(reader, i);
    if (way->checked) {
      check(reader, reader->memory + i * way->window, way->window, offset + i * way->window);
    }
  }
}

static void positional(struct reader *reader, double end) {
  double start = now(CLOCK_MONOTONIC);
  while (start < end && reader->reads < MOST_LATENCIES) {
    by_position(reader);
    double stop = now(CLOCK_MONOTONIC);
    reader->latencies[reader->reads++] = stop - start;
    reader->bytes += reader->way->piece;
    start = stop;
  }
}

static void stream(struct reader *reader, double end) {
  const struct way *way = reader->way;
  size_t part = size / way->threads / LARGEST_WINDOW * LARGEST_WINDOW, first = part * reader->first;
  size_t offsets[MOST_AHEAD], next = 0;
  unsigned under_way = 0;
  for (unsigned i = 0; i < way->ahead; i++, under_way++, next += way->window) {
    begin(reader, i, offsets[i] = first + next);
  }
  for (unsigned i = 0; under_way > 0; i = (i + 1) % way->ahead, under_way--) {
    await(reader, i);
    if (way->checked) {
      check(reader, reader->memory + i * way->window, way->window, offsets[i]);
    }
    reader->bytes += way->window;
    if (now(CLOCK_MONOTONIC) < end) {
      begin(reader, i, offsets[i] = first + next % part);
      next += way->window;
      under_way++;
    }
  }
}

static void *run(void *argument) {
  struct reader *reader = argument;
  double cpu = now(CLOCK_THREAD_CPUTIME_ID), end = now(CLOCK_MONOTONIC) + run_seconds;
  if (reader->way->positional) {
    positional(reader, end);
  } else {
    stream(reader, end);
  }
  reader->cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
  return NULL;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void prepare(struct reader *reader, unsigned number) {
  size_t memory = (size_t)MOST_AHEAD * MIB;
  int64_t address = rdio_memory_map(memory);
  must(address, "memory");
  reader->memory = (uint8_t *)(uintptr_t)address;
  reader->target = malloc(LARGEST_WINDOW);
  reader->latencies = malloc(sizeof(double) * MOST_LATENCIES);
  if (reader->target == NULL || reader->latencies == NULL) {
    must(-ENOMEM, "memory");
  }
  memset(reader->memory, 1, memory);
  reader->first = number;
}

/* A ring whose pinned pieces are the way's windows. */
static void take(struct reader *reader, const struct way *way, int mode, unsigned round) {
  reader->way = way;
  reader->seed = 1 + round;
  reader->reads = 0;
  reader->bytes = 0;
  if (mode == COOPERATIVE_RINGS) {
    must(rdio_ring_create_cooperative(MOST_AHEAD, &reader->ring), "cooperative ring, Linux 5.19");
  } else {
    must(rdio_ring_create(MOST_AHEAD, &reader->ring), "ring");
  }
  for (unsigned i = 0; i < way->ahead || i < way->piece / way->window; i++) {
    must(rdio_ring_pin(reader->ring, i, reader->memory + i * way->window, way->window), "pin");
  }
}

static struct figures pass(struct reader *readers, const struct way *way, int mode, unsigned round) {
  pthread_t threads[MOST_THREADS];
  for (unsigned i = 0; i < way->threads; i++) {
    take(&readers[i], way, mode, round);
  }
  double machine = machine_busy(), start = now(CLOCK_MONOTONIC), cpu = 0;
  for (unsigned i = 0; i < way->threads; i++) {
    must(-pthread_create(&threads[i], NULL, run, &readers[i]), "thread");
  }
  uint64_t bytes = 0;
  for (unsigned i = 0; i < way->threads; i++) {
    pthread_join(threads[i], NULL);
    bytes += readers[i].bytes;
    cpu += readers[i].cpu;
  }
  double seconds = now(CLOCK_MONOTONIC) - start, gigabytes = (double)bytes / 1e9;
  machine = machine_busy() - machine;
  for (unsigned i = 0; i < way->threads; i++) {
    rdio_ring_destroy(readers[i].ring);
  }
  qsort(readers[0].latencies, readers[0].reads, sizeof(double), ascending);
  double p50 = readers[0].reads == 0 ? 0 : readers[0].latencies[readers[0].reads / 2] * 1e6;
  return (struct figures){(double)bytes / 1e6 / seconds, p50, cpu / gigabytes, machine / gigabytes};
}

static void print(const struct way *way, int mode, double (*values)[MOST_ROUNDS], int rounds) {
  char name[64];
  snprintf(name, sizeof name, "%s%s", way->name, mode == COOPERATIVE_RINGS ? ", cooperative" : "");
  printf("%-*s", NAME_WIDTH, name);
  for (int i = 0; i < 4; i++) {
    qsort(values[i], (size_t)rounds, sizeof(double), ascending);
    double median = values[i][rounds / 2];
    if (i == 1 && median == 0) {
      printf("%20s", "");
    } else if (i < 2) {
      printf("  %6.0f (%.0f–%.0f)", median, values[i][0], values[i][rounds - 1]);
    } else {
      printf("  %7.3f", median);
    }
  }
  printf("\n");
}

/* Castagnoli's, reflected. */
enum { POLYNOMIAL = 0x82f63b78 };

static uint32_t crc32c(const uint8_t *data, const uint32_t *table) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < CHUNK; i++) {
    crc = table[(crc ^ data[i]) & 0xff] ^ crc >> 8;
  }
  return ~crc;
}

/* Reads the file once, and notes the CRC of each chunk as a meta file has it. */
static void note_crcs(void) {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++) {
      table[i] = table[i] >> 1 ^ (table[i] & 1 ? (uint32_t)POLYNOMIAL : 0);
    }
  }
  crcs = calloc(size / CHUNK, CRC);
  int64_t address = rdio_memory_map(2 * (size_t)MIB);
  must(crcs == NULL ? -ENOMEM : address, "memory");
  uint8_t *memory = (uint8_t *)(uintptr_t)address;
  for (size_t at = 0; at < size; at += MIB) {
    must(pread(fd, memory, MIB, (off_t)at) == MIB ? 0 : -EIO, "reading it once");
    for (size_t chunk = 0; chunk < MIB; chunk += CHUNK) {
      uint32_t crc = crc32c(memory + chunk, table);
      for (int byte = 0; byte < CRC; byte++) {
        crcs[(at + chunk) / CHUNK * CRC + (size_t)byte] = (uint8_t)(crc >> (24 - 8 * byte));
      }
    }
  }
  rdio_memory_unmap(memory, 2 * (size_t)MIB);
}

/* Whether a way differs by the mode of its ring. */
static bool has(const struct way *way, int mode) { return mode == RDIO_RINGS || way->by_ring; }

static double values[RING_MODES][WAY_COUNT][4][MOST_ROUNDS];

/* All ways in turn, each by all modes; the round below 0 is not noted. */
static void measure(struct reader *readers, int modes, int round) {
  for (unsigned way = 0; way < WAY_COUNT; way++) {
    for (int mode = 0; mode < modes && has(&WAYS[way], mode); mode++) {
      struct figures got = pass(readers, &WAYS[way], mode, (unsigned)round + 1);
      if (round >= 0) {
        values[mode][way][0][round] = got.rate;
        values[mode][way][1][round] = got.p50;
        values[mode][way][2][round] = got.cpu;
        values[mode][way][3][round] = got.machine;
      }
    }
  }
}

int main(int count, char **arguments) {
  int rounds = count == 4 || count == 5 ? atoi(arguments[3]) : 0;
  bool known = count < 5 || strcmp(arguments[4], "cooperative") == 0;
  if (rounds < 1 || rounds > MOST_ROUNDS || !known) {
    fprintf(stderr, "pattern FILE|DEVICE SECONDS ROUNDS [cooperative], of rounds at most %d\n",
            MOST_ROUNDS);
    return 2;
  }
  int modes = count == 5 ? RING_MODES : 1;
  run_seconds = atof(arguments[2]);
  fd = open(arguments[1], O_RDONLY | O_DIRECT | O_CLOEXEC);
  must(fd < 0 ? -errno : 0, arguments[1]);
  off_t end = lseek(fd, 0, SEEK_END);
  size = (size_t)(end < 2048LL * MIB ? end : 2048LL * MIB) / MIB * MIB;
  must(size < 64 * MIB ? -EINVAL : 0, "64 MiB are the least");
  note_crcs();
  struct reader readers[MOST_THREADS] = {0};
  for (unsigned i = 0; i < MOST_THREADS; i++) {
    prepare(&readers[i], i);
  }
  for (int round = -1; round < rounds; round++) {
    measure(readers, modes, round);
  }
  printf("%-*s  %s\n", NAME_WIDTH, "", "MB/s, p50 µs, CPU s/GB of the process, of the machine");
  for (unsigned way = 0; way < WAY_COUNT; way++) {
    for (int mode = 0; mode < modes && has(&WAYS[way], mode); mode++) {
      print(&WAYS[way], mode, values[mode][way], rounds);
    }
  }
  return 0;
}
