// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.util.List;

/** For Jazzer: the bytes are a Reservation Report, in both of its forms. */
public final class ReservationReportTarget {
  private ReservationReportTarget() {}

  public static List<byte[]> seeds() {
    return List.of(ReservationReportFuzzTest.whole(true), ReservationReportFuzzTest.whole(false));
  }

  public static void fuzzerTestOneInput(byte[] data) {
    ReservationReportFuzzTest.check(data);
  }
}
