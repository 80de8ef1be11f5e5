// SPDX-License-Identifier: Apache-2.0 OR MIT
// Included in sampler. No state without an exit: as long as words are offered each is taken within a bound, phases come
// one after the other, and a candidate that is kept brings the end nearer. How many candidates are rejected is up to the
// data; the sequencer limits the words.

logic past_q = 1'b0;
always_ff @(posedge clk_i) past_q <= 1'b1;

always_comb begin
  // The contract of start_i, which the sequencer keeps.
  if (start_i) assume (ready_o && tau_i >= 7'd1 && tau_i <= 7'd64);
end

// Falls in every cycle in which no word can be taken: a candidate is taken, a place is written, or half of the word is put
// in.
logic [7:0] until_taken;
assign until_taken = (upper_q ? 8'd0 : 8'd80) + {1'b0, held_q, 1'b0} + 8'(second_q);

// Coefficients that have left or are on their way.
logic [8:0] kept;
assign kept = 9'(index_q) + 9'(keep_q) + 9'(keep_qq);

always_ff @(posedge clk_i) begin
  if (!past_q) begin
    assume (clear_i);
  end else begin
    known : assert (phase_q <= Emit);
    funnel : assert (held_q <= 6'd54 && !held_q[0]);
    loose :
    assert (!spare_q[0] && (spare_q[6] ? spare_q >= -7'd24 && held_q <= 6'd22 : spare_q <= {1'b0, held_q}));
    spare : assert ((phase_q inside {Clean, Ready}) || spare_q == {1'b0, held_q} - 7'(width));
    fits : assert (!active || room == (held_rest <= 6'd22));
    balls : assert (!(phase_q inside {Signs, Places, Emit}) || kind_q == SampleBall);
    one_second : assert (!second_q || phase_q == Places);
    word_in_time : assert (until_taken <= 8'd189);
    if ($past(active) && active && !$past(word_ready_o) && !$past(clear_i))
      sooner : assert (until_taken < $past(until_taken));

    tau : assert (!(phase_q inside {Signs, Places}) || (tau_q >= 7'd1 && tau_q <= 7'd64 && chosen_q < tau_q));
    first : assert (phase_q != Signs || (chosen_q == '0 && count_q <= 8'd7));
    nothing_kept : assert (!(phase_q inside {Signs, Places}) || kept == '0);
    emitted : assert (phase_q != Emit || kept == 9'(count_q));
    all_emitted : assert (phase_q != Stream || kind_q != SampleBall || kept == 9'd256);
    streaming : assert (phase_q != Stream || kept <= 9'd257);
    elsewhere : assert (!(phase_q inside {Clean, Ready}) || !(keep_q || keep_qq));
    if (!$past(clear_i)) begin
      // Phases in their order, and how each ends.
      unique case ($past(
          phase_q
      ))
        Clean: cleans : assert ((phase_q == Clean && count_q == $past(count_q) + 8'd1) ||
                                (phase_q == Ready && $past(count_q) == 8'd255));
        Ready: starts : assert (phase_q == Ready || $past(start_i));
        Stream: begin
          ends : assert ($past(done) ? phase_q == Ready && done_o : phase_q == Stream);
          nearer : assert (!$past(keep_qq) || $past(done) || index_q == $past(index_q) + 8'd1);
        end
        Signs: signs : assert ($past(take) ? (count_q == $past(count_q) + 8'd1) || phase_q == Places : phase_q == Signs);
        Places: begin
          chooses : assert (!$past(second_q) || phase_q == Emit || chosen_q == $past(chosen_q) + 7'd1);
          places_end : assert (phase_q == Places || (phase_q == Emit && count_q == '0));
        end
        default: emits : assert (phase_q == Emit ? count_q == $past(count_q) + 8'd1 : phase_q == Stream);
      endcase
    end else begin
      cleared : assert (phase_q == Clean && count_q == '0);
    end
  end
end
