// SPDX-License-Identifier: Apache-2.0 OR MIT
// Included in mover. Every word that is moved is one beat of its source and one of its sink, and with a time-out every
// move ends: a word is moved, or the wait for one stream beat gets longer, and it cannot get longer than the time-out.

logic past_q = 1'b0;
always_ff @(posedge clk_i) past_q <= 1'b1;

logic busy, waits_for_unit, ends;
assign busy = reading_q || word_valid_q;
assign waits_for_unit = busy && !take && !deliver && !stall_in_o && !stall_out_o;
assign ends = done_o || failed_o;

always_ff @(posedge clk_i) begin
  if (!past_q) begin
    assume (clear_i);
  end else begin
    // The contract of start_i, and a TIMEOUT that software leaves alone meanwhile.
    assume (!(start_i && (busy || failed_o || clear_i)));
    assume ($stable(timeout_i));

    input_beats : assert ((in_valid_i && in_ready_o) == (take && source_q == FromStream));
    squeezed : assert ((squeeze_valid_i && squeeze_ready_o) == (take && source_q == FromSponge));
    output_beats : assert ((out_valid_o && out_ready_i) == (deliver && sink_q == ToStream));
    absorbed : assert ((absorb_valid_o && absorb_ready_i) == (deliver && sink_q == ToSponge));
    // What was taken is delivered once, as it was, before the next.
    no_second : assert (!take || !word_valid_q || deliver);
    if (!$past(clear_i) && !$past(failed_o)) begin
      if ($past(take)) begin
        taken : assert (word_valid_q && word_q == $past(word) && word_final_q == $past(final_q));
      end else if ($past(word_valid_q) && !$past(deliver)) begin
        waits : assert (word_valid_q && $stable(word_q));
      end else begin
        nothing : assert (!word_valid_q);
      end
    end

    something_left : assert (!reading_q || left_q != '0);
    bytes_left : assert (!reading_q || (final_q == (left_q <= 32'd8) && bytes_q == (final_q ? left_q[3:0] : 4'd8)));
    last_word : assert (!word_valid_q || word_final_q != reading_q);
    in_time : assert (!busy || timeout_i == '0 || waited_q <= timeout_i || (failed_o && waited_q == timeout_i + 32'd1));
    once : assert (!(done_o && failed_o));
    last_word_out : assert (!done_o || (!reading_q && (nothing_q || deliver)));
    if ($past(busy) && !$past(clear_i)) begin
      // Goes on or has ended.
      goes_on : assert (busy || $past(ends));
      // A word fewer on its way; a longer wait; or a unit of the fabric is waited for.
      if (busy && !$past(failed_o)) begin
        one_less : assert (left_q == $past(left_q) - ($past(take) ? 32'd8 : 32'd0));
        progress :
        assert ($past(take) || $past(deliver) || $past(waits_for_unit) || waited_q == $past(waited_q) + 32'd1);
      end
    end
    timed_out_in : cover (failed_o && cause_o == ErrInputTimeout);
    ended : cover (done_o);
  end
end
