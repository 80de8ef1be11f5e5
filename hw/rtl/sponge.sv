// SPDX-License-Identifier: Apache-2.0 OR MIT

/// SHA3-256, SHA3-512, SHAKE128 and SHAKE256 over keccak_f1600: absorb, pad, squeeze, save and restore.
///
/// Data are words of 8 bytes, first byte in the low byte. What is absorbed is whole words, save the last before
/// padding, which may end within a word; the same goes for what is squeezed. The sequencer sees to that with open_o,
/// squeezing_o and tail_o.
///
/// The word that fills a block is followed by a cycle that adds the block to the state, 24 / RoundsPerCycle cycles of
/// permutation, and a cycle that copies the block to be squeezed. Words of the next block are taken meanwhile. Cycles
/// depend on lengths only.
module sponge
  import fabric_pkg::*;
#(
    /// 1 or 2.
    parameter int unsigned RoundsPerCycle = 1
) (
    input  logic        clk_i,
    /// Wipes the state; the sponge is then closed. Wins over everything else.
    input  logic        clear_i,
    /// Wipes the state and opens it for hash_i.
    input  logic        init_i,
    input  hash_e       hash_i,
    /// A word to absorb, accepted when valid and ready. The sponge is open and does not squeeze.
    input  logic        absorb_valid_i,
    input  word_t       absorb_data_i,
    /// Bytes that count in it, 1 to 8.
    input  logic  [3:0] absorb_bytes_i,
    output logic        absorb_ready_o,
    /// Pads what was absorbed and begins to squeeze; not while busy_o.
    input  logic        pad_i,
    /// Permutes the state as it is; not while busy_o.
    input  logic        permute_i,
    /// A word squeezed, accepted when valid and ready.
    output logic        squeeze_valid_o,
    output word_t       squeeze_data_o,
    /// Bytes of it that are used, 1 to 8.
    input  logic  [3:0] squeeze_bytes_i,
    input  logic        squeeze_ready_i,
    /// Permute while a block is still being squeezed. The state is then of no use to save.
    input  logic        ahead_i,
    /// A block of output has become available.
    output logic        block_o,
    /// Copies the state for save_data_o, which is valid when busy_o is low again; not while busy_o.
    input  logic        capture_i,
    /// In the cycle after, save_data_o is word save_index_i of the copy: lane 0 to 24, or 25 for the control word.
    input  logic        save_i,
    input  logic  [4:0] save_index_i,
    output logic        save_valid_o,
    output word_t       save_data_o,
    /// Restores these words, in order, into a sponge that was just opened. A control word that is none is ignored.
    input  logic        restore_valid_i,
    input  logic  [4:0] restore_index_i,
    input  word_t       restore_data_i,
    /// The state is being changed, by a permutation or otherwise.
    output logic        busy_o,
    output logic        open_o,
    output logic        squeezing_o,
    /// Bytes of the current word that are taken. If not 0, only padding may follow.
    output logic  [2:0] tail_o
);

  control_t control_q, restored;
  logic [4:0] last_lane, next_lane;
  assign restored = control_t'(restore_data_i[12:0]);
  assign last_lane = rate_end(control_q.hash);
  assign open_o = control_q.open;
  assign squeezing_o = control_q.squeezing;
  assign tail_o = control_q.tail;

  // add_q: what was collected is added to the state now. permute_q: a permutation begins now. output_q: it, or the last
  // one, is for a block of output not yet copied. capture_q: the state is copied now.
  logic add_q, pad_q, permute_due_q, permute_q, output_q, capture_due_q, capture_q;
  logic keccak_busy, absorb, take, copy, need, last;
  // The bytes of a last word that is not whole, until they are in the state.
  word_t tail_word_q;
  state_t state, block_q;
  assign last = control_q.lane == last_lane;
  assign next_lane = last ? '0 : control_q.lane + 5'd1;
  // The block that is being collected is full and waits until the state is free.
  logic full_q;
  assign absorb_ready_o = !full_q && !add_q;
  assign absorb = absorb_valid_i && absorb_ready_o;
  assign squeeze_valid_o = control_q.block;
  assign take = control_q.block && squeeze_ready_i;
  assign copy = output_q && !add_q && !permute_q && !keccak_busy && !control_q.block;
  assign need = control_q.squeezing && !control_q.block && !output_q && squeeze_ready_i;
  assign busy_o = full_q || add_q || permute_q || keccak_busy || (output_q && !control_q.block) || capture_q;

  word_t data, suffix, masked;
  // The domain bits and the first bit of pad10*1. FIPS 202, sections 6.1, 6.2 and appendix B.2.
  assign suffix = (control_q.hash == Shake128 || control_q.hash == Shake256) ? 64'h1F : 64'h06;
  always_comb begin
    for (int unsigned i = 0; i < 8; i++) begin
      masked[8*i+:8] = (4'(i) < absorb_bytes_i) ? absorb_data_i[8*i+:8] : 8'd0;
    end
    data = pad_i ? tail_word_q | (suffix << {control_q.tail, 3'b0}) : restore_valid_i ? restore_data_i : masked;
  end

  keccak_f1600 #(
      .RoundsPerCycle(RoundsPerCycle)
  ) u_keccak (
      .clk_i,
      .clear_i(clear_i || init_i),
      .collect_i(absorb || pad_i || (restore_valid_i && restore_index_i < 5'(Lanes))),
      .lane_i(restore_valid_i ? restore_index_i : control_q.lane),
      .data_i(data),
      .add_i(add_q),
      .add_last_i(pad_q),
      .last_lane_i(last_lane),
      .start_i(permute_q),
      .busy_o(keccak_busy),
      .state_o(state)
  );

  always_ff @(posedge clk_i) begin
    add_q <= 1'b0;
    pad_q <= 1'b0;
    permute_q <= 1'b0;
    capture_q <= 1'b0;
    block_o <= 1'b0;
    if (absorb) begin
      if (!absorb_bytes_i[3]) begin
        control_q.tail <= absorb_bytes_i[2:0];
        tail_word_q <= masked;
      end else if (last) begin
        control_q.lane <= '0;
        full_q <= permute_q || keccak_busy;
        add_q <= !permute_q && !keccak_busy;
        permute_due_q <= 1'b1;
      end else begin
        control_q.lane <= control_q.lane + 5'd1;
      end
    end
    if (full_q && !permute_q && !keccak_busy) begin
      add_q  <= 1'b1;
      full_q <= 1'b0;
    end
    if (add_q) begin
      permute_q <= permute_due_q;
      capture_q <= capture_due_q;
      permute_due_q <= 1'b0;
      capture_due_q <= 1'b0;
      tail_word_q <= '0;
    end
    if (take) begin
      if (!squeeze_bytes_i[3]) control_q.tail <= squeeze_bytes_i[2:0];
      control_q.lane <= next_lane;
      if (last) control_q.block <= 1'b0;
    end
    if (copy) begin
      control_q.block <= 1'b1;
      block_o <= 1'b1;
      output_q <= ahead_i;
      permute_q <= ahead_i;
    end
    if (pad_i) begin
      control_q.squeezing <= 1'b1;
      control_q.lane <= '0;
      control_q.tail <= '0;
      pad_q <= 1'b1;
    end
    if (need) permute_q <= 1'b1;
    if (pad_i || need) output_q <= 1'b1;
    // What was collected comes into the state first.
    if (pad_i || permute_i || capture_i) add_q <= 1'b1;
    if (pad_i || permute_i) permute_due_q <= 1'b1;
    if (capture_i) capture_due_q <= 1'b1;
    if (restore_valid_i && restore_index_i == 5'(Lanes) && is_control(restore_data_i)) begin
      control_q <= restored;
      add_q <= 1'b1;
      capture_due_q <= 1'b1;
    end
    if (clear_i || init_i) begin
      control_q <= '0;
      control_q.open <= !clear_i;
      control_q.hash <= hash_i;
      add_q <= 1'b0;
      pad_q <= 1'b0;
      permute_due_q <= 1'b0;
      permute_q <= 1'b0;
      output_q <= 1'b0;
      capture_due_q <= 1'b0;
      capture_q <= 1'b0;
      full_q <= 1'b0;
      tail_word_q <= '0;
      block_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || init_i) block_q <= '0;
    else if (copy || capture_q) block_q <= state;
  end

  // The lane that goes out, one bit for each: from registers, because 64 selections of one in 25 hang on it. While there
  // is a block it is control_q.lane, or else what is saved.
  logic [Lanes-1:0] selected_q;
  logic save_control_q;
  word_t lane_data;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      selected_q[i] <= (save_i ? save_index_i : take ? next_lane : control_q.lane) == 5'(i);
    end
    save_valid_o   <= save_i;
    save_control_q <= save_index_i == 5'(Lanes);
  end
  always_comb begin
    lane_data = '0;
    for (int unsigned i = 0; i < Lanes; i++) lane_data = lane_data | (block_q[i] & {64{selected_q[i]}});
  end
  assign squeeze_data_o = lane_data;
  assign save_data_o = save_control_q ? {51'd0, control_q} : lane_data;

`ifdef FORMAL
  `include "sponge_formal.svh"
`endif

endmodule
