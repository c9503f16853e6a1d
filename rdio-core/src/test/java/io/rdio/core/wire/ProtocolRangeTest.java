// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProtocolRangeTest {
  @ParameterizedTest
  @CsvSource({"1,1, 1,1, 1", "1,2, 1,1, 1", "1,2, 2,3, 2", "1,4, 2,3, 3", "2,2, 1,4, 2"})
  void theHighestCommonVersionIsUsed(int min, int max, int otherMin, int otherMax, int common) {
    ProtocolRange one = new ProtocolRange(min, max);
    ProtocolRange other = new ProtocolRange(otherMin, otherMax);
    assertThat(one.highestCommon(other)).hasValue(common);
    assertThat(other.highestCommon(one)).hasValue(common);
  }

  @Test
  void disjointRangesHaveNothingInCommon() {
    assertThat(new ProtocolRange(1, 2).highestCommon(new ProtocolRange(3, 4))).isEmpty();
    assertThat(new ProtocolRange(3, 4).highestCommon(new ProtocolRange(1, 2))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0,1", "2,1", "-1,1", "0,0"})
  void rangesThatAreNoneAreRefused(int min, int max) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ProtocolRange(min, max))
        .withMessageContaining(min + " to " + max);
  }

  @ParameterizedTest
  @CsvSource({"0,1, 1,1", "1,3, 1,3", "4,3, 3,3", "-5,2, 2,2", "0,-7, 1,1", "9,0, 1,1"})
  void whateverAPeerSaysIsARange(int saidMin, int saidMax, int min, int max) {
    HelloRequest request =
        HelloRequest.newBuilder()
            .setProtocolVersionMin(saidMin)
            .setProtocolVersion(saidMax)
            .build();
    assertThat(ProtocolRange.of(request)).isEqualTo(new ProtocolRange(min, max));
  }

  @Test
  void dataNodeOfVersionOneNamesOneVersionOnly() {
    assertThat(ProtocolRange.of(HelloReply.newBuilder().setProtocolVersion(1).build()))
        .isEqualTo(new ProtocolRange(1, 1));
  }
}
