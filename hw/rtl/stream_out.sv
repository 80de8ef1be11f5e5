// SPDX-License-Identifier: Apache-2.0 OR MIT

/// The output stream: a stream_buffer that always ends its packets.
///
/// When a packet is abandoned, the beats already taken still go out unchanged, as AXI4-Stream asks, and then a beat of
/// zeros with TLAST ends the packet, so that a DMA that waits for it is not left waiting.
module stream_out
  import fabric_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    /// Ends the current packet, if one is open. s_valid_i is low in the cycle after.
    input  logic        abort_i,
    input  logic        s_valid_i,
    output logic        s_ready_o,
    input  word_t       s_data_i,
    input  logic  [7:0] s_keep_i,
    input  logic        s_last_i,
    output logic        m_axis_tvalid_o,
    input  logic        m_axis_tready_i,
    output word_t       m_axis_tdata_o,
    output logic  [7:0] m_axis_tkeep_o,
    output logic        m_axis_tlast_o
);

  // open_q: the last beat taken was not the last of its packet. closing_q: the beat of zeros is still to be taken.
  logic open_q, closing_q, buffer_ready, taken;
  assign s_ready_o = buffer_ready && !closing_q;
  assign taken = s_valid_i && s_ready_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      closing_q <= 1'b0;
    end else begin
      if (taken) open_q <= !s_last_i;
      if (closing_q && buffer_ready) begin
        open_q <= 1'b0;
        closing_q <= 1'b0;
      end else if (abort_i && (taken ? !s_last_i : open_q)) begin
        closing_q <= 1'b1;
      end
    end
  end

  stream_buffer #(
      .Width(73)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .s_valid_i(s_valid_i || closing_q),
      .s_ready_o(buffer_ready),
      .s_data_i (closing_q ? {1'b1, 8'hFF, 64'b0} : {s_last_i, s_keep_i, s_data_i}),
      .m_valid_o(m_axis_tvalid_o),
      .m_ready_i(m_axis_tready_i),
      .m_data_o ({m_axis_tlast_o, m_axis_tkeep_o, m_axis_tdata_o})
  );

`ifdef FORMAL
  `include "stream_out_formal.svh"
`endif

endmodule
