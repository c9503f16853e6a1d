/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client in C: reads a file of HDFS in each way that libhdfs has, but for hadoopReadZero:
 * that of the libhdfs at hand crashes its JVM, whoever serves the bytes.
 *
 *   libhdfs_reader PATH FOLDER [end-jvm]
 *
 * What each way got is in FOLDER/WAY, and a line "WAY TOTAL SHORT-CIRCUIT" says what libhdfs counted
 * for it. With end-jvm it ends its JVM in order, as a program in Java does; else it just returns.
 */
#include <errno.h>
#include <fcntl.h>
#include <hdfs.h>
#include <inttypes.h>
#include <jni.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAM = 100000, PIECE = 70000, THREADS = 4, MODE = 0600 };

/* Of Hadoop 3.3 and later. */
extern int hdfsPreadFully(hdfsFS, hdfsFile, tOffset, void *, tSize) __attribute__((weak));

#define MUST(condition)                                                                         \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, strerror(errno)); \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)

struct file {
  hdfsFS fs;
  const char *path;
  const char *folder;
  tOffset length;
};

/* The file, opened to be read in one way, and where the bytes go. */
struct reader {
  const struct file *file;
  const char *way;
  hdfsFile in;
  int out;
};

static struct reader open_reader(const struct file *file, const char *way) {
  struct reader reader = {.file = file, .way = way};
  reader.in = hdfsOpenFile(file->fs, file->path, O_RDONLY, 0, 0, 0);
  MUST(reader.in != NULL);
  char name[PATH_MAX];
  MUST(snprintf(name, sizeof name, "%s/%s", file->folder, way) < (int)sizeof name);
  reader.out = open(name, O_WRONLY | O_CREAT | O_EXCL, MODE);
  MUST(reader.out >= 0);
  return reader;
}

static void close_reader(struct reader *reader) {
  struct hdfsReadStatistics *counted;
  MUST(hdfsFileGetReadStatistics(reader->in, &counted) == 0);
  printf("%s %" PRIu64 " %" PRIu64 "\n", reader->way, counted->totalBytesRead,
         counted->totalShortCircuitBytesRead);
  hdfsFileFreeReadStatistics(counted);
  MUST(hdfsCloseFile(reader->file->fs, reader->in) == 0);
  MUST(close(reader->out) == 0);
}

static void put(const struct reader *reader, const void *bytes, tSize count, tOffset at) {
  MUST(pwrite(reader->out, bytes, count, at) == count);
}

static tSize smaller(tOffset one, tOffset other) { return (tSize)(one < other ? one : other); }

/* Reads on from where the stream is, to the end of the file or to an offset. */
static void read_to(const struct reader *reader, tOffset end, int unbuffers) {
  static char buffer[STREAM];
  tOffset at = hdfsTell(reader->file->fs, reader->in);
  while (at < end) {
    tSize got = hdfsRead(reader->file->fs, reader->in, buffer, smaller(STREAM, end - at));
    MUST(got > 0);
    put(reader, buffer, got, at);
    at += got;
    MUST(hdfsTell(reader->file->fs, reader->in) == at);
    MUST(!unbuffers || hdfsUnbufferFile(reader->in) == 0);
  }
}

static void read_stream(const struct file *file, const char *way, int unbuffers) {
  struct reader reader = open_reader(file, way);
  read_to(&reader, file->length, unbuffers);
  char behind;
  MUST(hdfsRead(file->fs, reader.in, &behind, 1) == 0);
  close_reader(&reader);
}

static void read_second_half_first(const struct file *file) {
  struct reader reader = open_reader(file, "seek");
  tOffset half = file->length / 2;
  MUST(hdfsSeek(file->fs, reader.in, half) == 0);
  read_to(&reader, file->length, 0);
  MUST(hdfsSeek(file->fs, reader.in, 0) == 0);
  read_to(&reader, half, 0);
  close_reader(&reader);
}

/* A part of the file, for a thread of its own. */
struct part {
  const struct reader *reader;
  int fully;
  tOffset from, to;
};

static void pread_all(const struct part *part, char *buffer, tSize count, tOffset at) {
  hdfsFS fs = part->reader->file->fs;
  if (part->fully) {
    MUST(hdfsPreadFully(fs, part->reader->in, at, buffer, count) == 0);
    return;
  }
  for (tSize got = 0; got < count;) {
    tSize more = hdfsPread(fs, part->reader->in, at + got, buffer + got, count - got);
    MUST(more > 0);
    got += more;
  }
}

/* Backwards, so that no read is of what follows the one before it. */
static void *pread_part(void *argument) {
  const struct part *part = argument;
  char *buffer = malloc(PIECE);
  MUST(buffer != NULL);
  for (tOffset at = part->to; at > part->from;) {
    tSize count = smaller(PIECE, at - part->from);
    at -= count;
    pread_all(part, buffer, count, at);
    put(part->reader, buffer, count, at);
  }
  free(buffer);
  return NULL;
}

/* By several threads that share the stream, each of which libhdfs has join the JVM. */
static void read_by_position(const struct file *file, const char *way, int fully) {
  struct reader reader = open_reader(file, way);
  pthread_t threads[THREADS];
  struct part parts[THREADS];
  for (int i = 0; i < THREADS; i++) {
    parts[i] = (struct part){&reader, fully, file->length * i / THREADS, file->length * (i + 1) / THREADS};
    MUST(pthread_create(&threads[i], NULL, pread_part, &parts[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    MUST(pthread_join(threads[i], NULL) == 0);
  }
  close_reader(&reader);
}

static hdfsFS connect_default(void) {
  struct hdfsBuilder *builder = hdfsNewBuilder();
  MUST(builder != NULL);
  hdfsBuilderSetNameNode(builder, "default");
  hdfsFS fs = hdfsBuilderConnect(builder);
  MUST(fs != NULL);
  return fs;
}

static void end_jvm(void) {
  JavaVM *jvm;
  jsize count;
  MUST(JNI_GetCreatedJavaVMs(&jvm, 1, &count) == JNI_OK && count == 1);
  MUST((*jvm)->DestroyJavaVM(jvm) == JNI_OK);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: libhdfs_reader PATH FOLDER [end-jvm]\n");
    return 2;
  }
  struct file file = {.fs = connect_default(), .path = argv[1], .folder = argv[2]};
  hdfsFileInfo *info = hdfsGetPathInfo(file.fs, file.path);
  MUST(info != NULL);
  file.length = info->mSize;
  hdfsFreeFileInfo(info, 1);
  read_stream(&file, "read", 0);
  read_stream(&file, "unbuffer", 1);
  read_second_half_first(&file);
  read_by_position(&file, "pread", 0);
  if (hdfsPreadFully != NULL) {
    read_by_position(&file, "pread-fully", 1);
  }
  MUST(hdfsDisconnect(file.fs) == 0);
  if (argc > 3 && strcmp(argv[3], "end-jvm") == 0) {
    end_jvm();
  }
  return 0;
}
