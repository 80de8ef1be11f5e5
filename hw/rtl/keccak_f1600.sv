// SPDX-License-Identifier: Apache-2.0 OR MIT

/// The Keccak state and Keccak-f[1600] over it: 24 / RoundsPerCycle cycles a permutation, whatever the state.
///
/// Lane (x, y) of FIPS 202 is state_o[5 y + x]; as bytes, lane by lane, low byte first.
///
/// What is to be added to the state is collected lane by lane in a register of its own, also during a permutation, and
/// added at once: that makes a bit of the next state a function of six, which is one look-up table.
module keccak_f1600
  import fabric_pkg::*;
#(
    /// 1 or 2.
    parameter int unsigned RoundsPerCycle = 1
) (
    input  logic         clk_i,
    /// Sets state and collected lanes to zero, abandons a permutation. Wins over everything else.
    input  logic         clear_i,
    /// Lane lane_i of what is collected becomes data_i; not with add_i.
    input  logic         collect_i,
    input  logic   [4:0] lane_i,
    input  word_t        data_i,
    /// Adds (exclusive or) what was collected to the state, and empties the collection; not with start_i, not while
    /// busy_o.
    input  logic         add_i,
    /// With add_i: also flips the top bit of lane last_lane_i, the last bit of pad10*1. It is 8, 16 or 20.
    input  logic         add_last_i,
    input  logic   [4:0] last_lane_i,
    /// Begins a permutation, in this cycle; not while busy_o.
    input  logic         start_i,
    /// A permutation is under way. The state is complete in the first cycle without start_i and busy_o.
    output logic         busy_o,
    output state_t       state_o
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

  function automatic state_t step(input state_t state, input logic [4:0] index);
    state_t next;
    next = state;
    for (int unsigned r = 0; r < RoundsPerCycle; r++) begin
      next = keccak_pkg::keccak_round(next, 5'(index * RoundsPerCycle + r));
    end
    return next;
  endfunction

  state_t collected_q;
  always_ff @(posedge clk_i) begin
    if (clear_i || add_i) begin
      collected_q <= '0;
    end else begin
      for (int unsigned i = 0; i < Lanes; i++) begin
        if (collect_i && lane_i == 5'(i)) collected_q[i] <= data_i;
      end
    end
  end

  state_t added;
  always_comb begin
    added = state_o ^ collected_q;
    for (int unsigned i = 8; i <= 20; i++) begin
      if (i == 8 || i == 16 || i == 20) added[i][63] ^= add_last_i && last_lane_i == 5'(i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (clear_i) state_o <= '0;
    else if (running) state_o <= step(state_o, step_q);
    else if (add_i) state_o <= added;
  end

`ifndef SYNTHESIS
  // Constant time: a permutation is under way for Steps cycles, that of start_i counted.
  logic [4:0] age_q;
  logic busy_q;
  always_ff @(posedge clk_i) begin
    if (start_i) age_q <= 5'd1;
    else if (busy_o) age_q <= age_q + 5'd1;
    busy_q <= busy_o && !clear_i;
    if (busy_q && !busy_o) assert (age_q == 5'(Steps));
  end
`endif

endmodule
