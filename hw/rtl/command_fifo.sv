// SPDX-License-Identifier: Apache-2.0 OR MIT

/// The command FIFO. One push and one pop a cycle.
module command_fifo
  import fabric_pkg::*;
#(
    /// Holds 2 to this power commands; 1 to 15.
    parameter int unsigned DepthLog2 = 9
) (
    input  logic                clk_i,
    /// Forgets all commands.
    input  logic                clear_i,
    /// Ignored when full_o.
    input  logic                push_i,
    input  word_t               data_i,
    /// Ignored when empty_o. The command is on data_o in the cycle after.
    input  logic                pop_i,
    output word_t               data_o,
    output logic                empty_o,
    output logic                full_o,
    output logic  [DepthLog2:0] level_o
);

  // A word is not read in the cycle of its write: one that is being written is not yet counted.
  (* no_rw_check *) word_t commands[1 << DepthLog2];
  logic [DepthLog2-1:0] head_q, tail_q;
  logic push, pop;
  assign full_o = level_o[DepthLog2];
  assign empty_o = level_o == '0;
  assign push = push_i && !full_o;
  assign pop = pop_i && !empty_o;
  always_ff @(posedge clk_i) begin
    if (push) commands[tail_q] <= data_i;
    if (pop) data_o <= commands[head_q];
    if (clear_i) begin
      head_q  <= '0;
      tail_q  <= '0;
      level_o <= '0;
    end else begin
      if (push) tail_q <= tail_q + 1'b1;
      if (pop) head_q <= head_q + 1'b1;
      level_o <= level_o + (DepthLog2 + 1)'(push) - (DepthLog2 + 1)'(pop);
    end
  end

`ifdef FORMAL
  `include "command_fifo_formal.svh"
`endif

endmodule
