// SPDX-License-Identifier: Apache-2.0 OR MIT

/// The Keccak state and Keccak-f[1600] over it: 24 / RoundsPerCycle cycles a permutation, whatever the state.
///
/// Lane (x, y) of FIPS 202 is state_o[5 y + x]; as bytes, lane by lane, low byte first.
module keccak_f1600
  import fabric_pkg::*;
#(
    /// 1 or 2.
    parameter int unsigned RoundsPerCycle = 1
) (
    input  logic       clk_i,
    /// Sets the state to zero, abandons a permutation. Wins over everything else.
    input  logic       clear_i,
    /// Adds (exclusive or) xor_data_i to lane xor_lane_i; not with start_i, not while busy_o.
    input  logic       xor_valid_i,
    input  logic [4:0] xor_lane_i,
    input  word_t      xor_data_i,
    /// With xor_valid_i: also flips the top bit of lane last_lane_i, the last bit of pad10*1.
    input  logic       xor_last_i,
    input  logic [4:0] last_lane_i,
    /// Begins a permutation, in this cycle; not while busy_o.
    input  logic       start_i,
    /// A permutation is under way. The state is complete in the first cycle without start_i and busy_o.
    output logic       busy_o,
    output state_t     state_o
);

  localparam int unsigned Steps = 24 / RoundsPerCycle;

  logic [4:0] step_q;
  logic running;
  assign busy_o  = step_q != '0;
  assign running = start_i || busy_o;
  always_ff @(posedge clk_i) begin
    if (clear_i) step_q <= '0;
    else if (running) step_q <= (step_q == 5'(Steps - 1)) ? '0 : step_q + 5'd1;
  end

  state_t [RoundsPerCycle:0] chain;
  assign chain[0] = state_o;
  for (genvar r = 0; r < RoundsPerCycle; r++) begin : g_round
    logic [4:0] round;
    assign round = 5'(step_q * RoundsPerCycle + r);
    keccak_round u_keccak_round (
        .state_i(chain[r]),
        .round_i(round),
        .state_o(chain[r+1])
    );
  end

  logic [Lanes-1:0] xor_here, last_here;
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      xor_here[i]  = xor_valid_i && xor_lane_i == 5'(i);
      last_here[i] = xor_valid_i && xor_last_i && last_lane_i == 5'(i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (clear_i) state_o <= '0;
    else if (running) state_o <= chain[RoundsPerCycle];
    else begin
      for (int unsigned i = 0; i < Lanes; i++) begin
        state_o[i] <= state_o[i] ^ (xor_data_i & {64{xor_here[i]}}) ^ {last_here[i], 63'b0};
      end
    end
  end

endmodule
