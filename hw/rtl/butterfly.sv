// SPDX-License-Identifier: Apache-2.0 OR MIT

/// One arithmetic lane of the polynomial unit: summand + multiplicand * multiplier, or a Gentleman-Sande butterfly.
///
/// One pair of operands a cycle, latency 11 from a_i and b_i, no stall. Time does not depend on values. All values
/// are residues less than q.
///
/// Transforms take a pair (a, b) at once. Pointwise operations send one group of coefficients an operand, one
/// operand a cycle, its lower half on a_i and its upper half on b_i; the controls then say which half is due.
module butterfly
  import fabric_pkg::*;
(
    input  logic     clk_i,
    input  residue_t a_i,
    input  residue_t b_i,
    /// 0: sum_o = summand + product, difference_o = summand - product (FIPS 204, algorithm 41, lines 9 to 11).
    /// 1: sum_o = (a + b) / 2, difference_o = (a - b) * twiddle_i (algorithm 42, lines 10 to 13, with the factor
    /// 1/256 of line 18 spread over the eight layers). Constant while operands are under way.
    input  logic     inverse_i,
    /// Pointwise. Constant while operands are under way.
    input  logic     pointwise_i,
    /// Pointwise, two cycles after the operand before the last, one after the last: the lower half is due.
    /// (With constant_i a cycle later.) The upper half is due in the cycle after.
    input  logic     lower_i,
    /// The multiplier is twiddle_i, not the last operand. Constant while operands are under way.
    input  logic     constant_i,
    /// The summand is zero. Constant while operands are under way.
    input  logic     product_only_i,
    /// Two cycles after its a_i and b_i.
    input  residue_t twiddle_i,
    output residue_t sum_o,
    output residue_t difference_o
);

  // Names end in the number of cycles since a_i and b_i.
  residue_t a_1, a_2, b_1, b_2, b_3;
  logic [23:0] sum_1, difference_1;
  residue_t sum_2, difference_2;
  logic [23:0] sum_less_q;
  assign sum_less_q = sum_1 - 24'(Q);
  always_ff @(posedge clk_i) begin
    a_1 <= a_i;
    a_2 <= a_1;
    b_1 <= b_i;
    b_2 <= b_1;
    b_3 <= b_2;
    sum_1 <= 24'(a_i) + 24'(b_i);
    difference_1 <= 24'(a_i) - 24'(b_i);
    sum_2 <= sum_less_q[23] ? sum_1[22:0] : sum_less_q[22:0];
    difference_2 <= difference_1[22:0] + (difference_1[23] ? Q : '0);
  end

  // Operands of the multiplication and the summand that waits for it.
  residue_t multiplicand_3, multiplier_3, summand_3;
  always_ff @(posedge clk_i) begin
    if (inverse_i) multiplicand_3 <= difference_2;
    else if (lower_i) multiplicand_3 <= a_1;
    else multiplicand_3 <= b_2;

    if (constant_i) multiplier_3 <= twiddle_i;
    else if (lower_i) multiplier_3 <= a_i;
    else multiplier_3 <= b_1;

    if (product_only_i) summand_3 <= '0;
    else if (inverse_i) summand_3 <= halve(sum_2);
    else if (pointwise_i && !lower_i) summand_3 <= b_3;
    else summand_3 <= a_2;
  end

  // Two multipliers of 17 and 6 bits fit one DSP48E1 each.
  logic [39:0] product_low_4;
  logic [28:0] product_high_4;
  logic [45:0] product_5;
  always_ff @(posedge clk_i) begin
    product_low_4 <= multiplicand_3 * multiplier_3[16:0];
    product_high_4 <= multiplicand_3 * multiplier_3[22:17];
    product_5 <= 46'(product_low_4) + {product_high_4, 17'b0};
  end

  residue_t product_9;
  mod_reduce u_mod_reduce (
      .clk_i,
      .product_i(product_5),
      .residue_o(product_9)
  );

  residue_t summand_4, summand_5, summand_6, summand_7, summand_8, summand_9;
  always_ff @(posedge clk_i) begin
    summand_4 <= summand_3;
    summand_5 <= summand_4;
    summand_6 <= summand_5;
    summand_7 <= summand_6;
    summand_8 <= summand_7;
    summand_9 <= summand_8;
  end

  logic [23:0] sum_10, difference_10;
  logic [23:0] sum_10_less_q;
  assign sum_10_less_q = sum_10 - 24'(Q);
  always_ff @(posedge clk_i) begin
    sum_10 <= {1'b0, summand_9} + (inverse_i ? '0 : 24'(product_9));
    difference_10 <= inverse_i ? 24'(product_9) : 24'(summand_9) - 24'(product_9);
    sum_o <= sum_10_less_q[23] ? sum_10[22:0] : sum_10_less_q[22:0];
    difference_o <= difference_10[22:0] + (difference_10[23] ? Q : '0);
  end

endmodule
