// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Takes commands from the FIFO, checks them, and leads the units through their steps, one command after another.
///
/// A command's steps are a row of the tables below: moves, and orders to a unit. The cycles of a command depend on its
/// words and on how long streams and samplers take, never on the data.
module sequencer
  import fabric_pkg::*;
#(
    /// A power of two from 2 to 256.
    parameter int unsigned Slots = 64,
    /// Words of the larger memory to clear, as a power of two.
    parameter int unsigned ClearLog2 = 11,
    /// Derived.
    localparam int unsigned SlotW = $clog2(Slots)
) (
    input  logic                     clk_i,
    /// Reset or soft reset: forgets everything, then clears the memories.
    input  logic                     clear_i,
    /// Leaves the halt that follows an error.
    input  logic                     recover_i,
    input  logic                     run_i,
    input  logic                     clear_counters_i,
    /// A command was pushed into a full FIFO. An error; while memories are cleared it waits, so that they are cleared.
    input  logic                     overflow_i,
    /// The FIFO.
    input  logic                     empty_i,
    output logic                     pop_o,
    input  word_t                    command_i,
    /// Status.
    output logic                     busy_o,
    output logic                     halted_o,
    /// Input is to be taken and dropped.
    output logic                     drop_o,
    output error_e                   cause_o,
    output logic     [          5:0] error_opcode_o,
    output logic     [         15:0] index_o,
    output logic     [         15:0] done_count_o,
    /// One cycle: a list has ended; an error has halted the fabric.
    output logic                     list_done_o,
    output logic                     error_o,
    output logic     [         31:0] command_cycles_o,
    output logic     [         31:0] busy_cycles_o,
    output logic     [         31:0] stall_in_cycles_o,
    output logic     [         31:0] stall_out_cycles_o,
    /// Every unit abandons its work. A cycle after the reset or the error, from a register, because it goes everywhere.
    output logic                     abort_o,
    /// Units wipe what they hold: with abort_o, and a cycle after the beginning of Clear.
    output logic                     wipe_o,
    /// Clears word clear_address_o of all memories.
    output logic                     clear_memory_o,
    output logic     [ClearLog2-1:0] clear_address_o,
    /// Mover.
    output logic                     move_start_o,
    output source_e                  move_source_o,
    output sink_e                    move_sink_o,
    output logic     [          7:0] move_source_at_o,
    output logic     [          7:0] move_sink_at_o,
    output logic     [         31:0] move_bytes_o,
    output logic                     move_more_o,
    output word_t                    move_immediate_o,
    output logic                     move_patch_o,
    output logic     [          7:0] move_patch_value_o,
    input  logic                     move_done_i,
    input  logic                     move_failed_i,
    input  error_e                   move_cause_i,
    input  logic                     stall_in_i,
    input  logic                     stall_out_i,
    /// Polynomial unit.
    output logic                     poly_start_o,
    output poly_op_e                 poly_op_o,
    output logic     [    SlotW-1:0] dst_o,
    output logic     [    SlotW-1:0] a_o,
    output logic     [    SlotW-1:0] b_o,
    input  logic                     poly_done_i,
    /// Sponge. Closing and opening come a cycle after their step, from registers, because they go to the whole state.
    output logic                     sponge_close_o,
    output logic                     sponge_init_o,
    output hash_e                    sponge_hash_o,
    output logic                     sponge_pad_o,
    output logic                     sponge_permute_o,
    output logic                     sponge_capture_o,
    input  logic                     sponge_busy_i,
    input  logic                     sponge_open_i,
    input  logic                     sponge_squeezing_i,
    input  logic     [          2:0] sponge_tail_i,
    input  logic                     sponge_block_i,
    /// Sampler.
    output logic                     sample_start_o,
    output sample_e                  sample_kind_o,
    output logic     [          6:0] sample_tau_o,
    /// The sampler takes the output of the sponge.
    output logic                     sampling_o,
    input  logic                     sample_ready_i,
    input  logic                     sample_done_i
);

  // The command.

  logic [31:0] options_q;
  logic [7:0] dst_q, a_q, b_q;
  logic last_q, more_q;
  opcode_e opcode_q;
  assign dst_o = dst_q[SlotW-1:0];
  assign a_o   = a_q[SlotW-1:0];
  assign b_o   = b_q[SlotW-1:0];

  // Names of the option fields.
  logic [2:0] chain_words;  // n / 8 of SLH-DSA
  logic [3:0] chain_start, chain_steps;
  logic [7:0] tweak_at, tweak_words;
  logic [3:0] block_limit;
  logic [8:0] string_words;
  assign chain_words  = options_q[2:0];
  assign chain_start  = options_q[11:8];
  assign chain_steps  = options_q[19:16];
  assign tweak_at     = options_q[15:8];
  assign tweak_words  = options_q[23:16];
  assign block_limit  = options_q[23:20];
  assign string_words = options_q[8:0];

  // What is wrong with it.

  function automatic logic no_slot(input logic [7:0] slot);
    return 32'(slot) >= Slots;
  endfunction
  /// Words from..from + words are not all in the string memory, or there are none.
  function automatic logic no_string(input logic [7:0] from, input logic [8:0] words);
    return 10'(from) + 10'(words) > 10'(1 << StringsLog2) || words == '0;
  endfunction
  logic bad_chain;
  assign bad_chain = !(chain_words inside {3'd2, 3'd3, 3'd4}) || no_string(
      a_q, 9'(chain_words)
  ) || no_string(
      b_q, 9'd4
  );

  error_e fault;
  logic absorbs, squeezes;
  assign absorbs  = sponge_open_i && !sponge_squeezing_i && sponge_tail_i == '0;
  assign squeezes = sponge_open_i && !(sponge_squeezing_i && sponge_tail_i != '0);
  always_comb begin
    fault = ErrNone;
    unique case (opcode_q)
      OpNop, OpClear, OpHashInit, OpSpongeRestore: ;
      OpLoad: if (no_slot(dst_q)) fault = ErrSlot;
      OpStore: if (no_slot(a_q)) fault = ErrSlot;
      OpNtt, OpIntt: if (no_slot(dst_q) || no_slot(a_q)) fault = ErrSlot;
      OpMul, OpMac, OpAdd, OpSub: if (no_slot(dst_q) || no_slot(a_q) || no_slot(b_q)) fault = ErrSlot;
      OpStringLoad: if (no_string(dst_q, string_words)) fault = ErrOption;
      OpStringStore: if (no_string(a_q, string_words)) fault = ErrOption;
      OpAbsorbStream: if (!absorbs) fault = ErrSpongeOrder;
      OpAbsorbString:
      if (!absorbs) fault = ErrSpongeOrder;
      else if (options_q > 32'(8 << StringsLog2) || no_string(a_q, 9'((options_q[11:0] + 12'd7) >> 3))) begin
        fault = ErrOption;
      end
      OpAbsorbImmediate:
      if (!absorbs) fault = ErrSpongeOrder;
      else if (b_q > 8'd4) fault = ErrOption;
      OpSqueezeStream: if (!squeezes) fault = ErrSpongeOrder;
      OpSqueezeString:
      if (!squeezes) fault = ErrSpongeOrder;
      else if (no_string(dst_q, string_words)) fault = ErrOption;
      OpSpongeSave, OpPermute: if (!sponge_open_i) fault = ErrSpongeOrder;
      OpSampleUniform, OpSampleEta2, OpSampleEta4, OpSampleMask17, OpSampleMask19:
      if (no_slot(dst_q)) fault = ErrSlot;
      else if (no_string(a_q, 9'(b_q))) fault = ErrOption;
      OpSampleBall:
      if (no_slot(dst_q)) fault = ErrSlot;
      else if (no_string(a_q, 9'(b_q)) || options_q[6:0] == '0 || options_q[6:0] > 7'd64) fault = ErrOption;
      OpChain:
      if (bad_chain || no_string(dst_q, 9'(chain_words)) || 5'(chain_start) + 5'(chain_steps) > 5'd15) begin
        fault = ErrOption;
      end
      OpTweak:
      if (bad_chain || no_string(dst_q, 9'(chain_words)) || no_string(tweak_at, 9'(tweak_words))) begin
        fault = ErrOption;
      end
      default: fault = ErrOpcode;
    endcase
  end

  // Its steps.

  typedef enum logic [3:0] {
    DoEnd,
    DoNext,
    DoMove,
    DoPoly,
    DoInit,
    DoPad,
    DoPermute,
    DoCapture,
    DoSample,
    DoClose,
    DoLoop,
    DoClear
  } do_e;

  logic [3:0] step_q;
  logic [3:0] round_q;  // of a chain
  do_e action;
  hash_e hash;

  /// The shape of a command: which row of steps it takes.
  typedef enum logic [3:0] {
    ShapeNop,
    ShapeMove,
    ShapePoly,
    ShapeClear,
    ShapeInit,
    ShapeSqueeze,
    ShapeSave,
    ShapeRestore,
    ShapePermute,
    ShapeSample,
    ShapeChain,
    ShapeTweak
  } shape_e;

  function automatic shape_e shape_of(input opcode_e opcode);
    unique case (opcode)
      OpLoad, OpStore, OpStringLoad, OpStringStore, OpAbsorbStream, OpAbsorbString, OpAbsorbImmediate: return ShapeMove;
      OpNtt, OpIntt, OpMul, OpMac, OpAdd, OpSub: return ShapePoly;
      OpClear: return ShapeClear;
      OpHashInit: return ShapeInit;
      OpSqueezeStream, OpSqueezeString: return ShapeSqueeze;
      OpSpongeSave: return ShapeSave;
      OpSpongeRestore: return ShapeRestore;
      OpPermute: return ShapePermute;
      OpSampleUniform, OpSampleEta2, OpSampleEta4, OpSampleMask17, OpSampleMask19, OpSampleBall: return ShapeSample;
      OpChain: return ShapeChain;
      OpTweak: return ShapeTweak;
      default: return ShapeNop;
    endcase
  endfunction

  // What the opcode alone says is looked up in Check, so that a step does not wait for it: the shape, and the move of a
  // command that has but one.
  shape_e shape_q;
  source_e source_q, source;
  sink_e sink_q, sink;
  logic [31:0] bytes_q, bytes;
  always_comb begin
    source = FromStream;
    sink   = ToStream;
    bytes  = options_q;
    unique case (opcode_q)
      OpLoad: begin
        sink  = ToPoly;
        bytes = 32'd1024;
      end
      OpStore: begin
        source = FromPoly;
        bytes  = 32'd1024;
      end
      OpStringLoad: begin
        sink  = ToString;
        bytes = {20'd0, string_words, 3'd0};
      end
      OpStringStore: begin
        source = FromString;
        bytes  = {20'd0, string_words, 3'd0};
      end
      OpAbsorbStream: sink = ToSponge;
      OpAbsorbString: begin
        source = FromString;
        sink   = ToSponge;
      end
      OpAbsorbImmediate: begin
        source = FromImmediate;
        sink   = ToSponge;
        bytes  = 32'(b_q);
      end
      OpSqueezeStream: source = FromSponge;
      OpSqueezeString: begin
        source = FromSponge;
        sink   = ToString;
        bytes  = {20'd0, string_words, 3'd0};
      end
      OpSpongeSave: begin
        source = FromState;
        bytes  = 32'd208;
      end
      OpSpongeRestore: begin
        sink  = ToState;
        bytes = 32'd208;
      end
      default: ;
    endcase
  end
  always_ff @(posedge clk_i) begin
    shape_q  <= shape_of(opcode_q);
    source_q <= source;
    sink_q   <= sink;
    bytes_q  <= bytes;
  end

  always_comb begin
    action = DoEnd;
    move_source_o = source_q;
    move_sink_o = sink_q;
    move_source_at_o = a_q;
    move_sink_at_o = dst_q;
    move_bytes_o = bytes_q;
    move_immediate_o = {32'd0, options_q};
    move_patch_o = 1'b0;
    move_patch_value_o = 8'(chain_start) + 8'(round_q);
    hash = Shake256;
    unique case (shape_q)
      ShapeMove: if (step_q == '0) action = DoMove;
      ShapePoly: if (step_q == '0) action = DoPoly;
      ShapeClear: if (step_q == '0) action = DoClear;
      ShapeInit:
      if (step_q == '0) begin
        action = DoInit;
        hash   = hash_e'(options_q[1:0]);
      end
      ShapeSqueeze:
      if (step_q == 4'd0) action = sponge_squeezing_i ? DoNext : DoPad;
      else if (step_q == 4'd1) action = DoMove;
      ShapeSave:
      if (step_q == 4'd0) action = DoCapture;
      else if (step_q == 4'd1) action = DoMove;
      ShapeRestore:
      if (step_q == 4'd0) action = DoInit;
      else if (step_q == 4'd1) action = DoMove;
      ShapePermute: if (step_q == '0) action = DoPermute;
      ShapeSample: begin
        if (opcode_q == OpSampleUniform) hash = Shake128;
        move_sink_o = ToSponge;
        unique case (step_q)
          4'd0: action = DoInit;
          4'd1: begin  // the seed
            action = DoMove;
            move_source_o = FromString;
            move_bytes_o = {21'd0, b_q, 3'd0};
          end
          4'd2: begin  // two bytes of nonce or indices
            action = DoMove;
            move_source_o = FromImmediate;
            move_bytes_o = (opcode_q == OpSampleBall) ? 32'd0 : 32'd2;
          end
          4'd3: action = DoPad;
          4'd4: action = DoSample;
          4'd5: action = DoClose;
          default: ;
        endcase
      end
      ShapeChain, ShapeTweak: begin
        move_source_o = FromString;
        move_sink_o   = ToSponge;
        move_bytes_o  = {26'd0, chain_words, 3'd0};
        unique case (step_q)
          4'd0: action = (shape_q == ShapeChain && chain_steps == round_q) ? DoEnd : DoInit;
          4'd1: action = DoMove;  // PK.seed
          4'd2: begin  // ADRS
            action = DoMove;
            move_source_at_o = b_q;
            move_bytes_o = 32'd32;
            move_patch_o = shape_q == ShapeChain;
          end
          4'd3: begin  // the message
            action = DoMove;
            move_source_at_o = dst_q;
            if (shape_q == ShapeTweak) begin
              move_source_at_o = tweak_at;
              move_bytes_o = {21'd0, tweak_words, 3'd0};
            end
          end
          4'd4: action = DoPad;
          4'd5: begin
            action = DoMove;
            move_source_o = FromSponge;
            move_sink_o = ToString;
          end
          4'd6: action = DoClose;
          4'd7: action = (shape_q == ShapeChain) ? DoLoop : DoEnd;
          default: ;
        endcase
      end
      default: ;
    endcase
  end
  assign move_more_o = more_q;

  always_comb begin
    unique case (opcode_q)
      OpIntt:  poly_op_o = PolyIntt;
      OpMul:   poly_op_o = PolyMul;
      OpMac:   poly_op_o = PolyMac;
      OpAdd:   poly_op_o = PolyAdd;
      OpSub:   poly_op_o = PolySub;
      default: poly_op_o = PolyNtt;
    endcase
    unique case (opcode_q)
      OpSampleEta2: sample_kind_o = SampleEta2;
      OpSampleEta4: sample_kind_o = SampleEta4;
      OpSampleMask17: sample_kind_o = SampleMask17;
      OpSampleMask19: sample_kind_o = SampleMask19;
      OpSampleBall: sample_kind_o = SampleBall;
      default: sample_kind_o = SampleUniform;
    endcase
  end
  assign sample_tau_o = options_q[6:0];

  // Control.

  typedef enum logic [2:0] {
    Clear,  // memories after a reset
    Idle,
    Fetch,
    Check,
    Step,
    Wait,
    Halt
  } phase_e;

  phase_e phase_q;
  logic [ClearLog2-1:0] clear_q;
  logic new_list_q;
  logic [4:0] blocks_q;
  // overflow_i came while memories were cleared.
  logic overflow_q;
  logic go, advance, finish, exhausted, clearing;
  error_e raised, fault_q;
  logic fault_found_q, faulty;
  assign clearing = phase_q == Clear || (phase_q == Wait && action == DoClear);
  // In the cycle of abort_o a unit may still write.
  assign clear_memory_o = clearing && !abort_o;
  assign clear_address_o = clear_q;
  assign pop_o = phase_q == Idle && run_i && !empty_i;
  assign busy_o = (phase_q != Idle && phase_q != Halt) || (!empty_i && run_i);
  assign halted_o = phase_q == Halt;
  assign drop_o = phase_q == Halt || phase_q == Clear;
  // What Check found stands in a register before it goes everywhere.
  assign faulty = phase_q == Step && fault_found_q;
  // A step begins, unless its unit still works on what went before.
  assign go = phase_q == Step && !faulty;
  assign move_start_o = go && action == DoMove && !sponge_busy_i;
  assign poly_start_o = go && action == DoPoly;
  assign sponge_pad_o = go && action == DoPad && !sponge_busy_i;
  assign sponge_permute_o = go && action == DoPermute && !sponge_busy_i;
  assign sponge_capture_o = go && action == DoCapture && !sponge_busy_i;
  assign sample_start_o = go && action == DoSample && sample_ready_i;
  assign sampling_o = phase_q == Wait && action == DoSample;
  assign exhausted = sampling_o && sponge_block_i && blocks_q == {block_limit == '0, block_limit};

  always_comb begin
    if (overflow_i || overflow_q) raised = ErrFifoFull;
    else if (faulty) raised = fault_q;
    else if (move_failed_i) raised = move_cause_i;
    else raised = ErrSamplerEmpty;
  end
  assign error_o = phase_q != Halt && !clearing && (overflow_i || overflow_q || faulty || move_failed_i || exhausted);

  // The step is over at the end of this cycle.
  always_comb begin
    advance = 1'b0;
    finish  = 1'b0;
    if (go) begin
      unique case (action)
        DoEnd: finish = 1'b1;
        DoNext, DoInit, DoClose, DoLoop: advance = 1'b1;
        DoPad, DoCapture: advance = !sponge_busy_i;
        default: ;
      endcase
    end else if (phase_q == Wait) begin
      unique case (action)
        DoMove: advance = move_done_i;
        DoPoly: advance = poly_done_i;
        DoPermute: advance = !sponge_busy_i;
        DoSample: advance = sample_done_i;
        DoClear: advance = &clear_q;
        default: advance = 1'b1;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    list_done_o <= 1'b0;
    unique case (phase_q)
      Clear: if (&clear_q) phase_q <= Idle;
      Idle: if (pop_o) phase_q <= Fetch;
      Fetch: phase_q <= Check;
      Check: phase_q <= Step;
      Step:
      if (finish) begin
        phase_q <= Idle;
        list_done_o <= last_q && !error_o;
      end else if (move_start_o || poly_start_o || sponge_permute_o || sample_start_o || action == DoClear) begin
        phase_q <= Wait;
      end
      Wait: if (advance) phase_q <= Step;
      default: if (recover_i) phase_q <= Idle;  // Halt
    endcase
    if (error_o) phase_q <= Halt;
    if (clear_i) begin
      phase_q <= Clear;
      list_done_o <= 1'b0;
    end

    clear_q <= clear_memory_o && !clear_i ? clear_q + 1'b1 : '0;
    overflow_q <= clearing && !clear_i && (overflow_i || overflow_q);
    sponge_init_o <= go && action == DoInit;
    sponge_close_o <= go && action == DoClose;
    sponge_hash_o <= hash;
    abort_o <= clear_i || error_o;
    wipe_o <= clear_i || error_o || (go && action == DoClear);

    if (phase_q == Fetch) begin
      {options_q, b_q, a_q, dst_q, last_q, more_q, opcode_q} <= {command_i[63:6], opcode_e'(command_i[5:0])};
    end
    if (phase_q == Check) begin
      fault_q <= fault;
      fault_found_q <= fault != ErrNone;
      step_q <= '0;
      round_q <= '0;
    end else if (advance) begin
      step_q <= (action == DoLoop) ? '0 : step_q + 4'd1;
      if (action == DoLoop) round_q <= round_q + 4'd1;
    end
    if (sponge_pad_o) blocks_q <= '0;
    else if (sponge_block_i) blocks_q <= blocks_q + 5'd1;

    if (clear_i || recover_i) begin
      new_list_q <= 1'b1;
      done_count_o <= '0;
      cause_o <= ErrNone;
      error_opcode_o <= '0;
      index_o <= '0;
    end else begin
      if (phase_q == Fetch) begin
        new_list_q <= command_i[7];
        if (new_list_q) done_count_o <= '0;
      end
      if (finish && !error_o) done_count_o <= done_count_o + 16'd1;
      if (error_o) begin
        cause_o <= raised;
        error_opcode_o <= opcode_q;
        index_o <= done_count_o;
      end
    end
    if (clear_i) options_q <= '0;
  end

  // Counters.
  logic under_way, begun_q;
  assign under_way = phase_q == Fetch || phase_q == Check || phase_q == Step || phase_q == Wait;
  always_ff @(posedge clk_i) begin
    begun_q <= under_way;
    if (clear_counters_i || clear_i) begin
      command_cycles_o <= '0;
      busy_cycles_o <= '0;
      stall_in_cycles_o <= '0;
      stall_out_cycles_o <= '0;
    end else begin
      if (under_way) command_cycles_o <= begun_q ? command_cycles_o + 32'd1 : 32'd1;
      if (under_way) busy_cycles_o <= busy_cycles_o + 32'd1;
      if (stall_in_i) stall_in_cycles_o <= stall_in_cycles_o + 32'd1;
      if (stall_out_i) stall_out_cycles_o <= stall_out_cycles_o + 32'd1;
    end
  end

`ifdef FORMAL
  `include "sequencer_formal.svh"
`endif

endmodule
