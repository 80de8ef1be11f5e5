// SPDX-License-Identifier: Apache-2.0 OR MIT
// Included in stream_buffer. What goes in comes out, once, in order, and stays until it is accepted.

logic past_q = 1'b0;
always_ff @(posedge clk_i) past_q <= 1'b1;

// Any one value: the beats that are equal to it are counted in and out; so none is lost, none is invented.
// A register without reset that keeps its value may have any.
logic [Width-1:0] marked;
always_ff @(posedge clk_i) marked <= marked;
logic [1:0] inside_q;
logic enters, leaves;
assign enters = s_valid_i && s_ready_o && s_data_i == marked;
assign leaves = m_valid_o && m_ready_i && m_data_o == marked;
always_ff @(posedge clk_i) begin
  if (!rst_ni) inside_q <= '0;
  else inside_q <= inside_q + 2'(enters) - 2'(leaves);
end

// A beat taken while another waits is the next one to come out: order.
logic follows_q;
logic [Width-1:0] next_q;
always_ff @(posedge clk_i) begin
  follows_q <= rst_ni && ((m_valid_o && !m_ready_i && s_valid_i && s_ready_o) || (follows_q && !m_ready_i));
  if (s_valid_i && s_ready_o) next_q <= s_data_i;
end

always_ff @(posedge clk_i) begin
  if (!past_q) begin
    assume (!rst_ni);
  end else begin
    if ($past(rst_ni) && $past(m_valid_o) && !$past(m_ready_i)) begin
      stable : assert (m_valid_o && m_data_o == $past(m_data_o));
    end
    if (rst_ni && $past(rst_ni)) begin
      counted :
      assert (inside_q == 2'(m_valid_o && m_data_o == marked) + 2'(!s_ready_o && second_q == marked));
      second_needs_first : assert (s_ready_o || m_valid_o);
      ordered : assert (!follows_q || (!s_ready_o && second_q == next_q));
      zero_when_empty : assert (m_valid_o || m_data_o == '0);
    end
    if ($past(rst_ni, 1) && rst_ni) both : cover (!s_ready_o);
  end
end
