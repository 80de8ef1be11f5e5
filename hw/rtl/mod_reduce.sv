// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Reduces modulo q = 2^23 - 2^13 + 1.
///
/// One product a cycle, latency 4, no stall, no multiplier. Time does not depend on the value.
///
/// 2^23 = 2^13 - 1 (mod q), used three times, turns the upper half h of the product into additions:
/// h 2^23 = 2^13 (h[9:0] + h[19:10] + h[22:20]) - (h + h[22:10] + h[22:20]).
module mod_reduce
  import fabric_pkg::*;
(
    input  logic            clk_i,
    /// Any 46 bits.
    input  logic     [45:0] product_i,
    /// product_i mod q, less than q, four cycles after its product.
    output residue_t        residue_o
);

  logic [22:0] high;
  assign high = product_i[45:23];

  // Cycle 1. positive <= 1023 + 1023 + 7; negative <= 2^23 - 1 + 2^13 - 1 + 7.
  logic [11:0] positive_q;
  logic [23:0] negative_q;
  logic [22:0] low_q;
  always_ff @(posedge clk_i) begin
    positive_q <= 12'(high[9:0]) + 12'(high[19:10]) + 12'(high[22:20]);
    negative_q <= 24'(high) + 24'(high[22:10]) + 24'(high[22:20]);
    low_q <= product_i[22:0];
  end

  // Cycle 2. 2 q keeps the sum from being negative: it is in (0, 5 * 2^23).
  logic [25:0] sum_q;
  always_ff @(posedge clk_i) begin
    sum_q <= {1'b0, positive_q, 13'b0} + {3'b0, low_q} + (26'(Q) << 1) - {2'b0, negative_q};
  end

  // Cycle 3. The three bits above 2^23 fold once more; at most 2^23 - 1 + 5 (2^13 - 1), less than 2 q.
  logic [23:0] fold_q;
  always_ff @(posedge clk_i) begin
    fold_q <= {1'b0, sum_q[22:0]} + {8'b0, sum_q[25:23], 13'b0} - {21'b0, sum_q[25:23]};
  end

  // Cycle 4.
  logic [23:0] less_q;
  assign less_q = fold_q - 24'(Q);
  always_ff @(posedge clk_i) residue_o <= less_q[23] ? fold_q[22:0] : less_q[22:0];

endmodule
