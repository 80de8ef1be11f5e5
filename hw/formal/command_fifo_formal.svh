// SPDX-License-Identifier: Apache-2.0 OR MIT
// Included in command_fifo. One command, pushed at any moment, comes out at its turn and unchanged.

logic past_q = 1'b0;
always_ff @(posedge clk_i) past_q <= 1'b1;

// Any value: a register without reset that keeps what it has. The first command equal to it is followed.
word_t marked;
always_ff @(posedge clk_i) marked <= marked;
// ahead_q: commands before the marked one. watched_q: it is in the FIFO.
logic watched_q, leaving_q;
logic [DepthLog2:0] ahead_q;
logic [DepthLog2-1:0] at_q;
always_ff @(posedge clk_i) begin
  leaving_q <= !clear_i && watched_q && pop && ahead_q == '0;
  if (clear_i) begin
    watched_q <= 1'b0;
  end else if (!watched_q) begin
    if (push && data_i == marked) begin
      watched_q <= 1'b1;
      ahead_q <= level_o - (DepthLog2 + 1)'(pop);
      at_q <= tail_q;
    end
  end else if (pop) begin
    if (ahead_q == '0) watched_q <= 1'b0;
    else ahead_q <= ahead_q - 1'b1;
  end
end

always_ff @(posedge clk_i) begin
  if (!past_q) begin
    assume (clear_i);
  end else begin
    room : assert (level_o <= (DepthLog2 + 1)'(1 << DepthLog2));
    distance : assert (DepthLog2'(head_q + level_o[DepthLog2-1:0]) == tail_q);
    if (watched_q) begin
      is_inside : assert (ahead_q < level_o);
      place : assert (DepthLog2'(head_q + ahead_q[DepthLog2-1:0]) == at_q);
      kept : assert (commands[at_q] == marked);
    end
    if (leaving_q) comes_out : assert (data_o == marked);
  end
end
