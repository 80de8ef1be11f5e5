// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Two coefficients at a time in and out of poly_mem: pair p is coefficients 2 p (even) and 2 p + 1 (odd).
module poly_port
  import fabric_pkg::*;
#(
    /// 1, 2 or 4.
    parameter int unsigned Butterflies = 4,
    /// A power of two from 2 to 256.
    parameter int unsigned Slots = 64,
    /// Derived.
    localparam int unsigned Banks = 2 * Butterflies,
    localparam int unsigned AddrW = $clog2(Slots * N / Banks),
    localparam int unsigned SlotW = $clog2(Slots)
) (
    input  logic                            clk_i,
    /// Nothing is written in the cycle after.
    input  logic                            clear_i,
    /// Writes, in the cycle after, the odd and the even coefficient.
    input  logic     [      1:0]            write_i,
    input  logic     [SlotW-1:0]            write_slot_i,
    input  logic     [      6:0]            write_pair_i,
    input  residue_t                        even_i,
    input  residue_t                        odd_i,
    /// Reads a slot from pair 0 on. The slot is there from the cycle before on.
    input  logic                            read_i,
    input  logic     [SlotW-1:0]            read_slot_i,
    /// A pair is on even_o and odd_o: in the cycle after read_i rises and from then on.
    output logic                            valid_o,
    /// It is the next pair in the cycle after, if it is there now.
    input  logic                            next_i,
    output residue_t                        even_o,
    output residue_t                        odd_o,
    /// To poly_mem. The write side is zero when nothing is written.
    output logic     [      1:0][AddrW-1:0] raddr_o,
    input  residue_t [Banks-1:0]            rdata_i,
    output logic     [Banks-1:0]            we_o,
    output logic     [      1:0][AddrW-1:0] waddr_o,
    output residue_t [Banks-1:0]            wdata_o
);

  localparam int unsigned LaneBits = $clog2(Butterflies);

  // A register between the memory and what selects: pair_q leaves the memory while the one before it is on the ports.
  logic [6:0] pair_q, following_q, pair_d;
  logic move_on;
  assign move_on = next_i || !valid_o;
  assign pair_d  = !read_i ? '0 : move_on ? following_q : pair_q;
  assign raddr_o = {2{read_slot_i, pair_d[6:LaneBits]}};
  always_ff @(posedge clk_i) begin
    valid_o <= read_i;
    pair_q  <= pair_d;
    if (!read_i) following_q <= 7'd1;
    else if (move_on) following_q <= following_q + 7'd1;
    if (move_on) begin
      for (int unsigned bank = 0; bank < Banks; bank++) begin
        if (bank_of(Butterflies, {pair_q, 1'b0}) == bank) even_o <= rdata_i[bank];
        if (bank_of(Butterflies, {pair_q, 1'b1}) == bank) odd_o <= rdata_i[bank];
      end
    end
  end

  logic [1:0] write;
  assign write = clear_i ? '0 : write_i;
  always_ff @(posedge clk_i) begin
    we_o <= '0;
    waddr_o <= '0;
    wdata_o <= '0;
    if (write != '0) waddr_o <= {2{write_slot_i, write_pair_i[6:LaneBits]}};
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      if (write[0] && bank_of(Butterflies, {write_pair_i, 1'b0}) == bank) begin
        we_o[bank] <= 1'b1;
        wdata_o[bank] <= even_i;
      end
      if (write[1] && bank_of(Butterflies, {write_pair_i, 1'b1}) == bank) begin
        we_o[bank] <= 1'b1;
        wdata_o[bank] <= odd_i;
      end
    end
  end

endmodule
