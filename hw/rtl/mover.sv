// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Moves a number of bytes from one place to another, one word of 8 bytes a cycle when neither side makes it wait.
///
/// The only part of the fabric that the two AXI4-Stream ports are connected to: all their error cases are here.
/// A move of 0 bytes touches neither side.
module mover
  import fabric_pkg::*;
(
    input  logic                       clk_i,
    /// Abandons the move.
    input  logic                       clear_i,
    /// Begins; not before done_o or failed_o. The rest of this group is read with start_i and need not stay.
    input  logic                       start_i,
    input  source_e                    source_i,
    input  sink_e                      sink_i,
    /// String memory: first word. Polynomial: slot.
    input  logic     [            7:0] source_at_i,
    input  logic     [            7:0] sink_at_i,
    input  logic     [           31:0] bytes_i,
    /// The stream packet goes on after this move.
    input  logic                       more_i,
    /// Immediate source, at most 8 bytes.
    input  word_t                      immediate_i,
    /// The last of four words from string memory gets the hash address instead of its last four bytes.
    input  logic                       patch_i,
    input  logic     [            7:0] patch_value_i,
    /// Cycles to wait for one beat, 0 for ever.
    input  logic     [           31:0] timeout_i,
    /// One cycle: ended well.
    output logic                       done_o,
    /// One cycle, the one after the beat or the wait that failed: failed, and why.
    output logic                       failed_o,
    output error_e                     cause_o,
    /// Waits for input, for output to be taken.
    output logic                       stall_in_o,
    output logic                       stall_out_o,
    /// Input stream.
    input  logic                       in_valid_i,
    output logic                       in_ready_o,
    input  word_t                      in_data_i,
    input  logic     [            7:0] in_keep_i,
    input  logic                       in_last_i,
    /// Output stream.
    output logic                       out_valid_o,
    input  logic                       out_ready_i,
    output word_t                      out_data_o,
    output logic     [            7:0] out_keep_o,
    output logic                       out_last_o,
    /// String memory.
    output logic     [StringsLog2-1:0] string_raddr_o,
    input  word_t                      string_rdata_i,
    output logic                       string_we_o,
    output logic     [StringsLog2-1:0] string_waddr_o,
    /// The word that is moved, for the string memory and the sponge.
    output word_t                      word_o,
    /// Bytes of it that count, 1 to 8.
    output logic     [            3:0] word_bytes_o,
    output logic     [            4:0] word_index_o,
    /// Sponge.
    output logic                       absorb_valid_o,
    input  logic                       absorb_ready_i,
    input  logic                       squeeze_valid_i,
    output logic                       squeeze_ready_o,
    input  word_t                      squeeze_data_i,
    output logic                       save_o,
    input  word_t                      save_data_i,
    output logic                       restore_valid_o,
    input  logic                       restore_bad_i,
    /// Two coefficients of a slot, see poly_port: written at the pair word_index_o of slot poly_slot_o.
    output logic                       poly_write_o,
    output logic     [            7:0] poly_slot_o,
    output logic     [            6:0] poly_pair_o,
    output residue_t                   poly_even_o,
    output residue_t                   poly_odd_o,
    /// The pair that is read in this cycle, to be there in the next, and the pair that is there.
    output logic     [            6:0] poly_next_pair_o,
    input  residue_t                   poly_even_i,
    input  residue_t                   poly_odd_i
);

  logic busy_q;
  source_e source_q;
  sink_e sink_q;
  logic [7:0] source_at_q, sink_at_q;
  logic [31:0] left_q;
  logic more_q, patch_q;
  word_t immediate_q;
  logic [7:0] patch_value_q;
  logic [8:0] index_q, index_d;

  logic source_valid, sink_ready, fire, final_word;
  word_t word;
  assign final_word = left_q <= 32'd8;
  assign word_bytes_o = final_word ? left_q[3:0] : 4'd8;
  assign word_o = word;
  assign word_index_o = index_q[4:0];
  assign fire = busy_q && source_valid && sink_ready;
  assign index_d = fire ? index_q + 9'd1 : index_q;

  // The source. Memories are addressed a cycle ahead.
  assign string_raddr_o = busy_q ? source_at_q + index_d[7:0] : source_at_i;
  assign poly_slot_o = (sink_q == ToPoly && busy_q) ? sink_at_q : busy_q ? source_at_q : source_at_i;
  assign poly_next_pair_o = busy_q ? index_d[6:0] : '0;
  assign poly_pair_o = index_q[6:0];
  assign squeeze_ready_o = busy_q && source_q == FromSponge && sink_ready;
  assign in_ready_o = busy_q && source_q == FromStream && sink_ready;
  assign save_o = source_q == FromState;

  always_comb begin
    source_valid = 1'b1;
    unique case (source_q)
      FromStream: begin
        source_valid = in_valid_i;
        word = in_data_i;
      end
      FromString: begin
        word = string_rdata_i;
        if (patch_q && index_q[1:0] == 2'd3) word[63:32] = {patch_value_q, 24'd0};
      end
      FromSponge: begin
        source_valid = squeeze_valid_i;
        word = squeeze_data_i;
      end
      FromState: word = save_data_i;
      FromPoly:  word = {9'd0, poly_odd_i, 9'd0, poly_even_i};
      default:   word = immediate_q;
    endcase
  end

  // The sink.
  always_comb begin
    unique case (sink_q)
      ToStream: sink_ready = out_ready_i;
      ToSponge: sink_ready = absorb_ready_i;
      default:  sink_ready = 1'b1;
    endcase
  end
  assign out_valid_o = busy_q && source_valid && sink_q == ToStream;
  assign out_keep_o  = 8'((9'd1 << word_bytes_o) - 9'd1);
  assign out_last_o  = final_word && !more_q;
  always_comb begin
    for (int unsigned i = 0; i < 8; i++) out_data_o[8*i+:8] = out_keep_o[i] ? word[8*i+:8] : 8'd0;
  end
  assign absorb_valid_o = busy_q && source_valid && sink_q == ToSponge;
  assign string_we_o = fire && sink_q == ToString;
  assign string_waddr_o = sink_at_q + index_q[7:0];
  assign restore_valid_o = fire && sink_q == ToState;

  // A coefficient in -q + 1 .. q - 1 becomes its residue.
  function automatic logic in_range(input logic [31:0] value);
    return $signed(value) < $signed(32'(Q)) && $signed(value) > -$signed(32'(Q));
  endfunction
  function automatic residue_t residue(input logic negative, input residue_t low);
    return low + (negative ? Q : '0);
  endfunction

  // Waiting.
  logic [31:0] waited_q;
  logic timed_out;
  assign stall_in_o  = busy_q && source_q == FromStream && !in_valid_i;
  assign stall_out_o = busy_q && sink_q == ToStream && !out_ready_i;
  assign timed_out   = timeout_i != '0 && waited_q == timeout_i;

  // Errors.
  error_e cause;
  logic contiguous, fails;
  assign contiguous = in_keep_i != '0 && (in_keep_i & (in_keep_i + 8'd1)) == '0;
  always_comb begin
    cause = ErrNone;
    if (stall_in_o && timed_out) begin
      cause = ErrInputTimeout;
    end else if (stall_out_o && timed_out) begin
      cause = ErrOutputTimeout;
    end else if (fire && source_q == FromStream) begin
      if (!contiguous || (in_keep_i < out_keep_o && !in_last_i)) cause = ErrStreamKeep;
      else if (in_keep_i < out_keep_o || (in_last_i && (!final_word || more_q))) cause = ErrStreamShort;
      else if (in_keep_i > out_keep_o || (!in_last_i && final_word && !more_q)) cause = ErrStreamLong;
      else if (sink_q == ToPoly && !(in_range(in_data_i[31:0]) && in_range(in_data_i[63:32]))) cause = ErrCoefficient;
      else if (sink_q == ToState && index_q == 9'(Lanes) && restore_bad_i) cause = ErrOption;
    end
  end
  assign fails = cause != ErrNone;
  // The mover itself stops at once; a failure goes on to everything else, so it begins in a register.
  assign failed_o = cause_o != ErrNone;
  always_ff @(posedge clk_i) cause_o <= clear_i ? ErrNone : cause;

  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    if (clear_i || fails) begin
      busy_q <= 1'b0;
    end else if (start_i) begin
      busy_q <= bytes_i != '0;
      done_o <= bytes_i == '0;
    end else if (fire && final_word) begin
      busy_q <= 1'b0;
      done_o <= 1'b1;
    end
    if (clear_i) immediate_q <= '0;
    if (start_i) begin
      source_q <= source_i;
      sink_q <= sink_i;
      source_at_q <= source_at_i;
      sink_at_q <= sink_at_i;
      left_q <= bytes_i;
      more_q <= more_i;
      immediate_q <= immediate_i;
      patch_q <= patch_i;
      patch_value_q <= patch_value_i;
      index_q <= '0;
    end else if (fire) begin
      left_q  <= left_q - 32'd8;
      index_q <= index_d;
    end
    waited_q <= (start_i || fire || !(stall_in_o || stall_out_o)) ? '0 : waited_q + 32'd1;
  end

  assign poly_write_o = fire && sink_q == ToPoly;
  // Slots are filled from the stream only.
  assign poly_even_o  = residue(in_data_i[31], in_data_i[22:0]);
  assign poly_odd_o   = residue(in_data_i[63], in_data_i[54:32]);

`ifdef FORMAL
  `include "mover_formal.svh"
`endif

endmodule
