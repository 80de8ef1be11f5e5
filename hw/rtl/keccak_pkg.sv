// SPDX-License-Identifier: Apache-2.0 OR MIT

/// One round of Keccak-f[1600]. FIPS 202, section 3.3.
///
/// A function and not a module, so that a simulator computes it in the cycles that need it and in no others.
package keccak_pkg;
  import fabric_pkg::*;

  function automatic word_t rotate(input word_t lane, input int unsigned by);
    return (lane << by) | (lane >> ((64 - by) % 64));
  endfunction

  /// Offsets of rho, lane 5 y + x at index 5 y + x. FIPS 202, table 2, modulo 64.
  localparam int unsigned Rho[Lanes] = '{
      0,
      1,
      62,
      28,
      27,
      36,
      44,
      6,
      55,
      20,
      3,
      10,
      43,
      25,
      39,
      41,
      45,
      15,
      21,
      8,
      18,
      2,
      61,
      56,
      14
  };

  /// The bits of the round constants at 2^j - 1, j from 0. FIPS 202, algorithm 5.
  function automatic logic [6:0] constant_bits(input logic [4:0] round);
    unique case (round)
      5'd0: return 7'h01;
      5'd1: return 7'h1A;
      5'd2: return 7'h5E;
      5'd3: return 7'h70;
      5'd4: return 7'h1F;
      5'd5: return 7'h21;
      5'd6: return 7'h79;
      5'd7: return 7'h55;
      5'd8: return 7'h0E;
      5'd9: return 7'h0C;
      5'd10: return 7'h35;
      5'd11: return 7'h26;
      5'd12: return 7'h3F;
      5'd13: return 7'h4F;
      5'd14: return 7'h5D;
      5'd15: return 7'h53;
      5'd16: return 7'h52;
      5'd17: return 7'h48;
      5'd18: return 7'h16;
      5'd19: return 7'h66;
      5'd20: return 7'h79;
      5'd21: return 7'h58;
      5'd22: return 7'h21;
      default: return 7'h74;
    endcase
  endfunction

  /// Round `round`, 0 to 23. Lane (x, y) is state[5 y + x], bit z of the standard is bit z of the lane.
  function automatic state_t keccak_round(input state_t state, input logic [4:0] round);
    logic [4:0][63:0] column, theta;
    state_t mixed, moved, next;
    logic [6:0] iota;
    for (int unsigned x = 0; x < 5; x++) begin
      column[x] = state[x] ^ state[x+5] ^ state[x+10] ^ state[x+15] ^ state[x+20];
    end
    for (int unsigned x = 0; x < 5; x++) begin
      theta[x] = column[(x+4)%5] ^ rotate(column[(x+1)%5], 1);
    end
    for (int unsigned i = 0; i < Lanes; i++) mixed[i] = state[i] ^ theta[i%5];
    for (int unsigned x = 0; x < 5; x++) begin
      for (int unsigned y = 0; y < 5; y++) begin
        moved[5*((2*x+3*y)%5)+y] = rotate(mixed[5*y+x], Rho[5*y+x]);
      end
    end
    for (int unsigned x = 0; x < 5; x++) begin
      for (int unsigned y = 0; y < 5; y++) begin
        next[5*y+x] = moved[5*y+x] ^ (~moved[5*y+(x+1)%5] & moved[5*y+(x+2)%5]);
      end
    end
    iota = constant_bits(round);
    for (int unsigned j = 0; j < 7; j++) begin
      next[0][(1<<j)-1] = next[0][(1<<j)-1] ^ iota[j];
    end
    return next;
  endfunction

endpackage
