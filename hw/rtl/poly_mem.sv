// SPDX-License-Identifier: Apache-2.0 OR MIT

/// The polynomial slots: 2 * Butterflies banks, each read and written once a cycle.
///
/// Coefficient i of a slot is in bank {parity of i[7:log2 B], i[log2 B - 1:0]} at word i[7:log2 B + 1]. So a
/// butterfly's two coefficients, which differ in one bit of their index, are never in the same bank, whatever
/// the layer; the upper bit of the bank is called its half. Latency of a read 1; a read in the cycle of a write to
/// the same word gives anything.
module poly_mem
  import fabric_pkg::*;
#(
    /// 1, 2 or 4.
    parameter int unsigned Butterflies = 4,
    /// A power of two from 2 to 256.
    parameter int unsigned Slots = 64,
    /// Derived.
    localparam int unsigned Banks = 2 * Butterflies,
    localparam int unsigned Depth = Slots * N / Banks,
    localparam int unsigned AddrW = $clog2(Depth)
) (
    input  logic                            clk_i,
    /// One address a half.
    input  logic     [      1:0][AddrW-1:0] raddr_i,
    output residue_t [Banks-1:0]            rdata_o,
    input  logic     [Banks-1:0]            we_i,
    input  logic     [      1:0][AddrW-1:0] waddr_i,
    input  residue_t [Banks-1:0]            wdata_i
);

  for (genvar bank = 0; bank < Banks; bank++) begin : g_bank
    localparam int unsigned Half = bank / Butterflies;
    (* no_rw_check *) residue_t words[Depth];
    always_ff @(posedge clk_i) begin
      rdata_o[bank] <= words[raddr_i[Half]];
`ifndef SYNTHESIS
      // Shows if somebody uses what may be anything.
      if (we_i[bank] && waddr_i[Half] == raddr_i[Half]) rdata_o[bank] <= ~words[raddr_i[Half]];
`endif
      if (we_i[bank]) words[waddr_i[Half]] <= wdata_i[bank];
    end
  end

endmodule
