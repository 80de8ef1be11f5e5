// SPDX-License-Identifier: Apache-2.0 OR MIT

/// mod_reduce is right for every 46-bit product: three lemmas that a solver can do, and a line of arithmetic.
///
/// With product = 2^23 h + l, s = h[9:0] + h[19:10] + h[22:20] and t = h + h[22:10] + h[22:20]:
///
///   fold     1024 h = 1023 t + s, for every h; times 2^13, and since q = 1023 * 2^13 + 1, this is
///            2^23 h = q t - t + 2^13 s, so product = q t + (l + 2^13 s - t).
///   add      The register sum_q is l + 2^13 s - t + 2 q, without overflow; so product = sum_q (mod q).
///   correct  The residue is less than q, and sum_q = residue + n q for a whole n, for every value of sum_q.
module mod_reduce_formal
  import fabric_pkg::*;
(
    input logic        clk_i,
    input logic [45:0] product_i,
    /// h of the lemma fold.
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

  // Names end in the number of cycles since product_i; sum_q of mod_reduce belongs to product_2, residue to sum_4.
  logic [45:0] product_1, product_2;
  logic [25:0] sum_3, sum_4;
  logic [2:0] age_q = '0;
  always_ff @(posedge clk_i) begin
    product_1 <= product_i;
    product_2 <= product_1;
    sum_3 <= dut.sum_q;
    sum_4 <= sum_3;
    if (age_q != 3'd4) age_q <= age_q + 3'd1;
  end
  logic [31:0] exact;
  assign exact = 32'(product_2[22:0]) + (32'(s_of(
      product_2[45:23]
  )) << 13) + (32'(Q) << 1) - 32'(t_of(
      product_2[45:23]
  ));
  logic [35:0] t, s;
  assign t = 36'(t_of(any_high_i));
  assign s = 36'(s_of(any_high_i));
  logic [23:0] fold_value;
  assign fold_value = 24'(sum_4[22:0]) + (24'(sum_4[25:23]) << 13) - 24'(sum_4[25:23]);

  logic [26:0] multiple;
  always_comb begin
    multiple = '0;
    for (int unsigned n = 0; n < 8; n++) begin
      if (sum_4[25:23] == 3'(n)) multiple = 27'((n + 32'(fold_value >= 24'(Q))) * 32'(Q));
    end
  end
  always_ff @(posedge clk_i) begin
`ifdef FOLD
    fold : assert ((36'(any_high_i) << 10) + t == (t << 10) + s);
`endif
`ifdef ADD
    if (age_q >= 3'd2) add : assert (32'(dut.sum_q) == exact);
`endif
`ifdef CORRECT
    if (age_q == 3'd4) begin
      less : assert (residue < Q);
      same : assert (27'(sum_4) == 27'(residue) + multiple);
    end
`endif
  end

endmodule
