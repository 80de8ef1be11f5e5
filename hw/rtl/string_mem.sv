// SPDX-License-Identifier: Apache-2.0 OR MIT

/// The string memory: seeds, addresses, hash values, as words of 8 bytes, first byte low. Latency of a read 1; a
/// read in the cycle of a write to the same word gives anything.
module string_mem
  import fabric_pkg::*;
(
    input  logic                    clk_i,
    input  logic  [StringsLog2-1:0] raddr_i,
    output word_t                   rdata_o,
    input  logic                    we_i,
    input  logic  [StringsLog2-1:0] waddr_i,
    input  word_t                   wdata_i
);

  (* no_rw_check *) word_t words[1 << StringsLog2];
  always_ff @(posedge clk_i) begin
    rdata_o <= words[raddr_i];
`ifndef SYNTHESIS
    // Shows if somebody uses what may be anything.
    if (we_i && waddr_i == raddr_i) rdata_o <= ~words[raddr_i];
`endif
    if (we_i) words[waddr_i] <= wdata_i;
  end

endmodule
