// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an errno says of the next time. */
final class OpenFileTest {
  @ParameterizedTest
  @CsvSource({
    "95, true", // EOPNOTSUPP
    "38, true", // ENOSYS
    "22, true", // EINVAL
    "1, false", // EPERM
    "4, false", // EINTR
    "5, false", // EIO
    "12, false", // ENOMEM
    "27, false", // EFBIG
    "28, false", // ENOSPC
    "110, false", // ETIMEDOUT
    "121, false", // EREMOTEIO
    "122, false" // EDQUOT
  })
  void onlyWhatIsNotKnownHereIsNeverDone(int errno, boolean never) {
    assertThat(OpenFile.isNeverDone(errno)).isEqualTo(never);
  }

  /** Else one file that cachestat is refused of would have all others counted page by page. */
  @ParameterizedTest
  @CsvSource({
    "38, true", // ENOSYS
    "1, false", // EPERM
    "9, false", // EBADF
    "14, false", // EFAULT
    "22, false", // EINVAL
    "95, false" // EOPNOTSUPP
  })
  void onlyACallThatThereIsNotIsNotMadeAgain(int errno, boolean missing) {
    assertThat(OpenFile.isMissing(errno)).isEqualTo(missing);
  }
}
