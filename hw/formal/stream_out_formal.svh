// SPDX-License-Identifier: Apache-2.0 OR MIT
// Included in stream_out. AXI4-Stream rules at the output, and: an abandoned packet is ended.

logic past_q = 1'b0;
logic in_packet_q;
always_ff @(posedge clk_i) begin
  past_q <= 1'b1;
  if (!rst_ni) in_packet_q <= 1'b0;
  else if (m_axis_tvalid_o && m_axis_tready_i) in_packet_q <= !m_axis_tlast_o;
end

always_ff @(posedge clk_i) begin
  if (!past_q) begin
    assume (!rst_ni);
  end else begin
    // The contract of abort_i.
    if ($past(abort_i)) assume (!s_valid_i);
    if ($past(rst_ni) && $past(m_axis_tvalid_o) && !$past(m_axis_tready_i)) begin
      stable :
      assert (m_axis_tvalid_o && $stable({m_axis_tdata_o, m_axis_tkeep_o, m_axis_tlast_o}));
    end
    if (rst_ni && $past(rst_ni)) begin
      closes : assert (!closing_q || open_q);
      // open_q follows the last beat taken, which is the second one held, the first one held, or the last that left.
      second : assert (buffer_ready || open_q == !u_buffer.second_q[72]);
      first : assert (!buffer_ready || !m_axis_tvalid_o || open_q == !m_axis_tlast_o);
      none : assert (m_axis_tvalid_o || (buffer_ready && in_packet_q == open_q));
      if ($past(closing_q) && $past(buffer_ready)) closed : assert (!closing_q && !open_q);
      if ($past(abort_i) && !$past(closing_q) && open_q) begin
        begins : assert (closing_q);
      end
    end
  end
end
