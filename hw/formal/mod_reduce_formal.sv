// SPDX-License-Identifier: Apache-2.0 OR MIT

/// mod_reduce is right for every 46-bit product: three lemmas that a solver can do, and a line of arithmetic.
///
/// With product = 2^23 h + l, s = h[9:0] + h[19:10] + h[22:20] and t = h + h[22:10] + h[22:20]:
///
///   fold     1024 h = 1023 t + s, for every h; times 2^13, and since q = 1023 * 2^13 + 1, this is
///            2^23 h = q t - t + 2^13 s, so product = q t + (l + 2^13 s - t).
///   add      The register sum_q is l + 2^13 s - t + 2 q, without overflow; so product = sum_q (mod q).
///   correct  The residue is less than q, and sum_q = q n + residue with n one of 0 to 8, for every value of sum_q.
module mod_reduce_formal
  import fabric_pkg::*;
(
    input logic        clk_i,
    input logic [45:0] product_i,
    input logic [22:0] any_high_i
);

  residue_t residue;
  mod_reduce dut (
      .clk_i,
      .product_i,
      .residue_o(residue)
  );

  function automatic logic [24:0] s_of(input logic [22:0] h);
    return 25'(h[9:0]) + 25'(h[19:10]) + 25'(h[22:20]);
  endfunction
  function automatic logic [24:0] t_of(input logic [22:0] h);
    return 25'(h) + 25'(h[22:10]) + 25'(h[22:20]);
  endfunction

  // Products one and two cycles old, sums one and two cycles old.
  logic [45:0] product_1, product_2;
  logic [25:0] sum_1, sum_2;
  logic [2:0] age_q = '0;
  always_ff @(posedge clk_i) begin
    product_1 <= product_i;
    product_2 <= product_1;
    sum_1 <= dut.sum_q;
    sum_2 <= sum_1;
    if (age_q != 3'd4) age_q <= age_q + 3'd1;
  end

  logic [39:0] t_wide, sum_wide, times_q;
  logic [31:0] exact;
  logic multiple;
  assign t_wide = 40'(t_of(any_high_i));
  assign sum_wide = 40'(sum_2) - 40'(residue);
  assign exact = 32'(product_2[22:0]) + (32'(s_of(
      product_2[45:23]
  )) << 13) + 32'd16760834 - 32'(t_of(
      product_2[45:23]
  ));
  always_comb begin
    multiple = 1'b0;
    times_q  = '0;
    for (int unsigned n = 0; n <= 8; n++) begin
      if (sum_wide == times_q) multiple = 1'b1;
      times_q = times_q + 40'(Q);
    end
  end
  always_ff @(posedge clk_i) begin
    fold : assert ((40'(any_high_i) << 10) == (t_wide << 10) - t_wide + 40'(s_of(any_high_i)));
    if (age_q >= 3'd2) add : assert (32'(dut.sum_q) == exact);
    if (age_q == 3'd4) correct : assert (residue < Q && multiple);
  end

endmodule
