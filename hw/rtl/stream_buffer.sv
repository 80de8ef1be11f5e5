// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Two-entry buffer between valid/ready streams: full throughput, every output registered.
///
/// m_data_o is stable from m_valid_o to m_ready_i. Nothing is lost or invented. What has left reads as zero.
module stream_buffer #(
    /// 1 or more.
    parameter int unsigned Width = 64
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             s_valid_i,
    output logic             s_ready_o,
    input  logic [Width-1:0] s_data_i,
    output logic             m_valid_o,
    input  logic             m_ready_i,
    output logic [Width-1:0] m_data_o
);

  // The second entry is in use when s_ready_o is low.
  logic [Width-1:0] second_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      m_valid_o <= 1'b0;
      s_ready_o <= 1'b1;
      m_data_o  <= '0;
      second_q  <= '0;
    end else if (m_ready_i || !m_valid_o) begin
      m_valid_o <= !s_ready_o || s_valid_i;
      m_data_o  <= !s_ready_o ? second_q : s_valid_i ? s_data_i : '0;
      s_ready_o <= 1'b1;
      second_q  <= '0;
    end else if (s_ready_o && s_valid_i) begin
      s_ready_o <= 1'b0;
      second_q  <= s_data_i;
    end
  end

`ifdef FORMAL
  `include "stream_buffer_formal.svh"
`endif

endmodule
