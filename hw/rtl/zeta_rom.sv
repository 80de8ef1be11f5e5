// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Twiddle factors of both transforms. Latency 2.
///
/// | index            | factor                                                              |
/// |------------------|---------------------------------------------------------------------|
/// | 0                | 1                                                                   |
/// | m in 1..255      | zetas[m] = 1753^BitRev8(m) mod q (FIPS 204, appendix B)             |
/// | 256              | q - 1                                                               |
/// | 256 + m          | -zetas[m] / 2 mod q: the sign of algorithm 42, the half of butterfly |
module zeta_rom
  import fabric_pkg::*;
(
    input  logic           clk_i,
    input  logic     [8:0] index_i,
    output residue_t       zeta_o
);

  residue_t rom[512];

  initial begin
    logic [45:0] power;
    power = 46'd1;
    for (int unsigned e = 0; e < 256; e++) begin
      logic [7:0] exponent, m;
      exponent = 8'(e);
      for (int unsigned bit_index = 0; bit_index < 8; bit_index++) begin
        m[bit_index] = exponent[7-bit_index];
      end
      rom[{1'b0, m}] = power[22:0];
      rom[{1'b1, m}] = (e == 0) ? Q - 23'd1 : halve(Q - power[22:0]);
      power = (power * 46'd1753) % 46'(Q);
    end
  end

  residue_t read_q;
  always_ff @(posedge clk_i) begin
    read_q <= rom[index_i];
    zeta_o <= read_q;
  end

endmodule
