// SPDX-License-Identifier: Apache-2.0 OR MIT
// Included in sponge. No state without an exit: a count of cycles is given for every state in which somebody waits for
// the sponge, and each cycle makes it smaller. Nothing is assumed of the data.

localparam int unsigned Steps = 24 / RoundsPerCycle;

logic past_q = 1'b0;
always_ff @(posedge clk_i) past_q <= 1'b1;

// The contract, which sequencer and mover keep: one thing at a time; orders while the sponge is not busy; after an
// order that moves no words, nothing until it is not busy again.
logic order, restored_now, waiting_q;
assign order = permute_i || capture_i;
assign restored_now = restore_valid_i && restore_index_i == 5'(Lanes) && is_control(restore_data_i);
always_ff @(posedge clk_i) begin
  if (clear_i || init_i) waiting_q <= 1'b0;
  else if (order || restored_now) waiting_q <= 1'b1;
  else if (!busy_o) waiting_q <= 1'b0;
end
always_comb begin
  assume ($onehot0({init_i, pad_i, permute_i, capture_i, absorb_valid_i, restore_valid_i, squeeze_ready_i}));
  if (busy_o) assume (!pad_i && !order && !restore_valid_i);
  if (waiting_q && busy_o) assume (!absorb_valid_i && !squeeze_ready_i);
  if (absorb_valid_i) assume (open_o && !squeezing_o && tail_o == '0);
  if (pad_i) assume (open_o && !squeezing_o);
  if (restore_valid_i) assume (open_o && !squeezing_o);
  if (order) assume (open_o);
  if (squeeze_ready_i) assume (squeezing_o);
end

// Cycles of permutation left, that of permute_q counted.
logic [4:0] permuting;
assign permuting = permute_q ? 5'(Steps) : keccak_busy ? 5'(Steps) - u_keccak.step_q : '0;

// Cycles until a word is taken, until one is given, until the sponge is not busy.
logic [6:0] until_taken, until_given, until_idle;
always_comb begin
  until_taken = full_q ? 7'(permuting) + 7'd2 : 7'(add_q);
  until_given = 7'(Steps + 2);
  if (control_q.block) until_given = '0;
  else if (output_q) until_given = add_q ? 7'(Steps + 2) : 7'(permuting) + 7'd1;
  until_idle = 7'(permuting) + 7'(capture_q);
  if (full_q) until_idle = 7'(permuting) + 7'(Steps + 2);
  else if (add_q) until_idle = 7'd1 + (permute_due_q ? 7'(Steps) : '0) + 7'(capture_due_q);
  if (output_q && !control_q.block) until_idle = until_idle + 7'(Steps + 1);
end

always_ff @(posedge clk_i) begin
  if (!past_q) begin
    assume (clear_i);
  end else begin
    permutation : assert (u_keccak.step_q < 5'(Steps) && !(permute_q && keccak_busy));
    lanes : assert (control_q.lane <= last_lane);
    phases : assert ((control_q.open || control_q == '0 || !control_q.squeezing) && (!control_q.block || squeezing_o));
    collecting : assert (!full_q || (!add_q && !squeezing_o && permute_due_q));
    output_due : assert (!output_q || squeezing_o);
    // While output is squeezed, a permutation is for the next block or was asked for.
    whose : assert (!squeezing_o || !(permute_due_q || permute_q || keccak_busy) || output_q || waiting_q);
    // What is due waits for what was collected.
    adding : assert (!add_q || (!permute_q && !keccak_busy && !capture_q));
    due : assert ((!permute_due_q || add_q || full_q) && (!capture_due_q || add_q) && (!pad_q || add_q));
    waits : assert (!capture_due_q || waiting_q);
    captures : assert (!capture_q || waiting_q);

    taken_in_time : assert (absorb_ready_o == (until_taken == '0) && until_taken <= 7'(Steps + 2));
    given_in_time : assert (squeeze_valid_o == (until_given == '0) && until_given <= 7'(Steps + 2));
    idle_in_time : assert (busy_o == (until_idle != '0) && until_idle <= 7'(2 * Steps + 2));
    if (!$past(clear_i) && !$past(init_i)) begin
      if (!$past(absorb_ready_o)) sooner_taken : assert (until_taken < $past(until_taken));
      if ($past(squeezing_o) && !$past(squeeze_valid_o) && ($past(output_q) || $past(squeeze_ready_i)))
        sooner_given : assert (until_given < $past(until_given));
      if ($past(busy_o) && !$past(absorb_valid_i) && !$past(squeeze_ready_i) && !squeeze_ready_i)
        sooner_idle : assert (until_idle < $past(until_idle));
    end
    absorbs : cover (permute_q && $past(full_q, 2));
    squeezes : cover (squeeze_valid_o && $past(squeeze_ready_i) && !$past(squeeze_valid_o));
    goes_ahead : cover (squeeze_valid_o && keccak_busy);
  end
end
