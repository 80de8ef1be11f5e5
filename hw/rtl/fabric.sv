// SPDX-License-Identifier: Apache-2.0 OR MIT

/// pqsoc fabric: ML-DSA polynomials, Keccak and SLH-DSA hash chains behind AXI4-Lite and two AXI4-Streams.
///
/// One clock. hw/README.md describes registers, commands and everything on the wires.
module fabric
  import fabric_pkg::*;
#(
    /// Butterflies of the polynomial unit: 1, 2 or 4.
    parameter int unsigned Butterflies = 4,
    /// Rounds of Keccak-f[1600] a cycle: 1 or 2.
    parameter int unsigned RoundsPerCycle = 1,
    /// Polynomial slots, a power of two from 2 to 256.
    parameter int unsigned Slots = 64,
    /// The command FIFO holds 2 to this power commands, 1 to 15.
    parameter int unsigned FifoLog2 = 9
) (
    input  logic clk_i,
    /// Active low, synchronous. Memories are cleared afterwards; STATUS.busy is 1 until then.
    input  logic rst_ni,
    /// High while an enabled interrupt is pending.
    output logic irq_o,

    // AXI4-Lite. Accesses outside of the map, writes to what cannot be written and writes without all of their strobes
    // are answered SLVERR.
    input  logic        s_axil_awvalid_i,
    output logic        s_axil_awready_o,
    input  logic [11:0] s_axil_awaddr_i,
    input  logic [ 2:0] s_axil_awprot_i,
    input  logic        s_axil_wvalid_i,
    output logic        s_axil_wready_o,
    input  logic [31:0] s_axil_wdata_i,
    input  logic [ 3:0] s_axil_wstrb_i,
    output logic        s_axil_bvalid_o,
    input  logic        s_axil_bready_i,
    output logic [ 1:0] s_axil_bresp_o,
    input  logic        s_axil_arvalid_i,
    output logic        s_axil_arready_o,
    input  logic [11:0] s_axil_araddr_i,
    input  logic [ 2:0] s_axil_arprot_i,
    output logic        s_axil_rvalid_o,
    input  logic        s_axil_rready_i,
    output logic [31:0] s_axil_rdata_o,
    output logic [ 1:0] s_axil_rresp_o,

    // AXI4-Stream in. Two beats are taken ahead, more when a command wants them. While the fabric is halted, and while it
    // clears its memories after a reset, input is taken and dropped.
    input  logic        s_axis_tvalid_i,
    output logic        s_axis_tready_o,
    input  logic [63:0] s_axis_tdata_i,
    /// All ones, save in the last beat of a command: there, as many low bits as bytes are left.
    input  logic [ 7:0] s_axis_tkeep_i,
    input  logic        s_axis_tlast_i,

    // AXI4-Stream out. A packet that an error or a soft reset cuts short ends with a beat of zeros.
    output logic        m_axis_tvalid_o,
    input  logic        m_axis_tready_i,
    output logic [63:0] m_axis_tdata_o,
    output logic [ 7:0] m_axis_tkeep_o,
    output logic        m_axis_tlast_o
);

  localparam int unsigned Banks = 2 * Butterflies;
  localparam int unsigned AddrW = $clog2(Slots * N / Banks);
  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned ClearLog2 = (AddrW > StringsLog2) ? AddrW : StringsLog2;

  // Registers.

  fabric_regs_pkg::fabric_regs__in_t hwif_in;
  fabric_regs_pkg::fabric_regs__out_t hwif_out;
  logic [3:0] wstrb;
  logic [1:0] bresp;
  whole_words u_whole_words (
      .clk_i,
      .rst_ni,
      .wvalid_i(s_axil_wvalid_i),
      .wready_i(s_axil_wready_o),
      .wstrb_i (s_axil_wstrb_i),
      .wstrb_o (wstrb),
      .bvalid_i(s_axil_bvalid_o),
      .bready_i(s_axil_bready_i),
      .bresp_i (bresp),
      .bresp_o (s_axil_bresp_o)
  );
  fabric_regs u_registers (
      .clk(clk_i),
      .rst_n(rst_ni),
      .s_axil_awready(s_axil_awready_o),
      .s_axil_awvalid(s_axil_awvalid_i),
      .s_axil_awaddr(s_axil_awaddr_i),
      .s_axil_awprot(s_axil_awprot_i),
      .s_axil_wready(s_axil_wready_o),
      .s_axil_wvalid(s_axil_wvalid_i),
      .s_axil_wdata(s_axil_wdata_i),
      .s_axil_wstrb(wstrb),
      .s_axil_bready(s_axil_bready_i),
      .s_axil_bvalid(s_axil_bvalid_o),
      .s_axil_bresp(bresp),
      .s_axil_arready(s_axil_arready_o),
      .s_axil_arvalid(s_axil_arvalid_i),
      .s_axil_araddr(s_axil_araddr_i),
      .s_axil_arprot(s_axil_arprot_i),
      .s_axil_rready(s_axil_rready_i),
      .s_axil_rvalid(s_axil_rvalid_o),
      .s_axil_rdata(s_axil_rdata_o),
      .s_axil_rresp(s_axil_rresp_o),
      .hwif_in,
      .hwif_out
  );

  logic clear, recover, push_q, halted, abort, wipe;
  assign clear   = !rst_ni || hwif_out.control.reset.value;
  assign recover = hwif_out.control.recover.value && halted;

  // Commands.

  logic fifo_empty, fifo_full, pop;
  logic [FifoLog2:0] fifo_level;
  word_t command;
  // The fields hold what was written in the cycle after the write.
  always_ff @(posedge clk_i) push_q <= hwif_out.command.opcode.swmod && !clear;
  command_fifo #(
      .DepthLog2(FifoLog2)
  ) u_command_fifo (
      .clk_i,
      .clear_i(clear || recover),
      .push_i(push_q),
      .data_i({
        hwif_out.options.value.value,
        hwif_out.command.b.value,
        hwif_out.command.a.value,
        hwif_out.command.dst.value,
        hwif_out.command.last.value,
        hwif_out.command.more.value,
        hwif_out.command.opcode.value
      }),
      .pop_i(pop),
      .data_o(command),
      .empty_o(fifo_empty),
      .full_o(fifo_full),
      .level_o(fifo_level)
  );

  // Wires between the sequencer and the units, named as its ports.

  logic busy, drop, list_done, error, clear_memory;
  error_e cause;
  logic [5:0] error_opcode;
  logic [15:0] index, done_count;
  logic [31:0] command_cycles, busy_cycles, stall_in_cycles, stall_out_cycles;
  logic [ClearLog2-1:0] clear_address;
  logic move_start, move_more, move_patch, move_done, move_failed, stall_in, stall_out;
  source_e move_source;
  sink_e   move_sink;
  logic [7:0] move_source_at, move_sink_at, move_patch_value;
  logic [31:0] move_bytes;
  word_t move_immediate;
  error_e move_cause;
  logic poly_start, poly_busy, poly_done;
  poly_op_e poly_op;
  logic [SlotW-1:0] dst, a, b;
  logic sponge_close, sponge_init, sponge_pad, sponge_permute, sponge_capture, sponge_busy, sponge_open;
  logic sponge_squeezing, sponge_block;
  logic [2:0] sponge_tail;
  hash_e sponge_hash;
  logic sample_start, sampling, sample_ready, sample_done;
  sample_e sample_kind;
  logic [6:0] sample_tau;

  sequencer #(
      .Slots(Slots),
      .ClearLog2(ClearLog2)
  ) u_sequencer (
      .clk_i,
      .clear_i(clear),
      .recover_i(recover),
      .run_i(hwif_out.control.run.value),
      .clear_counters_i(hwif_out.control.clear_counters.value),
      .overflow_i(push_q && fifo_full),
      .empty_i(fifo_empty),
      .pop_o(pop),
      .command_i(command),
      .busy_o(busy),
      .halted_o(halted),
      .drop_o(drop),
      .cause_o(cause),
      .error_opcode_o(error_opcode),
      .index_o(index),
      .done_count_o(done_count),
      .list_done_o(list_done),
      .error_o(error),
      .command_cycles_o(command_cycles),
      .busy_cycles_o(busy_cycles),
      .stall_in_cycles_o(stall_in_cycles),
      .stall_out_cycles_o(stall_out_cycles),
      .abort_o(abort),
      .wipe_o(wipe),
      .clear_memory_o(clear_memory),
      .clear_address_o(clear_address),
      .move_start_o(move_start),
      .move_source_o(move_source),
      .move_sink_o(move_sink),
      .move_source_at_o(move_source_at),
      .move_sink_at_o(move_sink_at),
      .move_bytes_o(move_bytes),
      .move_more_o(move_more),
      .move_immediate_o(move_immediate),
      .move_patch_o(move_patch),
      .move_patch_value_o(move_patch_value),
      .move_done_i(move_done),
      .move_failed_i(move_failed),
      .move_cause_i(move_cause),
      .stall_in_i(stall_in),
      .stall_out_i(stall_out),
      .poly_start_o(poly_start),
      .poly_op_o(poly_op),
      .dst_o(dst),
      .a_o(a),
      .b_o(b),
      .poly_done_i(poly_done),
      .sponge_close_o(sponge_close),
      .sponge_init_o(sponge_init),
      .sponge_hash_o(sponge_hash),
      .sponge_pad_o(sponge_pad),
      .sponge_permute_o(sponge_permute),
      .sponge_capture_o(sponge_capture),
      .sponge_busy_i(sponge_busy),
      .sponge_open_i(sponge_open),
      .sponge_squeezing_i(sponge_squeezing),
      .sponge_tail_i(sponge_tail),
      .sponge_block_i(sponge_block),
      .sample_start_o(sample_start),
      .sample_kind_o(sample_kind),
      .sample_tau_o(sample_tau),
      .sampling_o(sampling),
      .sample_ready_i(sample_ready),
      .sample_done_i(sample_done)
  );

  // Streams.

  logic in_valid, in_ready, in_last, out_valid, out_ready, out_last;
  word_t in_data, out_data;
  logic [7:0] in_keep, out_keep;
  logic move_in_ready;
  stream_buffer #(
      .Width(73)
  ) u_stream_in (
      .clk_i,
      .rst_ni,
      .s_valid_i(s_axis_tvalid_i),
      .s_ready_o(s_axis_tready_o),
      .s_data_i ({s_axis_tlast_i, s_axis_tkeep_i, s_axis_tdata_i}),
      .m_valid_o(in_valid),
      .m_ready_i(in_ready),
      .m_data_o ({in_last, in_keep, in_data})
  );
  assign in_ready = move_in_ready || drop;

  stream_out u_stream_out (
      .clk_i,
      .rst_ni,
      .abort_i  (abort),
      .s_valid_i(out_valid),
      .s_ready_o(out_ready),
      .s_data_i (out_data),
      .s_keep_i (out_keep),
      .s_last_i (out_last),
      .m_axis_tvalid_o,
      .m_axis_tready_i,
      .m_axis_tdata_o,
      .m_axis_tkeep_o,
      .m_axis_tlast_o
  );

  // Memories.

  logic [StringsLog2-1:0] string_raddr, string_waddr;
  word_t string_rdata, word;
  logic string_we;
  string_mem u_string_mem (
      .clk_i,
      .raddr_i(string_raddr),
      .rdata_o(string_rdata),
      .we_i(string_we || clear_memory),
      .waddr_i(clear_memory ? clear_address[StringsLog2-1:0] : string_waddr),
      .wdata_i(clear_memory ? '0 : word)
  );

  logic [1:0][AddrW-1:0] poly_raddr, unit_raddr, unit_waddr, port_raddr, port_waddr;
  residue_t [Banks-1:0] poly_rdata, unit_wdata, port_wdata;
  logic [Banks-1:0] unit_we, port_we;
  assign poly_raddr = poly_busy ? unit_raddr : port_raddr;
  // The write ports of the units are zero when they do not write, and at most one of them does.
  poly_mem #(
      .Butterflies(Butterflies),
      .Slots(Slots)
  ) u_poly_mem (
      .clk_i,
      .raddr_i(poly_raddr),
      .rdata_o(poly_rdata),
      .we_i(unit_we | port_we | {Banks{clear_memory}}),
      .waddr_i(unit_waddr | port_waddr | {2{clear_memory ? clear_address[AddrW-1:0] : '0}}),
      .wdata_i(unit_wdata | port_wdata)
  );

  // Units.

  poly_unit #(
      .Butterflies(Butterflies),
      .Slots(Slots)
  ) u_poly_unit (
      .clk_i,
      .clear_i(abort),
      .start_i(poly_start),
      .op_i(poly_op),
      .dst_i(dst),
      .a_i(a),
      .b_i(b),
      .busy_o(poly_busy),
      .done_o(poly_done),
      .raddr_o(unit_raddr),
      .rdata_i(poly_rdata),
      .we_o(unit_we),
      .waddr_o(unit_waddr),
      .wdata_o(unit_wdata)
  );

  logic absorb_valid, absorb_ready, squeeze_valid, move_squeeze_ready, sampler_ready, save, save_valid, restore_valid;
  word_t squeeze_data, save_data;
  logic [3:0] word_bytes, squeeze_bytes;
  logic [4:0] word_index, save_index;
  sponge #(
      .RoundsPerCycle(RoundsPerCycle)
  ) u_sponge (
      .clk_i,
      .clear_i(wipe || sponge_close),
      .init_i(sponge_init),
      .hash_i(sponge_hash),
      .absorb_valid_i(absorb_valid),
      .absorb_data_i(word),
      .absorb_bytes_i(word_bytes),
      .absorb_ready_o(absorb_ready),
      .pad_i(sponge_pad),
      .permute_i(sponge_permute),
      .squeeze_valid_o(squeeze_valid),
      .squeeze_data_o(squeeze_data),
      .squeeze_bytes_i(sampling ? 4'd8 : squeeze_bytes),
      .squeeze_ready_i(sampling ? sampler_ready : move_squeeze_ready),
      .ahead_i(sampling),
      .block_o(sponge_block),
      .capture_i(sponge_capture),
      .save_i(save),
      .save_index_i(save_index),
      .save_valid_o(save_valid),
      .save_data_o(save_data),
      .restore_valid_i(restore_valid),
      .restore_index_i(word_index),
      .restore_data_i(word),
      .busy_o(sponge_busy),
      .open_o(sponge_open),
      .squeezing_o(sponge_squeezing),
      .tail_o(sponge_tail)
  );

  logic sample_valid;
  logic [7:0] sample_index;
  residue_t coefficient;
  sampler u_sampler (
      .clk_i,
      .clear_i(wipe),
      .ready_o(sample_ready),
      .start_i(sample_start),
      .kind_i(sample_kind),
      .tau_i(sample_tau),
      .word_valid_i(sampling && squeeze_valid),
      .word_i(squeeze_data),
      .word_ready_o(sampler_ready),
      .valid_o(sample_valid),
      .index_o(sample_index),
      .coefficient_o(coefficient),
      .done_o(sample_done)
  );

  logic move_write, move_read, move_next, port_valid;
  logic [6:0] move_pair;
  residue_t move_even, move_odd, port_even, port_odd;
  poly_port #(
      .Butterflies(Butterflies),
      .Slots(Slots)
  ) u_poly_port (
      .clk_i,
      .clear_i(abort),
      .write_i(move_write ? 2'b11 : {sample_valid && sample_index[0], sample_valid && !sample_index[0]}),
      .write_slot_i(dst),
      .write_pair_i(move_write ? move_pair : sample_index[7:1]),
      .even_i(move_write ? move_even : coefficient),
      .odd_i(move_write ? move_odd : coefficient),
      .read_i(move_read),
      .read_slot_i(a),
      .valid_o(port_valid),
      .next_i(move_next),
      .even_o(port_even),
      .odd_o(port_odd),
      .raddr_o(port_raddr),
      .rdata_i(poly_rdata),
      .we_o(port_we),
      .waddr_o(port_waddr),
      .wdata_o(port_wdata)
  );

  mover u_mover (
      .clk_i,
      .clear_i(wipe),
      .start_i(move_start),
      .source_i(move_source),
      .sink_i(move_sink),
      .source_at_i(move_source_at),
      .sink_at_i(move_sink_at),
      .bytes_i(move_bytes),
      .more_i(move_more),
      .immediate_i(move_immediate),
      .patch_i(move_patch),
      .patch_value_i(move_patch_value),
      .timeout_i(hwif_out.timeout.cycles.value),
      .done_o(move_done),
      .failed_o(move_failed),
      .cause_o(move_cause),
      .stall_in_o(stall_in),
      .stall_out_o(stall_out),
      .in_valid_i(in_valid),
      .in_ready_o(move_in_ready),
      .in_data_i(in_data),
      .in_keep_i(in_keep),
      .in_last_i(in_last),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .out_data_o(out_data),
      .out_keep_o(out_keep),
      .out_last_o(out_last),
      .string_raddr_o(string_raddr),
      .string_rdata_i(string_rdata),
      .string_we_o(string_we),
      .string_waddr_o(string_waddr),
      .word_o(word),
      .word_bytes_o(word_bytes),
      .word_index_o(word_index),
      .absorb_valid_o(absorb_valid),
      .absorb_ready_i(absorb_ready),
      .squeeze_valid_i(squeeze_valid),
      .squeeze_ready_o(move_squeeze_ready),
      .squeeze_bytes_o(squeeze_bytes),
      .squeeze_data_i(squeeze_data),
      .save_o(save),
      .save_index_o(save_index),
      .save_valid_i(save_valid),
      .save_data_i(save_data),
      .restore_valid_o(restore_valid),
      .poly_write_o(move_write),
      .poly_pair_o(move_pair),
      .poly_even_o(move_even),
      .poly_odd_o(move_odd),
      .poly_read_o(move_read),
      .poly_valid_i(port_valid),
      .poly_next_o(move_next),
      .poly_even_i(port_even),
      .poly_odd_i(port_odd)
  );

  // Status.

  always_comb begin
    hwif_in.capabilities.butterflies.next = 4'(Butterflies);
    hwif_in.capabilities.rounds.next = 4'(RoundsPerCycle);
    hwif_in.capabilities.slots.next = 9'(Slots);
    hwif_in.capabilities.fifo_log2.next = 4'(FifoLog2);
    hwif_in.capabilities.strings_log2.next = 4'(StringsLog2);
    hwif_in.status.busy.next = busy;
    hwif_in.status.halted.next = halted;
    hwif_in.status.empty.next = fifo_empty;
    hwif_in.status.full.next = fifo_full;
    hwif_in.status.queued.next = 16'(fifo_level);
    hwif_in.error.cause.next = cause;
    hwif_in.error.opcode.next = error_opcode;
    hwif_in.error.index.next = index;
    hwif_in.irq_status.done.hwset = list_done;
    hwif_in.irq_status.error.hwset = error;
    hwif_in.commands_done.count.next = done_count;
    hwif_in.command_cycles.cycles.next = command_cycles;
    hwif_in.busy_cycles.cycles.next = busy_cycles;
    hwif_in.stall_in_cycles.cycles.next = stall_in_cycles;
    hwif_in.stall_out_cycles.cycles.next = stall_out_cycles;
  end
  always_ff @(posedge clk_i) begin
    irq_o <= rst_ni && ((hwif_out.irq_status.done.value && hwif_out.irq_enable.done.value) ||
                        (hwif_out.irq_status.error.value && hwif_out.irq_enable.error.value));
  end

endmodule
