// SPDX-License-Identifier: Apache-2.0 OR MIT

/// The rules of AXI4-Lite for a subordinate, around the fabric's register block and whole_words.
///
/// Assumed of the manager: a request stays until it is accepted. Asserted: answers stay until they are accepted; every
/// request is in one place in the register block or answered, once; and none is answered that was not made.
module axil_rules (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        awvalid,
    input logic [11:0] awaddr,
    input logic        wvalid,
    input logic [31:0] wdata,
    input logic [ 3:0] wstrb,
    input logic        bready,
    input logic        arvalid,
    input logic [11:0] araddr,
    input logic        rready,
    /// Whether the write accepted now is the one to follow, if it is not whole.
    input logic        follow
);

  logic awready, wready, bvalid, arready, rvalid;
  logic [1:0] bresp, block_bresp, rresp;
  logic [3:0] block_wstrb;
  logic [31:0] rdata;
  fabric_regs_pkg::fabric_regs__in_t hwif_in;
  fabric_regs_pkg::fabric_regs__out_t hwif_out;
  whole_words u_whole_words (
      .clk_i,
      .rst_ni,
      .wvalid_i(wvalid),
      .wready_i(wready),
      .wstrb_i (wstrb),
      .wstrb_o (block_wstrb),
      .bvalid_i(bvalid),
      .bready_i(bready),
      .bresp_i (block_bresp),
      .bresp_o (bresp)
  );
  fabric_regs dut (
      .clk(clk_i),
      .rst_n(rst_ni),
      .s_axil_awready(awready),
      .s_axil_awvalid(awvalid),
      .s_axil_awaddr(awaddr),
      .s_axil_awprot(3'b0),
      .s_axil_wready(wready),
      .s_axil_wvalid(wvalid),
      .s_axil_wdata(wdata),
      .s_axil_wstrb(block_wstrb),
      .s_axil_bready(bready),
      .s_axil_bvalid(bvalid),
      .s_axil_bresp(block_bresp),
      .s_axil_arready(arready),
      .s_axil_arvalid(arvalid),
      .s_axil_araddr(araddr),
      .s_axil_arprot(3'b0),
      .s_axil_rready(rready),
      .s_axil_rvalid(rvalid),
      .s_axil_rdata(rdata),
      .s_axil_rresp(rresp),
      .hwif_in,
      .hwif_out
  );

  logic past_q = 1'b0;
  logic [2:0] addresses_q, data_q, reads_q;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      addresses_q <= '0;
      data_q <= '0;
      reads_q <= '0;
    end else begin
      addresses_q <= addresses_q + 3'(awvalid && awready) - 3'(bvalid && bready);
      data_q <= data_q + 3'(wvalid && wready) - 3'(bvalid && bready);
      reads_q <= reads_q + 3'(arvalid && arready) - 3'(rvalid && rready);
    end
  end

  // What lets the counts be proved for runs of any length: where in the register block each request is.
  logic [1:0] held;
  logic [2:0] writes_held;
  assign held = dut.axil_resp_wptr - dut.axil_resp_rptr;
  assign writes_held = 3'(held != 2'd0 && dut.axil_resp_buffer_is_wr[dut.axil_resp_rptr[0]]) +
      3'(held == 2'd2 && dut.axil_resp_buffer_is_wr[!dut.axil_resp_rptr[0]]);

  // Any one write that is not whole, from its acceptance to its answer.
  logic followed_q;
  logic [1:0] followed_at_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) followed_q <= 1'b0;
    else if (!followed_q && follow && wvalid && wready && wstrb != 4'b1111) begin
      followed_q <= 1'b1;
      followed_at_q <= u_whole_words.next_q;
    end else if (followed_q && bvalid && bready && u_whole_words.answer_q == followed_at_q) begin
      followed_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!past_q) begin
      assume (!rst_ni);
    end else if (rst_ni && $past(rst_ni)) begin
      if ($past(awvalid) && !$past(awready)) assume (awvalid && $stable(awaddr));
      if ($past(wvalid) && !$past(wready)) assume (wvalid && $stable({wdata, wstrb}));
      if ($past(arvalid) && !$past(arready)) assume (arvalid && $stable(araddr));
      if ($past(bvalid) && !$past(bready)) b_stable : assert (bvalid && $stable(bresp));
      if ($past(rvalid) && !$past(rready)) r_stable : assert (rvalid && $stable({rdata, rresp}));
      b_asked : assert (!bvalid || (addresses_q != '0 && data_q != '0));
      r_asked : assert (!rvalid || reads_q != '0);
      room : assert (held <= 2'd2 && held == dut.axil_n_in_flight);
      addresses : assert (addresses_q == writes_held + 3'(dut.axil_awvalid));
      data : assert (data_q == writes_held + 3'(dut.axil_wvalid));
      reads : assert (reads_q == 3'(held) - writes_held + 3'(dut.axil_arvalid));
      // With room for the answer a request that is complete is answered at once.
      answers :
      assert (held != 2'd0 || !(dut.axil_arvalid || (dut.axil_awvalid && dut.axil_wvalid)) ||
              dut.cpuif_rd_ack || dut.cpuif_wr_ack);
      // An answer is that of its own write: whole_words is as many writes ahead as are unanswered.
      in_step : assert (data_q <= 3'd3 && u_whole_words.next_q - u_whole_words.answer_q == data_q[1:0]);
      strobes : assert (dut.axil_wstrb == 4'b0000 || dut.axil_wstrb == 4'b1111);
      if (followed_q) begin
        kept : assert (u_whole_words.partial_q[followed_at_q]);
        unanswered : assert (3'(2'(followed_at_q - u_whole_words.answer_q)) < data_q);
        refused : assert (!bvalid || followed_at_q != u_whole_words.answer_q || bresp == 2'b10);
      end
      b_known : assert (!bvalid || bresp == 2'b00 || bresp == 2'b10);
      r_known : assert (!rvalid || rresp == 2'b00 || rresp == 2'b10);
      written : cover (bvalid && bready);
      refuses : cover (bvalid && bready && followed_q && followed_at_q == u_whole_words.answer_q);
      read : cover (rvalid && rready);
    end
  end

endmodule
