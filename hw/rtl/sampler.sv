// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Turns the output of an extendable-output function into a polynomial.
///
/// | kind          | FIPS 204                                            | coefficients                 | bits taken |
/// |---------------|-----------------------------------------------------|------------------------------|------------|
/// | SampleUniform | algorithm 30 (RejNTTPoly), 14 (CoeffFromThreeBytes) | 0..q                         | 24         |
/// | SampleEta2    | algorithm 31 (RejBoundedPoly), 15                   | -2..=2                       | 4          |
/// | SampleEta4    | the same                                            | -4..=4                       | 4          |
/// | SampleMask17  | algorithm 34 (ExpandMask) for one polynomial, 19    | -2^17 + 1..=2^17             | 18         |
/// | SampleMask19  | the same                                            | -2^19 + 1..=2^19             | 20         |
/// | SampleBall    | algorithm 29 (SampleInBall)                         | tau_i of them 1 or -1, rest 0 | 8          |
///
/// All come out modulo q, in 0..q, coefficient 0 first, one a cycle as long as input lasts; SampleBall has two cycles a
/// coefficient that is not zero and then 256. Cycles of SampleMask17 and SampleMask19 do not depend on the data. The
/// others reject, and the number of rejections shows; it is independent of the coefficients that are kept, save for
/// SampleBall, whose result is public.
module sampler
  import fabric_pkg::*;
(
    input  logic           clk_i,
    /// Abandons the polynomial; input is not taken and start_i not seen for the next 256 cycles, see ready_o.
    input  logic           clear_i,
    output logic           ready_o,
    /// Begins a polynomial of kind_i; only with ready_o.
    input  logic           start_i,
    input  sample_e        kind_i,
    /// SampleBall: coefficients that are not zero, 1 to 64.
    input  logic     [6:0] tau_i,
    /// Input, first byte in the low byte.
    input  logic           word_valid_i,
    input  word_t          word_i,
    output logic           word_ready_o,
    /// A coefficient. There is no back-pressure.
    output logic           valid_o,
    output logic     [7:0] index_o,
    output residue_t       coefficient_o,
    /// In the cycle after coefficient 255.
    output logic           done_o
);

  typedef enum logic [2:0] {
    /// Sets the 256 places of SampleBall to zero.
    Clean,
    Ready,
    /// Every kind but SampleBall.
    Stream,
    /// SampleBall: 8 bytes of signs, then places, then the result.
    Signs,
    Places,
    Emit
  } phase_e;

  /// Bits of a candidate.
  function automatic logic [4:0] width_of(input sample_e kind);
    unique case (kind)
      SampleUniform: return 5'd24;
      SampleMask17: return 5'd18;
      SampleMask19: return 5'd20;
      SampleBall: return 5'd8;
      default: return 5'd4;
    endcase
  endfunction

  phase_e phase_q;
  sample_e kind_q;
  logic [6:0] tau_q;
  logic [7:0] count_q;
  assign ready_o = phase_q == Ready;

  // The word that goes into the funnel next.
  word_t word_q;
  logic  filled_q;

  // The funnel: `bits_q` holds `held_q` bits. Half a word is put in once that leaves room for it.
  logic [54:0] bits_q, rest;
  logic [5:0] held_q, held_rest;
  // What it holds beyond one candidate, negative if less: what is done next hangs on it.
  logic [6:0] spare_q, spare_rest;
  logic [ 4:0] width;
  logic [31:0] half;
  logic upper_q, take, stall, room, insert, active;
  assign width = width_of(kind_q);
  assign active = phase_q == Stream || phase_q == Signs || phase_q == Places;
  // In phases that are not active nobody looks.
  assign take = !stall && !spare_q[6];
  assign held_rest = take ? spare_q[5:0] : held_q;
  assign spare_rest = take ? spare_q - 7'(width) : spare_q;
  always_comb begin
    rest = bits_q;
    if (take) begin
      unique case (kind_q)
        SampleUniform: rest = bits_q >> 24;
        SampleMask17: rest = bits_q >> 18;
        SampleMask19: rest = bits_q >> 20;
        SampleBall: rest = bits_q >> 8;
        default: rest = bits_q >> 4;
      endcase
    end
  end
  // held_rest is even: so are all widths and 32. That it is at most 22 shows in spare_q: whatever the width, less than
  // one candidate is at most 22; the only stall is SampleBall's, with a width of 8.
  assign half = upper_q ? word_q[63:32] : word_q[31:0];
  assign room = spare_q[6] || spare_q <= (stall ? 7'd14 : 7'd22);
  assign insert = filled_q && room;
  // Not a function of word_valid_i: the sponge goes on only when somebody is ready.
  assign word_ready_o = active && (!filled_q || (insert && upper_q));
  always_ff @(posedge clk_i) begin
    if (clear_i || start_i || done_o) begin
      word_q   <= '0;
      filled_q <= 1'b0;
      bits_q   <= '0;
      held_q   <= '0;
      spare_q  <= -7'(width_of(kind_i));
      upper_q  <= 1'b0;
    end else begin
      if (word_ready_o) begin
        word_q   <= word_i;
        filled_q <= word_valid_i;
      end
      bits_q  <= rest;
      held_q  <= held_rest;
      spare_q <= spare_rest;
      if (insert) begin
        bits_q  <= rest | (55'(half) << {held_rest[4:1], 1'b0});
        held_q  <= held_rest + 6'd32;
        spare_q <= spare_rest + 7'd32;
        upper_q <= !upper_q;
      end
    end
  end

  // SampleBall. A place holds {not zero, minus}.
  logic [ 1:0] places  [256];
  logic [63:0] signs_q;
  logic [7:0] place_q, place_write;
  logic [6:0] chosen_q;
  logic second_q, accept_place, place_we;
  logic [1:0] place_in, place_out;
  // The place of this step: 256 - tau + chosen.
  logic [7:0] step_place_q;
  assign accept_place = phase_q == Places && take && bits_q[7:0] <= step_place_q;
  assign stall = second_q;
  assign place_out = places[(phase_q==Places)?bits_q[7:0] : count_q];
  always_comb begin
    place_we = 1'b0;
    place_in = 2'b00;
    place_write = count_q;
    unique case (phase_q)
      Clean, Emit: place_we = 1'b1;
      Places: begin
        place_we = accept_place || second_q;
        place_write = second_q ? place_q : step_place_q;
        place_in = second_q ? {1'b1, signs_q[chosen_q[5:0]]} : place_out;
      end
      default: ;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (place_we) places[place_write] <= place_in;
    if (phase_q == Signs && take) signs_q <= {bits_q[7:0], signs_q[63:8]};
    if (accept_place) place_q <= bits_q[7:0];
    second_q <= accept_place && !clear_i;
    if (start_i) begin
      chosen_q <= '0;
      step_place_q <= 8'(9'd256 - 9'(tau_i));
    end else if (second_q) begin
      chosen_q <= chosen_q + 7'd1;
      step_place_q <= step_place_q + 8'd1;
    end
    if (clear_i) signs_q <= '0;
  end

  function automatic logic [3:0] mod5(input logic [3:0] value);
    if (value >= 4'd10) return value - 4'd10;
    if (value >= 4'd5) return value - 4'd5;
    return value;
  endfunction

  // Candidate to coefficient: base - magnitude modulo q, or the candidate itself.
  logic [23:0] base, magnitude, difference_q;
  logic keep, keep_q, keep_qq, done;
  logic [7:0] index_q;
  residue_t coefficient_q;
  always_comb begin
    base = '0;
    magnitude = {1'b0, bits_q[22:0]};
    keep = phase_q == Stream && take;
    unique case (kind_q)
      SampleUniform: if (!is_residue(bits_q[22:0])) keep = 1'b0;
      SampleEta2: begin
        base = 24'd2;
        magnitude = 24'(mod5(bits_q[3:0]));
        if (bits_q[3:0] == 4'd15) keep = 1'b0;
      end
      SampleEta4: begin
        base = 24'd4;
        magnitude = 24'(bits_q[3:0]);
        if (bits_q[3:0] > 4'd8) keep = 1'b0;
      end
      SampleMask17: begin
        base = 24'h020000;
        magnitude = 24'(bits_q[17:0]);
      end
      SampleMask19: begin
        base = 24'h080000;
        magnitude = 24'(bits_q[19:0]);
      end
      default: begin
        // Nothing to subtract: the places, which are late, go past the difference.
        keep = phase_q == Emit;
      end
    endcase
  end
  always_ff @(posedge clk_i) begin
    unique case (kind_q)
      SampleUniform: difference_q <= magnitude;
      SampleBall: difference_q <= {{23{place_out == 2'b11}}, place_out[1]};
      default: difference_q <= base - magnitude;
    endcase
    coefficient_q <= difference_q[22:0] + (difference_q[23] ? Q : '0);
    keep_q <= keep && !clear_i && !done;
    keep_qq <= keep_q && !clear_i && !done;
  end

  // The last stage counts; candidates that follow coefficient 255 are dropped.
  assign valid_o = keep_qq;
  assign index_o = index_q;
  assign coefficient_o = keep_qq ? coefficient_q : '0;
  assign done = keep_qq && (&index_q);
  always_ff @(posedge clk_i) begin
    done_o <= done && !clear_i;
    if (start_i) index_q <= '0;
    else if (keep_qq) index_q <= index_q + 8'd1;
  end

  always_ff @(posedge clk_i) begin
    count_q <= count_q + 8'd1;
    unique case (phase_q)
      Clean:   if (&count_q) phase_q <= Ready;
      Ready: begin
        kind_q <= kind_i;
        tau_q  <= tau_i;
        if (start_i) phase_q <= (kind_i == SampleBall) ? Signs : Stream;
        count_q <= '0;
      end
      Stream:  if (done) phase_q <= Ready;
      Signs: begin
        if (!take) count_q <= count_q;
        else if (count_q == 8'd7) phase_q <= Places;
      end
      Places: begin
        count_q <= '0;
        if (second_q && chosen_q + 7'd1 == tau_q) phase_q <= Emit;
      end
      Emit: begin
        if (&count_q) phase_q <= Stream;  // the last coefficients are on their way
      end
      default: phase_q <= Clean;
    endcase
    if (clear_i) begin
      phase_q <= Clean;
      count_q <= '0;
    end
  end

`ifndef SYNTHESIS
  // Constant time: SampleMask17 and SampleMask19 keep every candidate.
  always_ff @(posedge clk_i) begin
    if (phase_q == Stream && take && (kind_q == SampleMask17 || kind_q == SampleMask19)) assert (keep);
  end
`endif

`ifdef FORMAL
  `include "sampler_formal.svh"
`endif

endmodule
