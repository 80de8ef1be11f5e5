// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Transforms and pointwise arithmetic on slots of poly_mem.
///
/// | operation | effect                              | cycles, those of start_i and done_o counted |
/// |-----------|-------------------------------------|-------------------------------|
/// | PolyNtt   | dst = NTT(a), FIPS 204 algorithm 41 | 1024 / B + 17                 |
/// | PolyIntt  | dst = NTT^-1(a), algorithm 42       | 1024 / B + 17                 |
/// | PolyMul   | dst = a * b, coefficient by coefficient | 256 / B + 16              |
/// | PolyMac   | dst = dst + a * b                   | 384 / B + 16                  |
/// | PolyAdd   | dst = a + b                         | 256 / B + 17                  |
/// | PolySub   | dst = a - b                         | 256 / B + 17                  |
///
/// with B butterflies. Coefficients are in the order of FIPS 204, without a Montgomery factor, in 0..q. The cycles do
/// not depend on values. Operands may be the same slot.
///
/// A transform never drains its pipeline between layers: a coefficient is read again 64 / B cycles or more after it
/// was read before, which is at least the 16 cycles that a result takes to be in memory.
module poly_unit
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
    /// Abandons the operation. Slots then hold anything.
    input  logic                            clear_i,
    /// Begins; not while busy_o.
    input  logic                            start_i,
    /// The rest is read with start_i and need not stay.
    input  poly_op_e                        op_i,
    input  logic     [SlotW-1:0]            dst_i,
    input  logic     [SlotW-1:0]            a_i,
    input  logic     [SlotW-1:0]            b_i,
    output logic                            busy_o,
    /// One cycle, when the last result has been written.
    output logic                            done_o,
    /// To poly_mem.
    output logic     [      1:0][AddrW-1:0] raddr_o,
    input  residue_t [Banks-1:0]            rdata_i,
    /// Zero whenever nothing is written.
    output logic     [Banks-1:0]            we_o,
    output logic     [      1:0][AddrW-1:0] waddr_o,
    output residue_t [Banks-1:0]            wdata_o
);

  localparam int unsigned LaneBits = $clog2(Butterflies);
  /// Bits of a word's number in a slot.
  localparam int unsigned WordW = 7 - LaneBits;

  typedef logic [WordW-1:0] group_t;

  /// The words of a group: those of its lower and upper operands, and the half that has the lower ones.
  typedef struct packed {
    group_t lower;
    group_t upper;
    logic   half;
  } place_t;

  /// Where the coefficients of step k are, when they differ in bit `level` of their index.
  function automatic place_t place(input group_t k, input logic [2:0] level);
    logic [WordW:0] block, mask;
    logic [2:0] position;
    place_t result;
    position = (level > 3'(LaneBits)) ? level - 3'(LaneBits) : 3'd0;
    mask = ((WordW + 1)'(1) << position) - 1'b1;
    block = ({1'b0, k} & mask) | (({1'b0, k} & ~mask) << 1);
    result.lower = block[WordW:1];
    block = block | ((WordW + 1)'(1) << position);
    result.upper = block[WordW:1];
    result.half = ^k;
    return result;
  endfunction

  /// `lane` with a bit inserted at position `level`.
  function automatic int unsigned insert(input int unsigned lane, input int unsigned level, input int unsigned value);
    return ((lane >> level) << (level + 1)) | (value << level) | (lane & ((1 << level) - 1));
  endfunction

  // Issue.

  poly_op_e op_q;
  logic [SlotW-1:0] dst_q, a_q, b_q;
  logic issue_q;
  logic [2:0] layer_q;
  group_t k_q;
  logic [1:0] phase_q, last_phase;
  logic transform, inverse, k_end, issue_end;

  assign transform = (op_q == PolyNtt) || (op_q == PolyIntt);
  assign inverse = op_q == PolyIntt;
  assign last_phase = transform ? 2'd0 : (op_q == PolyMac) ? 2'd2 : 2'd1;
  assign k_end = (&k_q) && (phase_q == last_phase);
  assign issue_end = k_end && (!transform || (&layer_q));

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      issue_q <= 1'b0;
      busy_o  <= 1'b0;
    end else if (start_i) begin
      issue_q <= 1'b1;
      busy_o  <= 1'b1;
    end else begin
      if (issue_end) issue_q <= 1'b0;
      if (done_o) busy_o <= 1'b0;
    end
    if (start_i) begin
      op_q <= op_i;
      dst_q <= dst_i;
      a_q <= a_i;
      b_q <= b_i;
      layer_q <= '0;
      k_q <= '0;
      phase_q <= '0;
    end else if (issue_q) begin
      phase_q <= (phase_q == last_phase) ? '0 : phase_q + 2'd1;
      if (phase_q == last_phase) k_q <= k_q + 1'b1;
      if (k_end) layer_q <= layer_q + 3'd1;
    end
  end

  logic [2:0] level;
  logic [SlotW-1:0] source;
  place_t from;
  // Pointwise groups are laid out as the pairs of the level LaneBits.
  assign level = !transform ? 3'(LaneBits) : inverse ? layer_q : 3'd7 - layer_q;
  assign from  = place(k_q, level);
  always_comb begin
    unique case (op_q)
      PolyNtt, PolyIntt: source = (layer_q == '0) ? a_q : dst_q;
      PolyMac: source = (phase_q == 2'd0) ? dst_q : (phase_q == 2'd1) ? a_q : b_q;
      default: source = (phase_q == 2'd0) ? a_q : b_q;
    endcase
  end

  // What travels with the data. Element s is s cycles after the address.
  localparam int unsigned ReadStages = 6;
  logic [ReadStages-1:0] valid, ending;
  logic [4:0] due;
  group_t k_s[ReadStages];
  logic [2:0] level_s[ReadStages];
  always_ff @(posedge clk_i) begin
    raddr_o[from.half] <= {source, from.lower};
    raddr_o[!from.half] <= {source, from.upper};
    valid <= clear_i ? '0 : {valid[ReadStages-2:0], issue_q};
    due <= {due[3:0], phase_q == last_phase};
    ending <= {ending[ReadStages-2:0], issue_end};
    k_s[0] <= k_q;
    level_s[0] <= level;
    for (int unsigned s = 1; s < ReadStages; s++) begin
      k_s[s] <= k_s[s-1];
      level_s[s] <= level_s[s-1];
    end
  end

  // Bank to lane: cycle 2 to cycle 3.
  residue_t [Banks-1:0] rdata_2;
  residue_t [Banks-1:0] ordered;
  residue_t [Butterflies-1:0] a_3, b_3;
  always_comb begin
    for (int unsigned i = 0; i < Banks; i++) begin
      ordered[i] = (^k_s[2]) ? rdata_2[i^Butterflies] : rdata_2[i];
    end
  end
  always_ff @(posedge clk_i) begin
    rdata_2 <= rdata_i;
    for (int unsigned lane = 0; lane < Butterflies; lane++) begin
      a_3[lane] <= ordered[lane];
      b_3[lane] <= ordered[lane+Butterflies];
      for (int small_level = 0; small_level < int'(LaneBits); small_level++) begin
        if (level_s[2] == 3'(small_level)) begin
          a_3[lane] <= ordered[insert(lane, small_level, 0)];
          b_3[lane] <= ordered[insert(lane, small_level, 1)];
        end
      end
    end
  end

  // The lanes. Operands meet in cycle `x`: 5 after the address of a pair; 3 after that of the last operand of a
  // product, 4 after that of a sum.
  logic lower_x, upper_x, valid_x, ending_x;
  group_t k_x;
  logic [2:0] level_x;
  group_t k_upper;
  logic upper_q, upper_ending_q;
  always_comb begin
    lower_x = 1'b0;
    k_x = k_s[5];
    level_x = level_s[5];
    valid_x = valid[5];
    ending_x = ending[5];
    upper_x = 1'b0;
    if (!transform) begin
      lower_x = (op_q == PolyMul || op_q == PolyMac) ? valid[3] && due[3] : valid[4] && due[4];
      upper_x = upper_q;
      valid_x = lower_x || upper_x;
      k_x = upper_q ? k_upper : (op_q == PolyMul || op_q == PolyMac) ? k_s[3] : k_s[4];
      level_x = 3'(LaneBits);
      ending_x = upper_ending_q;
    end
  end
  always_ff @(posedge clk_i) begin
    upper_q <= lower_x && !clear_i;
    upper_ending_q <= (op_q == PolyMul || op_q == PolyMac) ? ending[3] : ending[4];
    k_upper <= k_x;
  end

  residue_t [Butterflies-1:0] sum, difference;
  for (genvar lane = 0; lane < Butterflies; lane++) begin : g_lane
    logic [8:0] index_3;
    logic [6:0] pair_3;
    residue_t twiddle_5;
    if (LaneBits == 0) begin : g_single
      assign pair_3 = k_s[3];
    end else begin : g_many
      assign pair_3 = {k_s[3], LaneBits'(lane)};
    end
    always_comb begin
      index_3 = {inverse, 8'({1'b1, pair_3 ^ {7{inverse}}} >> level_s[3])};
      if (!transform) index_3 = {op_q == PolySub, 8'd0};
    end
    zeta_rom u_zeta_rom (
        .clk_i,
        .index_i(index_3),
        .zeta_o (twiddle_5)
    );
    butterfly u_butterfly (
        .clk_i,
        .a_i(a_3[lane]),
        .b_i(b_3[lane]),
        .inverse_i(inverse),
        .pointwise_i(!transform),
        .lower_i(lower_x),
        .constant_i(op_q != PolyMul && op_q != PolyMac),
        .product_only_i(op_q == PolyMul),
        .twiddle_i(twiddle_5),
        .sum_o(sum[lane]),
        .difference_o(difference[lane])
    );
  end

  // Results leave the lanes 9 cycles after `x`.
  localparam int unsigned LaneStages = 9;
  logic [LaneStages-1:0] valid_l, ending_l, upper_l;
  group_t k_l[LaneStages];
  logic [2:0] level_l[LaneStages];
  always_ff @(posedge clk_i) begin
    valid_l <= clear_i ? '0 : {valid_l[LaneStages-2:0], valid_x};
    ending_l <= {ending_l[LaneStages-2:0], ending_x};
    upper_l <= {upper_l[LaneStages-2:0], upper_x};
    k_l[0] <= k_x;
    level_l[0] <= level_x;
    for (int unsigned s = 1; s < LaneStages; s++) begin
      k_l[s] <= k_l[s-1];
      level_l[s] <= level_l[s-1];
    end
  end

  // Lane to bank.
  residue_t [Banks-1:0] results;
  place_t to;
  logic write;
  assign to = place(k_l[LaneStages-1], level_l[LaneStages-1]);
  assign write = valid_l[LaneStages-1] && !clear_i;
  always_comb begin
    for (int unsigned lane = 0; lane < Butterflies; lane++) begin
      results[lane] = sum[lane];
      results[lane+Butterflies] = transform ? difference[lane] : sum[lane];
    end
    for (int small_level = 0; small_level < int'(LaneBits); small_level++) begin
      if (level_l[LaneStages-1] == 3'(small_level)) begin
        for (int unsigned lane = 0; lane < Butterflies; lane++) begin
          results[insert(lane, small_level, 0)] = sum[lane];
          results[insert(lane, small_level, 1)] = difference[lane];
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    waddr_o[to.half] <= write ? {dst_q, to.lower} : '0;
    waddr_o[!to.half] <= write ? {dst_q, to.upper} : '0;
    done_o <= write && ending_l[LaneStages-1];
    for (int unsigned i = 0; i < Banks; i++) begin
      wdata_o[i] <= !write ? '0 : to.half ? results[i^Butterflies] : results[i];
      we_o[i] <= write && (transform || (((i >= Butterflies) ^ to.half) == upper_l[LaneStages-1]));
    end
  end

`ifndef SYNTHESIS
  // Constant time: the cycles of the table above, whatever the coefficients are.
  logic [10:0] age_q, due_age;
  always_comb begin
    unique case (op_q)
      PolyMul: due_age = 11'(256 / Butterflies + 15);
      PolyMac: due_age = 11'(384 / Butterflies + 15);
      PolyAdd, PolySub: due_age = 11'(256 / Butterflies + 16);
      default: due_age = 11'(1024 / Butterflies + 16);
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (start_i) age_q <= 11'd1;
    else if (busy_o) age_q <= age_q + 11'd1;
    if (done_o) assert (age_q == due_age);
  end
`endif

endmodule
