// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Moves a number of bytes from one place to another, one word of 8 bytes a cycle when neither side makes it wait.
///
/// A word is taken from its source in one cycle and delivered to its sink in the next or a later one, so no path
/// leads from a source through a sink. The only part of the fabric that the two AXI4-Stream ports are connected to:
/// all their error cases are here. A move of 0 bytes touches neither side.
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
    /// String memory: first word.
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
    /// One cycle, that of the last delivery: ended well.
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
    /// String memory. What is read is there in the next cycle.
    output logic     [StringsLog2-1:0] string_raddr_o,
    input  word_t                      string_rdata_i,
    output logic                       string_we_o,
    output logic     [StringsLog2-1:0] string_waddr_o,
    /// The word that is delivered, for the string memory and the sponge.
    output word_t                      word_o,
    /// Bytes of it that count, 1 to 8.
    output logic     [            3:0] word_bytes_o,
    output logic     [            4:0] word_index_o,
    /// Sponge.
    output logic                       absorb_valid_o,
    input  logic                       absorb_ready_i,
    input  logic                       squeeze_valid_i,
    output logic                       squeeze_ready_o,
    /// Bytes of the word squeezed that are used, 1 to 8.
    output logic     [            3:0] squeeze_bytes_o,
    input  word_t                      squeeze_data_i,
    /// Word save_index_o of a saved sponge is there in the next cycle.
    output logic                       save_o,
    output logic     [            4:0] save_index_o,
    input  logic                       save_valid_i,
    input  word_t                      save_data_i,
    output logic                       restore_valid_o,
    /// Two coefficients of a slot, see poly_port. Which slot is up to the sequencer.
    output logic                       poly_write_o,
    output logic     [            6:0] poly_pair_o,
    output residue_t                   poly_even_o,
    output residue_t                   poly_odd_o,
    output logic                       poly_read_o,
    input  logic                       poly_valid_i,
    output logic                       poly_next_o,
    input  residue_t                   poly_even_i,
    input  residue_t                   poly_odd_i
);

  // What is still to be taken from the source.
  logic reading_q;
  source_e source_q;
  logic [7:0] source_at_q, source_next_q;
  logic [31:0] left_q;
  logic [8:0] index_q, index_d;
  logic final_q;  // the next word is the last
  logic [3:0] bytes_q;  // bytes of the next word
  word_t immediate_q;
  logic [7:0] patch_value_q;
  logic more_q, patch_q;

  // What is to be delivered to the sink.
  logic word_valid_q, word_final_q;
  sink_e sink_q;
  logic [7:0] sink_at_q;
  word_t word_q;
  logic [3:0] word_bytes_q;
  logic [6:0] word_index_q;

  logic source_valid, room, take, sink_ready, deliver;
  assign room = !word_valid_q || sink_ready;
  assign take = reading_q && source_valid && room;
  assign deliver = word_valid_q && sink_ready;

  /// The low `bytes` of eight, 1 to 8.
  function automatic logic [7:0] keep(input logic [3:0] bytes);
    for (int unsigned i = 0; i < 8; i++) keep[i] = 4'(i) < bytes;
  endfunction

  // Without the carries of a comparison.
  function automatic logic at_most_8(input logic [31:0] value);
    return value[31:4] == '0 && (!value[3] || value[2:0] == '0);
  endfunction
  logic at_most_16;
  assign at_most_16 = left_q[31:5] == '0 && (!left_q[4] || left_q[3:0] == '0);

  // The source. String memory and the sponge's state are addressed a cycle ahead.
  word_t word;
  assign index_d = take ? index_q + 9'd1 : index_q;
  assign string_raddr_o = !reading_q ? source_at_i : room ? source_next_q : source_at_q;
  assign poly_read_o = reading_q && source_q == FromPoly;
  assign poly_next_o = room;
  assign squeeze_ready_o = reading_q && source_q == FromSponge && room;
  assign squeeze_bytes_o = bytes_q;
  assign in_ready_o = reading_q && source_q == FromStream && room;
  assign save_o = reading_q && source_q == FromState;
  assign save_index_o = index_d[4:0];

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
      FromState: begin
        source_valid = save_valid_i;
        word = save_data_i;
      end
      FromPoly: begin
        source_valid = poly_valid_i;
        word = {9'd0, poly_odd_i, 9'd0, poly_even_i};
      end
      default: word = immediate_q;
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
  assign word_o = word_q;
  assign word_bytes_o = word_bytes_q;
  assign word_index_o = word_index_q[4:0];
  assign out_valid_o = word_valid_q && sink_q == ToStream;
  assign out_keep_o = keep(word_bytes_q);
  assign out_last_o = word_final_q && !more_q;
  always_comb begin
    for (int unsigned i = 0; i < 8; i++) out_data_o[8*i+:8] = out_keep_o[i] ? word_q[8*i+:8] : 8'd0;
  end
  assign absorb_valid_o = word_valid_q && sink_q == ToSponge;
  assign string_we_o = word_valid_q && sink_q == ToString;
  assign string_waddr_o = sink_at_q;
  assign restore_valid_o = word_valid_q && sink_q == ToState;

  // A coefficient in -q + 1 .. q - 1 becomes its residue.
  function automatic logic in_range(input logic [31:0] value);
    return (value[31:23] == '0 && is_residue(value[22:0])) || ((&value[31:23]) && value[22:13] != '0);
  endfunction
  function automatic residue_t residue(input logic negative, input residue_t low);
    return low + (negative ? Q : '0);
  endfunction
  // Slots are filled from the stream only.
  assign poly_write_o = word_valid_q && sink_q == ToPoly;
  assign poly_pair_o  = word_index_q;
  assign poly_even_o  = residue(word_q[31], word_q[22:0]);
  assign poly_odd_o   = residue(word_q[63], word_q[54:32]);

  // Waiting.
  logic [31:0] waited_q;
  logic timed_out;
  assign stall_in_o  = reading_q && source_q == FromStream && !in_valid_i;
  assign stall_out_o = out_valid_o && !out_ready_i;
  assign timed_out   = timeout_i != '0 && waited_q == timeout_i;

  // Errors. Each has a flag, and only then is the first of them looked for: otherwise the path from a beat to the
  // cause would be the longest of the fabric.
  typedef struct packed {
    logic input_timeout;
    logic output_timeout;
    logic keep;
    logic short_packet;
    logic long_packet;
    logic coefficient;
    logic option;
  } faults_t;
  faults_t faults, faults_q;
  logic contiguous, fewer, excess, from_stream;
  assign from_stream = take && source_q == FromStream;
  assign contiguous = in_keep_i != '0 && (in_keep_i & (in_keep_i + 8'd1)) == '0;
  assign fewer = (keep(bytes_q) & ~in_keep_i) != '0;
  assign excess = (in_keep_i & ~keep(bytes_q)) != '0;
  always_comb begin
    faults = '0;
    faults.input_timeout = stall_in_o && timed_out;
    faults.output_timeout = stall_out_o && timed_out;
    faults.keep = from_stream && (!contiguous || (fewer && !in_last_i));
    faults.short_packet = from_stream && (fewer || (in_last_i && (!final_q || more_q)));
    faults.long_packet = from_stream && (excess || (!in_last_i && final_q && !more_q));
    faults.coefficient = from_stream && sink_q == ToPoly && !(in_range(in_data_i[31:0]) && in_range(in_data_i[63:32]));
    faults.option = from_stream && sink_q == ToState && index_q == 9'(Lanes) && !is_control(in_data_i);
  end
  assign failed_o = faults_q != '0;
  always_comb begin
    cause_o = ErrNone;
    if (faults_q.input_timeout) cause_o = ErrInputTimeout;
    else if (faults_q.output_timeout) cause_o = ErrOutputTimeout;
    else if (faults_q.keep) cause_o = ErrStreamKeep;
    else if (faults_q.short_packet) cause_o = ErrStreamShort;
    else if (faults_q.long_packet) cause_o = ErrStreamLong;
    else if (faults_q.coefficient) cause_o = ErrCoefficient;
    else if (faults_q.option) cause_o = ErrOption;
  end

  logic nothing_q;  // a move of 0 bytes
  assign done_o = nothing_q || (deliver && word_final_q && !failed_o);
  always_ff @(posedge clk_i) begin
    nothing_q <= start_i && bytes_i == '0 && !clear_i;
    if (clear_i || failed_o) begin
      faults_q <= '0;
      reading_q <= 1'b0;
      word_valid_q <= 1'b0;
    end else begin
      faults_q <= faults;
      if (start_i) reading_q <= bytes_i != '0;
      else if (take && final_q) reading_q <= 1'b0;
      if (take) word_valid_q <= 1'b1;
      else if (deliver) word_valid_q <= 1'b0;
    end
    if (start_i) begin
      source_q <= source_i;
      sink_q <= sink_i;
      source_at_q <= source_at_i;
      source_next_q <= source_at_i + 8'd1;
      sink_at_q <= sink_at_i;
      left_q <= bytes_i;
      final_q <= at_most_8(bytes_i);
      bytes_q <= at_most_8(bytes_i) ? bytes_i[3:0] : 4'd8;
      more_q <= more_i;
      immediate_q <= immediate_i;
      patch_q <= patch_i;
      patch_value_q <= patch_value_i;
      index_q <= '0;
    end else begin
      index_q <= index_d;
      if (take) begin
        source_at_q <= source_next_q;
        source_next_q <= source_next_q + 8'd1;
        left_q <= left_q - 32'd8;
        final_q <= at_most_16;
        bytes_q <= at_most_16 ? left_q[3:0] - 4'd8 : 4'd8;
      end
      if (deliver) sink_at_q <= sink_at_q + 8'd1;
    end
    if (take) begin
      word_q <= word;
      word_final_q <= final_q;
      word_bytes_q <= bytes_q;
      word_index_q <= index_q[6:0];
    end
    if (clear_i) begin
      word_q <= '0;
      immediate_q <= '0;
    end
    waited_q <= (start_i || take || deliver || !(stall_in_o || stall_out_o)) ? '0 : waited_q + 32'd1;
  end

`ifdef FORMAL
  `include "mover_formal.svh"
`endif

endmodule
