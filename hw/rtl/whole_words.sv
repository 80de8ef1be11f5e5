// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Stands in the write channels of the register block: a write without all of its strobes changes nothing and is
/// answered SLVERR.
module whole_words (
    input  logic       clk_i,
    input  logic       rst_ni,
    /// Write data, offered to the register block and accepted by it.
    input  logic       wvalid_i,
    input  logic       wready_i,
    input  logic [3:0] wstrb_i,
    /// For the register block: all or none.
    output logic [3:0] wstrb_o,
    /// Write responses. The register block answers in the order of the data and owes at most three.
    input  logic       bvalid_i,
    input  logic       bready_i,
    input  logic [1:0] bresp_i,
    output logic [1:0] bresp_o
);

  localparam logic [1:0] SlvErr = 2'b10;

  // Of the writes not yet answered, which were not whole.
  logic [3:0] partial_q;
  logic [1:0] next_q, answer_q;
  logic whole;
  assign whole   = &wstrb_i;
  assign wstrb_o = {4{whole}};
  assign bresp_o = partial_q[answer_q] ? SlvErr : bresp_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      partial_q <= '0;
      next_q <= '0;
      answer_q <= '0;
    end else begin
      if (wvalid_i && wready_i) begin
        partial_q[next_q] <= !whole;
        next_q <= next_q + 2'd1;
      end
      if (bvalid_i && bready_i) answer_q <= answer_q + 2'd1;
    end
  end

endmodule
