// SPDX-License-Identifier: Apache-2.0 OR MIT

/// mod_reduce is right for every 46-bit product.
///
/// The solver is spared a division: the quotient that the folding uses follows from the product, and q times it is
/// three shifts. residue < q and product = q * quotient + residue then say it all.
module mod_reduce_formal
  import fabric_pkg::*;
(
    input logic        clk_i,
    input logic [45:0] product_i
);

  residue_t residue;
  mod_reduce dut (
      .clk_i,
      .product_i,
      .residue_o(residue)
  );

  // Four products on their way.
  logic [45:0] product_1, product_2, product_3, product_4;
  logic [2:0] age_q = '0;
  always_ff @(posedge clk_i) begin
    product_1 <= product_i;
    product_2 <= product_1;
    product_3 <= product_2;
    product_4 <= product_3;
    if (age_q != 3'd4) age_q <= age_q + 3'd1;
  end

  // q * n
  function automatic logic signed [49:0] times_q(input logic signed [26:0] n);
    return (50'(n) <<< 23) - (50'(n) <<< 13) + 50'(n);
  endfunction
  logic [22:0] high;
  logic signed [26:0] quotient;
  logic signed [49:0] rest;
  assign high = product_4[45:23];
  // What the three folds take away, before the last, small correction.
  assign quotient = 27'(high) + 27'(high[22:10]) + 27'(high[22:20]);
  assign rest = $signed({4'b0, product_4}) - times_q(quotient) - $signed({27'b0, residue});
  always_comb begin
    if (age_q == 3'd4) begin
      bounded : assert (residue < Q);
      congruent :
      assert (rest == times_q(
          -27'sd2
      ) || rest == times_q(
          -27'sd1
      ) || rest == '0 || rest == times_q(
          27'sd1
      ) || rest == times_q(
          27'sd2
      ) || rest == times_q(
          27'sd3
      ));
    end
  end

endmodule
