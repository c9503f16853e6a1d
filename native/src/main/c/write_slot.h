/* SPDX-License-Identifier: Apache-2.0 */
/* Writes to a slot under its lease. Every function answers a value >= 0, or -errno. */
#ifndef RDIO_WRITE_SLOT_H
#define RDIO_WRITE_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes a range of a slot, and comes back when the device has answered all that was submitted: 0 if
 * all of it is written. Ranges are as for rdio_slot_use; with is_last the last unit is filled with
 * zeros. from: at a multiple of the device's block. Each piece has a look at the lease of its own.
 *
 * -EPERM before the stamps were read; -EINVAL and -ERANGE for a range, of which nothing is written;
 * -ETIME and -ECANCELED from the look, -EIO for a short write, or the device's own error: then some
 * of it may be written, and the lease counts as failed. Where pieces failed differently, an error
 * of the device goes before its refusal for a reservation (-EBADE), and that before the look's.
 */
int rdio_slot_write(int64_t lease, int64_t offset, const void *from, int64_t length, bool is_last);

/*
 * Reads the first unit of each extent, one behind the other, by the descriptor that will write
 * (W12). The number of extents; -EINVAL if they are more than fit in so many bytes.
 */
int rdio_slot_read_stamps(int64_t lease, void *to, int64_t capacity);

#endif
