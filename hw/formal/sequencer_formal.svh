// SPDX-License-Identifier: Apache-2.0 OR MIT
// Included in sequencer. No state without an exit: if every unit answers within `Answer` cycles, every phase but Idle and
// Halt is left within a bound, every command comes to its end or to an error, and a reset leads to Idle from anywhere.
// `Answer` is small here; nothing depends on it but the depth of the proof.

localparam int unsigned Answer = 2;
localparam int unsigned Clearing = 1 << ClearLog2;

logic past_q = 1'b0;
always_ff @(posedge clk_i) past_q <= 1'b1;

// Cycles since the phase or the step began.
logic [4:0] age_q;
phase_e last_phase_q;
always_ff @(posedge clk_i) begin
  last_phase_q <= phase_q;
  age_q <= (clear_i || advance || error_o) ? '0 : (last_phase_q != phase_q) ? 5'd1 : age_q + 5'd1;
end
logic [4:0] age;
assign age = (last_phase_q != phase_q) ? '0 : age_q;

// Wait with an answer that a unit owes.
logic owed, answered;
always_comb begin
  owed = phase_q == Wait;
  answered = 1'b0;
  unique case (action)
    DoMove: answered = move_done_i || move_failed_i;
    DoPoly: answered = poly_done_i;
    DoPermute: answered = !sponge_busy_i;
    DoSample: answered = sample_done_i || exhausted;
    default: owed = 1'b0;
  endcase
end

always_ff @(posedge clk_i) begin
  if (!past_q) begin
    assume (clear_i);
  end else begin
    // The units.
    assume (move_failed_i == (move_cause_i != ErrNone));
    if (owed && age >= 5'(Answer)) assume (answered);
    if (phase_q == Step && age >= 5'(Answer)) assume (!sponge_busy_i && sample_ready_i);

    known : assert (phase_q <= Halt);
    short_phases : assert (!(phase_q == Fetch || phase_q == Check) || age == '0);
    steps : assert (phase_q != Step || age <= 5'(Answer));
    waits : assert (phase_q != Wait || action == DoClear || age <= 5'(Answer));
    // After a reset clearing begins when the units have been told.
    told : assert (!(phase_q == Clear && abort_o) || (age == '0 && clear_q == '0));
    clears : assert (!clear_memory_o || age <= 5'(Clearing));
    counted : assert (!clear_memory_o || age == 5'(clear_q) + 5'(phase_q == Clear));
    idle_zero : assert (clear_memory_o || $past(clear_memory_o) || clear_q == '0);
    // Nothing but a reset ends the clearing of memories before its end, and a command lost meanwhile is not forgotten.
    if ($past(clearing) && !$past(clear_i)) begin
      clears_all : assert (clear_memory_o || $past(&clear_q));
      lost : assert (!$past(overflow_i) || (clearing ? overflow_q : raised == ErrFifoFull));
    end
    // The contract of the units: orders one at a time, and to a sponge that is not busy.
    orders :
    assert ($onehot0(
        {move_start_o, poly_start_o, sponge_pad_o, sponge_permute_o, sponge_capture_o, sample_start_o}
    ));
    init : assert (!(sponge_init_o && (sponge_pad_o || sponge_permute_o || sponge_capture_o)));
    not_busy :
    assert (!sponge_busy_i || !(move_start_o || sponge_pad_o || sponge_permute_o || sponge_capture_o));
    // Every step of a command comes after the one before it, and there is a last one.
    in_steps : assert (!(phase_q == Step || phase_q == Wait) || (step_q <= 4'd8 && round_q <= 4'd15));
    in_rounds :
    assert (!(phase_q == Step || phase_q == Wait) || opcode_q != OpChain || round_q < chain_steps ||
            (round_q == chain_steps && step_q == '0));
    other_rounds : assert (!(phase_q == Step || phase_q == Wait) || opcode_q == OpChain || round_q == '0);
    shape : assert (!(phase_q == Step || phase_q == Wait) || shape_q == shape_of(opcode_q));
    waits_for : assert (phase_q != Wait || (action inside {DoMove, DoPoly, DoPermute, DoSample, DoClear}));
    if ($past(phase_q) == Step || $past(phase_q) == Wait) begin
      forwards :
      assert (!(phase_q == Step || phase_q == Wait) || {round_q, step_q} == {$past(round_q), $past(step_q)} ||
              {round_q, step_q} > {$past(round_q), $past(step_q)});
      no_return : assert (phase_q != Fetch && phase_q != Check);
    end
    if ($past(clear_i)) resets : assert (phase_q == Clear);
    if ($past(error_o) && !$past(clear_i)) halts : assert (phase_q == Halt);
    if ($past(phase_q) == Halt && $past(recover_i) && !$past(clear_i)) recovers : assert (phase_q == Idle);
    chain_ends : cover (finish && opcode_q == OpChain && chain_steps == 4'd2);
    clear_ends : cover (finish && opcode_q == OpClear);
  end
end
