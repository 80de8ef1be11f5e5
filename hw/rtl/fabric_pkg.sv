// SPDX-License-Identifier: Apache-2.0 OR MIT

/// Numbers that more than one module of the fabric needs. hw/README.md has the words around them.
package fabric_pkg;

  /// The modulus of ML-DSA, q = 2^23 - 2^13 + 1. FIPS 204, table 1.
  parameter logic [22:0] Q = 23'd8380417;
  /// Coefficients of a polynomial.
  parameter int unsigned N = 256;
  /// Lanes of 64 bits of a Keccak state.
  parameter int unsigned Lanes = 25;
  /// Words of 8 bytes of the string memory, as a power of two.
  parameter int unsigned StringsLog2 = 8;

  typedef logic [22:0] residue_t;
  typedef logic [63:0] word_t;
  typedef logic [Lanes-1:0][63:0] state_t;

  /// COMMAND.opcode; numbers and meaning are in fabric_regs.rdl.
  typedef enum logic [5:0] {
    OpNop = fabric_regs_pkg::fabric_regs__opcode_e__Nop,
    OpLoad = fabric_regs_pkg::fabric_regs__opcode_e__Load,
    OpStore = fabric_regs_pkg::fabric_regs__opcode_e__Store,
    OpNtt = fabric_regs_pkg::fabric_regs__opcode_e__Ntt,
    OpIntt = fabric_regs_pkg::fabric_regs__opcode_e__Intt,
    OpMul = fabric_regs_pkg::fabric_regs__opcode_e__Mul,
    OpMac = fabric_regs_pkg::fabric_regs__opcode_e__Mac,
    OpAdd = fabric_regs_pkg::fabric_regs__opcode_e__Add,
    OpSub = fabric_regs_pkg::fabric_regs__opcode_e__Sub,
    OpClear = fabric_regs_pkg::fabric_regs__opcode_e__Clear,
    OpStringLoad = fabric_regs_pkg::fabric_regs__opcode_e__StringLoad,
    OpStringStore = fabric_regs_pkg::fabric_regs__opcode_e__StringStore,
    OpHashInit = fabric_regs_pkg::fabric_regs__opcode_e__HashInit,
    OpAbsorbStream = fabric_regs_pkg::fabric_regs__opcode_e__AbsorbStream,
    OpAbsorbString = fabric_regs_pkg::fabric_regs__opcode_e__AbsorbString,
    OpAbsorbImmediate = fabric_regs_pkg::fabric_regs__opcode_e__AbsorbImmediate,
    OpSqueezeStream = fabric_regs_pkg::fabric_regs__opcode_e__SqueezeStream,
    OpSqueezeString = fabric_regs_pkg::fabric_regs__opcode_e__SqueezeString,
    OpSpongeSave = fabric_regs_pkg::fabric_regs__opcode_e__SpongeSave,
    OpSpongeRestore = fabric_regs_pkg::fabric_regs__opcode_e__SpongeRestore,
    OpPermute = fabric_regs_pkg::fabric_regs__opcode_e__Permute,
    OpSampleUniform = fabric_regs_pkg::fabric_regs__opcode_e__SampleUniform,
    OpSampleEta2 = fabric_regs_pkg::fabric_regs__opcode_e__SampleEta2,
    OpSampleEta4 = fabric_regs_pkg::fabric_regs__opcode_e__SampleEta4,
    OpSampleMask17 = fabric_regs_pkg::fabric_regs__opcode_e__SampleMask17,
    OpSampleMask19 = fabric_regs_pkg::fabric_regs__opcode_e__SampleMask19,
    OpSampleBall = fabric_regs_pkg::fabric_regs__opcode_e__SampleBall,
    OpChain = fabric_regs_pkg::fabric_regs__opcode_e__Chain,
    OpTweak = fabric_regs_pkg::fabric_regs__opcode_e__Tweak
  } opcode_e;

  /// ERROR.cause; numbers and meaning are in fabric_regs.rdl.
  typedef enum logic [3:0] {
    ErrNone = fabric_regs_pkg::fabric_regs__cause_e__NoError,
    ErrOpcode = fabric_regs_pkg::fabric_regs__cause_e__BadOpcode,
    ErrSlot = fabric_regs_pkg::fabric_regs__cause_e__BadSlot,
    ErrOption = fabric_regs_pkg::fabric_regs__cause_e__BadOption,
    ErrStreamShort = fabric_regs_pkg::fabric_regs__cause_e__StreamShort,
    ErrStreamLong = fabric_regs_pkg::fabric_regs__cause_e__StreamLong,
    ErrStreamKeep = fabric_regs_pkg::fabric_regs__cause_e__StreamKeep,
    ErrInputTimeout = fabric_regs_pkg::fabric_regs__cause_e__InputTimeout,
    ErrOutputTimeout = fabric_regs_pkg::fabric_regs__cause_e__OutputTimeout,
    ErrCoefficient = fabric_regs_pkg::fabric_regs__cause_e__CoefficientRange,
    ErrSpongeOrder = fabric_regs_pkg::fabric_regs__cause_e__SpongeOrder,
    ErrSamplerEmpty = fabric_regs_pkg::fabric_regs__cause_e__SamplerEmpty,
    ErrFifoFull = fabric_regs_pkg::fabric_regs__cause_e__FifoFull
  } error_e;

  /// Operations of the polynomial unit.
  typedef enum logic [2:0] {
    PolyNtt  = 3'd0,
    PolyIntt = 3'd1,
    PolyMul  = 3'd2,
    PolyMac  = 3'd3,
    PolyAdd  = 3'd4,
    PolySub  = 3'd5
  } poly_op_e;

  /// Hash functions: OPTIONS of OpHashInit.
  typedef enum logic [1:0] {
    Sha3_256 = 2'd0,
    Sha3_512 = 2'd1,
    Shake128 = 2'd2,
    Shake256 = 2'd3
  } hash_e;

  /// Distributions of the sampler.
  typedef enum logic [2:0] {
    SampleUniform = 3'd0,
    SampleEta2    = 3'd1,
    SampleEta4    = 3'd2,
    SampleMask17  = 3'd3,
    SampleMask19  = 3'd4,
    SampleBall    = 3'd5
  } sample_e;

  /// Where mover takes words from.
  typedef enum logic [2:0] {
    FromStream    = 3'd0,
    FromString    = 3'd1,
    FromSponge    = 3'd2,
    FromState     = 3'd3,
    FromPoly      = 3'd4,
    FromImmediate = 3'd5
  } source_e;

  /// Where mover puts them.
  typedef enum logic [2:0] {
    ToStream = 3'd0,
    ToString = 3'd1,
    ToSponge = 3'd2,
    ToState  = 3'd3,
    ToPoly   = 3'd4
  } sink_e;

  /// The control word of a saved sponge, in its low bits. Its other bits are zero.
  typedef struct packed {
    /// A block of output is available.
    logic       block;
    logic       squeezing;
    logic       open;
    /// Bytes of the lane that are taken.
    logic [2:0] tail;
    hash_e      hash;
    /// The lane that is absorbed or squeezed next.
    logic [4:0] lane;
  } control_t;

  /// The last lane of a block.
  function automatic logic [4:0] rate_end(input hash_e hash);
    unique case (hash)
      Sha3_512: return 5'd8;
      Shake128: return 5'd20;
      default:  return 5'd16;
    endcase
  endfunction

  /// Can have been saved as a control word.
  function automatic logic is_control(input word_t word);
    control_t control;
    control = control_t'(word[12:0]);
    return word == 64'(control) && control.open && (control.squeezing || !control.block) && control.lane <= rate_end(
        control.hash
    );
  endfunction

  /// value < q, without a subtraction: q - 1 is ten ones and thirteen zeros.
  function automatic logic is_residue(input logic [22:0] value);
    return !(&value[22:13]) || value[12:0] == '0;
  endfunction

  /// The bank of poly_mem that holds coefficient `index`, see there.
  function automatic int unsigned bank_of(input int unsigned butterflies, input logic [7:0] index);
    logic half;
    half = ^(index >> $clog2(butterflies));
    return (half ? butterflies : 0) + (32'(index) & (butterflies - 1));
  endfunction

  /// value / 2 mod q.
  function automatic residue_t halve(input residue_t value);
    return {1'b0, value[22:1]} + (value[0] ? 23'((24'(Q) + 24'd1) >> 1) : '0);
  endfunction

endpackage
