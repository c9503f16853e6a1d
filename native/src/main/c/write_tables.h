/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDIO_WRITE_TABLES_H
#define RDIO_WRITE_TABLES_H

/* Number of the interface between the Java classes and librdio-write; WriteLibrary has the same. */
#ifndef RDIO_WRITE_INTERFACE_VERSION
#define RDIO_WRITE_INTERFACE_VERSION 1
#endif

#endif
