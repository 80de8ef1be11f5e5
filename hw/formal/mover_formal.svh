// SPDX-License-Identifier: Apache-2.0 OR MIT
// Included in mover. Every word that is moved is one beat of its source and one of its sink, and with a time-out every
// move ends: a word is moved, or the wait for one stream beat gets longer, and it cannot get longer than the time-out.

logic past_q = 1'b0;
always_ff @(posedge clk_i) past_q <= 1'b1;

logic waits_for_unit, ends;
assign waits_for_unit = busy_q && !fire && !stall_in_o && !stall_out_o;
assign ends = done_o || failed_o;

always_ff @(posedge clk_i) begin
  if (!past_q) begin
    assume (clear_i);
  end else begin
    // The contract of start_i, and a TIMEOUT that software leaves alone meanwhile.
    assume (!(start_i && (busy_q || clear_i)));
    assume ($stable(timeout_i));

    input_beats : assert ((in_valid_i && in_ready_o) == (fire && source_q == FromStream));
    output_beats : assert ((out_valid_o && out_ready_i) == (fire && sink_q == ToStream));
    absorbed : assert ((absorb_valid_o && absorb_ready_i) == (fire && sink_q == ToSponge));
    squeezed : assert ((squeeze_valid_i && squeeze_ready_o) == (fire && source_q == FromSponge));

    something_left : assert (!busy_q || left_q != '0);
    in_time : assert (!busy_q || timeout_i == '0 || waited_q <= timeout_i);
    once : assert (!(done_o && failed_o) && (!busy_q || !done_o));
    if ($past(busy_q) && !$past(clear_i)) begin
      // Goes on or has ended.
      goes_on : assert (busy_q || ends);
      // A word fewer; a longer wait; or a unit of the fabric is waited for.
      progress :
      assert (!busy_q || ($past(fire) ? $past(left_q) > 32'd8 && left_q == $past(left_q) - 32'd8 : left_q == $past(
          left_q
      ) && ($past(waits_for_unit) || waited_q == $past(waited_q) + 32'd1)));
    end
    timed_out_in : cover (failed_o && cause_o == ErrInputTimeout);
    ended : cover (done_o);
  end
end
