/* SPDX-License-Identifier: Apache-2.0 */
#include "ktracer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf_ring.h"
#include "ktracer.skel.h"

struct rdio_ktracer {
  struct ktracer_bpf *bpf;
  struct rdio_bpf_ring *ring;
  enum rdio_ktracer_probe probe;
  bool can_flush;
  int cpus;
};

/* Whether the kernel's tracepoint is told a structure of this name; false without BTF. */
static bool tracepoint_takes(const struct btf *btf, const char *name) {
  int id = btf__find_by_name_kind(btf, "btf_trace_mm_filemap_delete_from_page_cache",
                                  BTF_KIND_TYPEDEF);
  const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);
  type = type == NULL ? NULL : btf__type_by_id(btf, type->type); /* a pointer to */
  type = type == NULL ? NULL : btf__type_by_id(btf, type->type); /* this function */
  if (type == NULL || !btf_is_func_proto(type) || btf_vlen(type) < 2) {
    return false;
  }
  /* Behind the pointer to what was registered with the function. */
  type = btf__type_by_id(btf, btf_params(type)[1].type);
  type = type == NULL ? NULL : btf__type_by_id(btf, type->type);
  return type != NULL && strcmp(btf__name_by_offset(btf, type->name_off), name) == 0;
}

/* Only what the kernel has and the caller wants: a program that cannot be loaded fails them all. */
static void choose_programs(struct ktracer_bpf *bpf, bool tp_btf, bool noreuse) {
  struct btf *btf = btf__load_vmlinux_btf();
  bool folio = tracepoint_takes(btf, "folio");
  bpf_program__set_autoload(bpf->progs.evicted_folio, tp_btf && folio);
  bpf_program__set_autoload(bpf->progs.evicted_page, tp_btf && !folio);
  bpf_program__set_autoload(bpf->progs.evicted_classic, !tp_btf);
  bpf_program__set_autoload(bpf->progs.fadvise, noreuse);
  btf__free(btf);
}

/* One that may be missing: NULL then, with nothing said of it. */
static struct bpf_link *attach(struct bpf_program *program) {
  if (bpf_program__fd(program) < 0) {
    return NULL;
  }
  struct bpf_link *link = bpf_program__attach(program);
  return libbpf_get_error(link) == 0 ? link : NULL;
}

/* What watches extents first: nothing may be mapped before it is watched. */
static int attach_all(struct rdio_ktracer *tracer, bool tp_btf) {
  struct ktracer_bpf *bpf = tracer->bpf;
  bpf->links.ext4_forgets_extents = attach(bpf->progs.ext4_forgets_extents);
  bpf->links.ext4_frees_blocks = attach(bpf->progs.ext4_frees_blocks);
  bpf->links.xfs_removes_extent = attach(bpf->progs.xfs_removes_extent);
  bpf->links.xfs_updates_extent = attach(bpf->progs.xfs_updates_extent);
  bpf->links.xfs_swaps_extents = attach(bpf->progs.xfs_swaps_extents);
  bpf->links.fadvise = attach(bpf->progs.fadvise);
  errno = 0;
  if (tp_btf) {
    bpf->links.evicted_folio = attach(bpf->progs.evicted_folio);
    bpf->links.evicted_page = attach(bpf->progs.evicted_page);
    return bpf->links.evicted_folio || bpf->links.evicted_page ? 0 : -errno;
  }
  bpf->links.evicted_classic = attach(bpf->progs.evicted_classic);
  return bpf->links.evicted_classic ? 0 : -errno;
}

static int open_with(struct rdio_ktracer *tracer, bool tp_btf, bool noreuse) {
  tracer->bpf = ktracer_bpf__open();
  if (tracer->bpf == NULL) {
    return -errno;
  }
  tracer->probe = tp_btf ? RDIO_TP_BTF : RDIO_CLASSIC;
  choose_programs(tracer->bpf, tp_btf, noreuse);
  tracer->bpf->rodata->page_shift = (unsigned)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
  int error = ktracer_bpf__load(tracer->bpf);
  if (error == 0) {
    error = attach_all(tracer, tp_btf);
  }
  if (error == 0) {
    error = rdio_bpf_ring_open(bpf_map__fd(tracer->bpf->maps.evicted),
                               sizeof(struct rdio_evicted_run), RDIO_BATCH_RUNS, &tracer->ring);
  }
  if (error != 0) {
    ktracer_bpf__destroy(tracer->bpf);
    tracer->bpf = NULL;
  }
  return error;
}

int rdio_ktracer_open(enum rdio_ktracer_probe probe, bool noreuse, struct rdio_ktracer **out) {
  struct rdio_ktracer *tracer = calloc(1, sizeof *tracer);
  if (tracer == NULL) {
    return -ENOMEM;
  }
  int cpus = libbpf_num_possible_cpus();
  tracer->cpus = cpus < 1 || cpus > RDIO_CPUS ? RDIO_CPUS : cpus;
  tracer->can_flush = true;
  int error = -EINVAL;
  if (probe != RDIO_CLASSIC) {
    error = open_with(tracer, true, noreuse);
  }
  if (probe == RDIO_CLASSIC || (probe == RDIO_BEST && error != 0)) {
    error = open_with(tracer, false, noreuse);
  }
  if (error != 0) {
    free(tracer);
    return error;
  }
  *out = tracer;
  return 0;
}

enum rdio_ktracer_probe rdio_ktracer_probe(const struct rdio_ktracer *tracer) {
  return tracer->probe;
}

bool rdio_ktracer_watches(const struct rdio_ktracer *tracer, const char *fs_type) {
  const struct ktracer_bpf *bpf = tracer->bpf;
  if (strcmp(fs_type, "ext4") == 0) {
    return bpf->links.ext4_forgets_extents && bpf->links.ext4_frees_blocks;
  }
  return strcmp(fs_type, "xfs") == 0 && bpf->links.xfs_removes_extent &&
         bpf->links.xfs_updates_extent;
}

bool rdio_ktracer_knows_noreuse(const struct rdio_ktracer *tracer) {
  return tracer->bpf->links.fadvise != NULL;
}

void rdio_ktracer_trace(struct rdio_ktracer *tracer, int slot, uint32_t device,
                        enum rdio_traced_kind kind) {
  struct rdio_traced *traced = &tracer->bpf->bss->traced[slot];
  /* Never the new device with the old kind. */
  __atomic_store_n(&traced->kind, RDIO_NOTHING, __ATOMIC_SEQ_CST);
  __atomic_store_n(&traced->device, device, __ATOMIC_SEQ_CST);
  __atomic_store_n(&traced->kind, kind, __ATOMIC_SEQ_CST);
}

/* Not before 5.10: there runs are held until there is a batch of them. */
static void flush_held_runs(void *context) {
  struct rdio_ktracer *tracer = context;
  int program = bpf_program__fd(tracer->bpf->progs.flush_held_runs);
  for (int cpu = 0; tracer->can_flush && cpu < tracer->cpus; cpu++) {
    if (__atomic_load_n(&tracer->bpf->bss->cpus[cpu].held_runs, __ATOMIC_RELAXED) == 0) {
      continue;
    }
    LIBBPF_OPTS(bpf_test_run_opts, options, .cpu = (__u32)cpu, .flags = BPF_F_TEST_RUN_ON_CPU);
    int error = bpf_prog_test_run_opts(program, &options);
    /* -ENXIO: the CPU is offline, and its run waits for it. */
    tracer->can_flush = error == 0 || error == -ENXIO || error == -EINTR;
  }
}

int rdio_ktracer_poll(struct rdio_ktracer *tracer, int timeout_millis,
                      struct rdio_evicted_run *runs, int max) {
  return rdio_bpf_ring_poll(tracer->ring, timeout_millis, runs, max, flush_held_runs, tracer);
}

struct rdio_ktracer_counts rdio_ktracer_counts(const struct rdio_ktracer *tracer) {
  struct rdio_ktracer_counts sum = {0};
  for (int cpu = 0; cpu < tracer->cpus; cpu++) {
    const volatile struct rdio_cpu *counted = &tracer->bpf->bss->cpus[cpu];
    sum.pages += counted->pages;
    sum.runs += counted->runs;
    sum.lost_pages += counted->lost_pages;
    sum.lost_runs += counted->lost_runs;
    sum.noreuse_pages += counted->noreuse_pages;
  }
  return sum;
}

const uint32_t *rdio_ktracer_epochs(const struct rdio_ktracer *tracer) {
  return tracer->bpf->bss->epochs;
}

void rdio_ktracer_close(struct rdio_ktracer *tracer) {
  rdio_bpf_ring_close(tracer->ring);
  ktracer_bpf__destroy(tracer->bpf);
  free(tracer);
}
