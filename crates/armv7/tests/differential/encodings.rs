// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Every T32 encoding of ARMv7E-M with FPv4-SP, by the name that the architecture manual (DDI 0403E, A7.7) gives it:
//! a second list beside the decoder's, so that what was executed can be counted without asking the decoder.

/// An encoding: `word & mask == value`. Encodings of one halfword have it in the low half.
pub struct Encoding {
    pub name: String,
    value: u32,
    mask: u32,
    wide: bool,
}

/// One halfword: name, value, mask. Special cases stand before what they are taken out of.
const NARROW: &[(&str, u32, u32)] = &[
    ("MOV (register) T2", 0x0000, 0xffc0),
    ("LSL (immediate) T1", 0x0000, 0xf800),
    ("LSR (immediate) T1", 0x0800, 0xf800),
    ("ASR (immediate) T1", 0x1000, 0xf800),
    ("ADD (register) T1", 0x1800, 0xfe00),
    ("SUB (register) T1", 0x1a00, 0xfe00),
    ("ADD (immediate) T1", 0x1c00, 0xfe00),
    ("SUB (immediate) T1", 0x1e00, 0xfe00),
    ("MOV (immediate) T1", 0x2000, 0xf800),
    ("CMP (immediate) T1", 0x2800, 0xf800),
    ("ADD (immediate) T2", 0x3000, 0xf800),
    ("SUB (immediate) T2", 0x3800, 0xf800),
    ("AND (register) T1", 0x4000, 0xffc0),
    ("EOR (register) T1", 0x4040, 0xffc0),
    ("LSL (register) T1", 0x4080, 0xffc0),
    ("LSR (register) T1", 0x40c0, 0xffc0),
    ("ASR (register) T1", 0x4100, 0xffc0),
    ("ADC (register) T1", 0x4140, 0xffc0),
    ("SBC (register) T1", 0x4180, 0xffc0),
    ("ROR (register) T1", 0x41c0, 0xffc0),
    ("TST (register) T1", 0x4200, 0xffc0),
    ("RSB (immediate) T1", 0x4240, 0xffc0),
    ("CMP (register) T1", 0x4280, 0xffc0),
    ("CMN (register) T1", 0x42c0, 0xffc0),
    ("ORR (register) T1", 0x4300, 0xffc0),
    ("MUL T1", 0x4340, 0xffc0),
    ("BIC (register) T1", 0x4380, 0xffc0),
    ("MVN (register) T1", 0x43c0, 0xffc0),
    ("ADD (SP plus register) T1", 0x4468, 0xff78),
    ("ADD (SP plus register) T2", 0x4485, 0xff87),
    ("ADD (register) T2", 0x4400, 0xff00),
    ("CMP (register) T2", 0x4500, 0xff00),
    ("MOV (register) T1", 0x4600, 0xff00),
    ("BX T1", 0x4700, 0xff87),
    ("BLX (register) T1", 0x4780, 0xff87),
    ("LDR (literal) T1", 0x4800, 0xf800),
    ("STR (register) T1", 0x5000, 0xfe00),
    ("STRH (register) T1", 0x5200, 0xfe00),
    ("STRB (register) T1", 0x5400, 0xfe00),
    ("LDRSB (register) T1", 0x5600, 0xfe00),
    ("LDR (register) T1", 0x5800, 0xfe00),
    ("LDRH (register) T1", 0x5a00, 0xfe00),
    ("LDRB (register) T1", 0x5c00, 0xfe00),
    ("LDRSH (register) T1", 0x5e00, 0xfe00),
    ("STR (immediate) T1", 0x6000, 0xf800),
    ("LDR (immediate) T1", 0x6800, 0xf800),
    ("STRB (immediate) T1", 0x7000, 0xf800),
    ("LDRB (immediate) T1", 0x7800, 0xf800),
    ("STRH (immediate) T1", 0x8000, 0xf800),
    ("LDRH (immediate) T1", 0x8800, 0xf800),
    ("STR (immediate) T2", 0x9000, 0xf800),
    ("LDR (immediate) T2", 0x9800, 0xf800),
    ("ADR T1", 0xa000, 0xf800),
    ("ADD (SP plus immediate) T1", 0xa800, 0xf800),
    ("ADD (SP plus immediate) T2", 0xb000, 0xff80),
    ("SUB (SP minus immediate) T1", 0xb080, 0xff80),
    ("CBZ T1", 0xb100, 0xfd00),
    ("CBNZ T1", 0xb900, 0xfd00),
    ("SXTH T1", 0xb200, 0xffc0),
    ("SXTB T1", 0xb240, 0xffc0),
    ("UXTH T1", 0xb280, 0xffc0),
    ("UXTB T1", 0xb2c0, 0xffc0),
    ("PUSH T1", 0xb400, 0xfe00),
    ("REV T1", 0xba00, 0xffc0),
    ("REV16 T1", 0xba40, 0xffc0),
    ("REVSH T1", 0xbac0, 0xffc0),
    ("POP T1", 0xbc00, 0xfe00),
    ("NOP T1", 0xbf00, 0xffff),
    ("YIELD T1", 0xbf10, 0xffff),
    ("SEV T1", 0xbf40, 0xffff),
    ("IT T1", 0xbf00, 0xff00),
    ("STM T1", 0xc000, 0xf800),
    ("LDM T1", 0xc800, 0xf800),
    ("UDF T1", 0xde00, 0xff00),
    ("B T1", 0xd000, 0xf000),
    ("B T2", 0xe000, 0xf800),
];

/// Two halfwords, the first in the high half.
const WIDE: &[(&str, u32, u32)] = &[
    // Modified immediate
    ("TST (immediate) T1", 0xf010_0f00, 0xfbf0_8f00),
    ("AND (immediate) T1", 0xf000_0000, 0xfbe0_8000),
    ("BIC (immediate) T1", 0xf020_0000, 0xfbe0_8000),
    ("MOV (immediate) T2", 0xf04f_0000, 0xfbef_8000),
    ("ORR (immediate) T1", 0xf040_0000, 0xfbe0_8000),
    ("MVN (immediate) T1", 0xf06f_0000, 0xfbef_8000),
    ("ORN (immediate) T1", 0xf060_0000, 0xfbe0_8000),
    ("TEQ (immediate) T1", 0xf090_0f00, 0xfbf0_8f00),
    ("EOR (immediate) T1", 0xf080_0000, 0xfbe0_8000),
    ("CMN (immediate) T1", 0xf110_0f00, 0xfbf0_8f00),
    ("ADD (SP plus immediate) T3", 0xf10d_0000, 0xfbef_8000),
    ("ADD (immediate) T3", 0xf100_0000, 0xfbe0_8000),
    ("ADC (immediate) T1", 0xf140_0000, 0xfbe0_8000),
    ("SBC (immediate) T1", 0xf160_0000, 0xfbe0_8000),
    ("CMP (immediate) T2", 0xf1b0_0f00, 0xfbf0_8f00),
    ("SUB (SP minus immediate) T2", 0xf1ad_0000, 0xfbef_8000),
    ("SUB (immediate) T3", 0xf1a0_0000, 0xfbe0_8000),
    ("RSB (immediate) T2", 0xf1c0_0000, 0xfbe0_8000),
    // Plain immediate
    ("ADR T3", 0xf20f_0000, 0xfbff_8000),
    ("ADD (SP plus immediate) T4", 0xf20d_0000, 0xfbff_8000),
    ("ADD (immediate) T4", 0xf200_0000, 0xfbf0_8000),
    ("MOV (immediate) T3", 0xf240_0000, 0xfbf0_8000),
    ("ADR T2", 0xf2af_0000, 0xfbff_8000),
    ("SUB (SP minus immediate) T3", 0xf2ad_0000, 0xfbff_8000),
    ("SUB (immediate) T4", 0xf2a0_0000, 0xfbf0_8000),
    ("MOVT T1", 0xf2c0_0000, 0xfbf0_8000),
    ("SSAT16 T1", 0xf320_0000, 0xfff0_f0f0),
    ("SSAT T1", 0xf300_0000, 0xffd0_8020),
    ("SBFX T1", 0xf340_0000, 0xfff0_8020),
    ("BFC T1", 0xf36f_0000, 0xffff_8020),
    ("BFI T1", 0xf360_0000, 0xfff0_8020),
    ("USAT16 T1", 0xf3a0_0000, 0xfff0_f0f0),
    ("USAT T1", 0xf380_0000, 0xffd0_8020),
    ("UBFX T1", 0xf3c0_0000, 0xfff0_8020),
    // Branches and miscellaneous control
    ("MSR T1", 0xf380_8000, 0xfff0_f300),
    ("NOP T2", 0xf3af_8000, 0xffff_ffff),
    ("YIELD T2", 0xf3af_8001, 0xffff_ffff),
    ("SEV T2", 0xf3af_8004, 0xffff_ffff),
    ("DBG T1", 0xf3af_80f0, 0xffff_fff0),
    ("CLREX T1", 0xf3bf_8f2f, 0xffff_ffff),
    ("DSB T1", 0xf3bf_8f40, 0xffff_fff0),
    ("DMB T1", 0xf3bf_8f50, 0xffff_fff0),
    ("ISB T1", 0xf3bf_8f60, 0xffff_fff0),
    ("MRS T1", 0xf3ef_8000, 0xffff_f000),
    ("UDF T2", 0xf7f0_a000, 0xfff0_f000),
    ("B T3, EQ to VC", 0xf000_8000, 0xfa00_d000),
    ("B T3, HI to LT", 0xf200_8000, 0xfb00_d000),
    ("B T3, GT and LE", 0xf300_8000, 0xfb80_d000),
    ("B T4", 0xf000_9000, 0xf800_d000),
    ("BL T1", 0xf000_d000, 0xf800_d000),
    // Load and store multiple
    ("POP T2", 0xe8bd_0000, 0xffff_2000),
    ("PUSH T2", 0xe92d_0000, 0xffff_a000),
    ("STM T2", 0xe880_0000, 0xffd0_a000),
    ("LDM T2", 0xe890_0000, 0xffd0_2000),
    ("STMDB T1", 0xe900_0000, 0xffd0_a000),
    ("LDMDB T1", 0xe910_0000, 0xffd0_2000),
    // Dual, exclusive, table branch
    ("STREX T1", 0xe840_0000, 0xfff0_0000),
    ("LDREX T1", 0xe850_0f00, 0xfff0_0f00),
    ("STREXB T1", 0xe8c0_0f40, 0xfff0_0ff0),
    ("STREXH T1", 0xe8c0_0f50, 0xfff0_0ff0),
    ("TBB T1", 0xe8d0_f000, 0xfff0_fff0),
    ("TBH T1", 0xe8d0_f010, 0xfff0_fff0),
    ("LDREXB T1", 0xe8d0_0f4f, 0xfff0_0fff),
    ("LDREXH T1", 0xe8d0_0f5f, 0xfff0_0fff),
    ("LDRD (literal) T1", 0xe95f_0000, 0xff7f_0000),
    ("STRD (immediate) T1", 0xe940_0000, 0xff50_0000),
    ("STRD (immediate) T1, post-indexed", 0xe860_0000, 0xff70_0000),
    ("LDRD (immediate) T1", 0xe950_0000, 0xff50_0000),
    ("LDRD (immediate) T1, post-indexed", 0xe870_0000, 0xff70_0000),
    // Shifted register
    ("TST (register) T2", 0xea10_0f00, 0xfff0_8f00),
    ("AND (register) T2", 0xea00_0000, 0xffe0_8000),
    ("BIC (register) T2", 0xea20_0000, 0xffe0_8000),
    ("MOV (register) T3", 0xea4f_0000, 0xffef_f0f0),
    ("RRX T1", 0xea4f_0030, 0xffef_f0f0),
    ("LSL (immediate) T2", 0xea4f_0000, 0xffef_8030),
    ("LSR (immediate) T2", 0xea4f_0010, 0xffef_8030),
    ("ASR (immediate) T2", 0xea4f_0020, 0xffef_8030),
    ("ROR (immediate) T1", 0xea4f_0030, 0xffef_8030),
    ("ORR (register) T2", 0xea40_0000, 0xffe0_8000),
    ("MVN (register) T2", 0xea6f_0000, 0xffef_8000),
    ("ORN (register) T1", 0xea60_0000, 0xffe0_8000),
    ("TEQ (register) T1", 0xea90_0f00, 0xfff0_8f00),
    ("EOR (register) T2", 0xea80_0000, 0xffe0_8000),
    ("PKHBT T1", 0xeac0_0000, 0xfff0_8030),
    ("PKHTB T1", 0xeac0_0020, 0xfff0_8030),
    ("CMN (register) T2", 0xeb10_0f00, 0xfff0_8f00),
    ("ADD (SP plus register) T3", 0xeb0d_0000, 0xffef_8000),
    ("ADD (register) T3", 0xeb00_0000, 0xffe0_8000),
    ("ADC (register) T2", 0xeb40_0000, 0xffe0_8000),
    ("SBC (register) T2", 0xeb60_0000, 0xffe0_8000),
    ("CMP (register) T3", 0xebb0_0f00, 0xfff0_8f00),
    ("SUB (SP minus register) T1", 0xebad_0000, 0xffef_8000),
    ("SUB (register) T2", 0xeba0_0000, 0xffe0_8000),
    ("RSB (register) T1", 0xebc0_0000, 0xffe0_8000),
    // Load and store single
    ("PUSH T3", 0xf84d_0d04, 0xffff_0fff),
    ("POP T3", 0xf85d_0b04, 0xffff_0fff),
    ("PLD (literal) T1", 0xf81f_f000, 0xff7f_f000),
    ("PLD (immediate) T1", 0xf890_f000, 0xfff0_f000),
    ("PLD (immediate) T2", 0xf810_fc00, 0xfff0_ff00),
    ("PLD (register) T1", 0xf810_f000, 0xfff0_ffc0),
    ("PLI (immediate, literal) T3", 0xf91f_f000, 0xff7f_f000),
    ("PLI (immediate, literal) T1", 0xf990_f000, 0xfff0_f000),
    ("PLI (immediate, literal) T2", 0xf910_fc00, 0xfff0_ff00),
    ("PLI (register) T1", 0xf910_f000, 0xfff0_ffc0),
    // Register: shifts, extension, parallel, saturation
    ("LSL (register) T2", 0xfa00_f000, 0xffe0_f0f0),
    ("LSR (register) T2", 0xfa20_f000, 0xffe0_f0f0),
    ("ASR (register) T2", 0xfa40_f000, 0xffe0_f0f0),
    ("ROR (register) T2", 0xfa60_f000, 0xffe0_f0f0),
    ("SXTH T2", 0xfa0f_f080, 0xffff_f0c0),
    ("SXTAH T1", 0xfa00_f080, 0xfff0_f0c0),
    ("UXTH T2", 0xfa1f_f080, 0xffff_f0c0),
    ("UXTAH T1", 0xfa10_f080, 0xfff0_f0c0),
    ("SXTB16 T1", 0xfa2f_f080, 0xffff_f0c0),
    ("SXTAB16 T1", 0xfa20_f080, 0xfff0_f0c0),
    ("UXTB16 T1", 0xfa3f_f080, 0xffff_f0c0),
    ("UXTAB16 T1", 0xfa30_f080, 0xfff0_f0c0),
    ("SXTB T2", 0xfa4f_f080, 0xffff_f0c0),
    ("SXTAB T1", 0xfa40_f080, 0xfff0_f0c0),
    ("UXTB T2", 0xfa5f_f080, 0xffff_f0c0),
    ("UXTAB T1", 0xfa50_f080, 0xfff0_f0c0),
    ("QADD T1", 0xfa80_f080, 0xfff0_f0f0),
    ("QDADD T1", 0xfa80_f090, 0xfff0_f0f0),
    ("QSUB T1", 0xfa80_f0a0, 0xfff0_f0f0),
    ("QDSUB T1", 0xfa80_f0b0, 0xfff0_f0f0),
    ("REV T2", 0xfa90_f080, 0xfff0_f0f0),
    ("REV16 T2", 0xfa90_f090, 0xfff0_f0f0),
    ("RBIT T1", 0xfa90_f0a0, 0xfff0_f0f0),
    ("REVSH T2", 0xfa90_f0b0, 0xfff0_f0f0),
    ("SEL T1", 0xfaa0_f080, 0xfff0_f0f0),
    ("CLZ T1", 0xfab0_f080, 0xfff0_f0f0),
    // Multiplication and division
    ("MUL T2", 0xfb00_f000, 0xfff0_f0f0),
    ("MLA T1", 0xfb00_0000, 0xfff0_00f0),
    ("MLS T1", 0xfb00_0010, 0xfff0_00f0),
    ("SMUAD T1", 0xfb20_f000, 0xfff0_f0e0),
    ("SMLAD T1", 0xfb20_0000, 0xfff0_00e0),
    ("SMUSD T1", 0xfb40_f000, 0xfff0_f0e0),
    ("SMLSD T1", 0xfb40_0000, 0xfff0_00e0),
    ("SMMUL T1", 0xfb50_f000, 0xfff0_f0e0),
    ("SMMLA T1", 0xfb50_0000, 0xfff0_00e0),
    ("SMMLS T1", 0xfb60_0000, 0xfff0_00e0),
    ("USAD8 T1", 0xfb70_f000, 0xfff0_f0f0),
    ("USADA8 T1", 0xfb70_0000, 0xfff0_00f0),
    ("SMULL T1", 0xfb80_0000, 0xfff0_00f0),
    ("SDIV T1", 0xfb90_f0f0, 0xfff0_f0f0),
    ("UMULL T1", 0xfba0_0000, 0xfff0_00f0),
    ("UDIV T1", 0xfbb0_f0f0, 0xfff0_f0f0),
    ("SMLAL T1", 0xfbc0_0000, 0xfff0_00f0),
    ("SMLALD T1", 0xfbc0_00c0, 0xfff0_00e0),
    ("SMLSLD T1", 0xfbd0_00c0, 0xfff0_00e0),
    ("UMLAL T1", 0xfbe0_0000, 0xfff0_00f0),
    ("UMAAL T1", 0xfbe0_0060, 0xfff0_00f0),
    // Floating point
    ("VMLA T2", 0xee00_0a00, 0xffb0_0f50),
    ("VMLS T2", 0xee00_0a40, 0xffb0_0f50),
    ("VNMLS T1", 0xee10_0a00, 0xffb0_0f50),
    ("VNMLA T1", 0xee10_0a40, 0xffb0_0f50),
    ("VMUL T2", 0xee20_0a00, 0xffb0_0f50),
    ("VNMUL T2", 0xee20_0a40, 0xffb0_0f50),
    ("VADD T2", 0xee30_0a00, 0xffb0_0f50),
    ("VSUB T2", 0xee30_0a40, 0xffb0_0f50),
    ("VDIV T1", 0xee80_0a00, 0xffb0_0f50),
    ("VFNMS T1", 0xee90_0a00, 0xffb0_0f50),
    ("VFNMA T1", 0xee90_0a40, 0xffb0_0f50),
    ("VFMA T2", 0xeea0_0a00, 0xffb0_0f50),
    ("VFMS T2", 0xeea0_0a40, 0xffb0_0f50),
    ("VMOV (immediate) T2", 0xeeb0_0a00, 0xffb0_0ff0),
    ("VMOV (register) T2", 0xeeb0_0a40, 0xffbf_0fd0),
    ("VABS T2", 0xeeb0_0ac0, 0xffbf_0fd0),
    ("VNEG T2", 0xeeb1_0a40, 0xffbf_0fd0),
    ("VSQRT T1", 0xeeb1_0ac0, 0xffbf_0fd0),
    ("VCVTB T1, half to single", 0xeeb2_0a40, 0xffbf_0fd0),
    ("VCVTT T1, half to single", 0xeeb2_0ac0, 0xffbf_0fd0),
    ("VCVTB T1, single to half", 0xeeb3_0a40, 0xffbf_0fd0),
    ("VCVTT T1, single to half", 0xeeb3_0ac0, 0xffbf_0fd0),
    ("VCMP T1", 0xeeb4_0a40, 0xffbf_0fd0),
    ("VCMPE T1", 0xeeb4_0ac0, 0xffbf_0fd0),
    ("VCMP T2", 0xeeb5_0a40, 0xffbf_0fff),
    ("VCMPE T2", 0xeeb5_0ac0, 0xffbf_0fff),
    ("VCVT T1, from unsigned", 0xeeb8_0a40, 0xffbf_0fd0),
    ("VCVT T1, from signed", 0xeeb8_0ac0, 0xffbf_0fd0),
    ("VCVTR T1, to unsigned", 0xeebc_0a40, 0xffbf_0fd0),
    ("VCVT T1, to unsigned", 0xeebc_0ac0, 0xffbf_0fd0),
    ("VCVTR T1, to signed", 0xeebd_0a40, 0xffbf_0fd0),
    ("VCVT T1, to signed", 0xeebd_0ac0, 0xffbf_0fd0),
    ("VCVT (fixed point) T1, from signed", 0xeeba_0a40, 0xffbf_0f50),
    ("VCVT (fixed point) T1, from unsigned", 0xeebb_0a40, 0xffbf_0f50),
    ("VCVT (fixed point) T1, to signed", 0xeebe_0a40, 0xffbf_0f50),
    ("VCVT (fixed point) T1, to unsigned", 0xeebf_0a40, 0xffbf_0f50),
    ("VMOV (core to single) T1", 0xee00_0a10, 0xfff0_0f7f),
    ("VMOV (single to core) T1", 0xee10_0a10, 0xfff0_0f7f),
    ("VMOV (core to scalar) T1", 0xee00_0b10, 0xffd0_0fff),
    ("VMOV (scalar to core) T1", 0xee10_0b10, 0xffd0_0fff),
    ("VMRS T1", 0xeef1_0a10, 0xffff_0fff),
    ("VMSR T1", 0xeee1_0a10, 0xffff_0fff),
    ("VMOV (core to two singles) T1", 0xec40_0a10, 0xfff0_0fd0),
    ("VMOV (two singles to core) T1", 0xec50_0a10, 0xfff0_0fd0),
    ("VMOV (core to double) T1", 0xec40_0b10, 0xfff0_0ff0),
    ("VMOV (double to core) T1", 0xec50_0b10, 0xfff0_0ff0),
    ("VPUSH T2", 0xed2d_0a00, 0xffbf_0f00),
    ("VPUSH T1", 0xed2d_0b00, 0xffff_0f00),
    ("VPOP T2", 0xecbd_0a00, 0xffbf_0f00),
    ("VPOP T1", 0xecbd_0b00, 0xffff_0f00),
    ("VSTM T2", 0xec80_0a00, 0xff90_0f00),
    ("VSTM T1", 0xec80_0b00, 0xffd0_0f00),
    ("VSTMDB T2", 0xed20_0a00, 0xffb0_0f00),
    ("VSTMDB T1", 0xed20_0b00, 0xfff0_0f00),
    ("VLDM T2", 0xec90_0a00, 0xff90_0f00),
    ("VLDM T1", 0xec90_0b00, 0xffd0_0f00),
    ("VLDMDB T2", 0xed30_0a00, 0xffb0_0f00),
    ("VLDMDB T1", 0xed30_0b00, 0xfff0_0f00),
    ("VLDR (literal) T2", 0xed1f_0a00, 0xff3f_0f00),
    ("VLDR (literal) T1", 0xed1f_0b00, 0xff7f_0f00),
    ("VSTR T2", 0xed00_0a00, 0xff30_0f00),
    ("VSTR T1", 0xed00_0b00, 0xff70_0f00),
    ("VLDR T2", 0xed10_0a00, 0xff30_0f00),
    ("VLDR T1", 0xed10_0b00, 0xff70_0f00),
];

/// All of them. Left out: SVC, BKPT, WFE, WFI and CPS, which are for the core around (the traps test them), and the
/// coprocessor instructions, of which the chip has none.
pub fn encodings() -> Vec<Encoding> {
    let mut all = Vec::new();
    let mut add = |name: &str, value, mask, wide| {
        all.push(Encoding { name: name.to_owned(), value, mask, wide });
    };
    for &(name, value, mask) in NARROW {
        add(name, value, mask, false);
    }
    for &(name, value, mask) in WIDE {
        add(name, value, mask, true);
    }
    // Loads and stores of one register: op1 in bits 24:20, and five forms of address.
    for (name, op, immediate) in [
        ("STRB", 0xf800_0000, "T3 T2"),
        ("STRH", 0xf820_0000, "T3 T2"),
        ("STR", 0xf840_0000, "T4 T3"),
        ("LDRB", 0xf810_0000, "T3 T2"),
        ("LDRH", 0xf830_0000, "T3 T2"),
        ("LDR", 0xf850_0000, "T4 T3"),
        ("LDRSB", 0xf910_0000, "T2 T1"),
        ("LDRSH", 0xf930_0000, "T2 T1"),
    ] {
        let (indexed, plain) = immediate.split_at(2);
        if name.starts_with("LDR") {
            let literal = if name == "LDR" { "T2" } else { "T1" };
            add(&format!("{name} (literal) {literal}"), op | 0x000f_0000, 0xff7f_0000, true);
        }
        add(&format!("{name} (immediate){plain}"), op | 0x0080_0000, 0xfff0_0000, true);
        add(&format!("{name} (register) T2"), op, 0xfff0_0fc0, true);
        add(&format!("{name}T T1"), op | 0xe00, 0xfff0_0f00, true);
        add(&format!("{name} (immediate) {indexed}, offset or pre-indexed"), op | 0xc00, 0xfff0_0c00, true);
        add(&format!("{name} (immediate) {indexed}, post-indexed"), op | 0x900, 0xfff0_0d00, true);
    }
    for (at, kind) in [(1, "ADD16"), (2, "ASX"), (6, "SAX"), (5, "SUB16"), (0, "ADD8"), (4, "SUB8")] {
        for (n, prefix) in [(0, "S"), (1, "Q"), (2, "SH"), (4, "U"), (5, "UQ"), (6, "UH")] {
            add(&format!("{prefix}{kind} T1"), 0xfa80_f000 | at << 20 | n << 4, 0xfff0_f0f0, true);
        }
    }
    for (n, first) in [(0, "B"), (1, "T")] {
        for (m, second) in [(0, "B"), (1, "T")] {
            let bits = n << 5 | m << 4;
            add(&format!("SMUL{first}{second} T1"), 0xfb10_f000 | bits, 0xfff0_f0f0, true);
            add(&format!("SMLA{first}{second} T1"), 0xfb10_0000 | bits, 0xfff0_00f0, true);
            add(&format!("SMLAL{first}{second} T1"), 0xfbc0_0080 | bits, 0xfff0_00f0, true);
        }
        let bits = n << 4;
        add(&format!("SMULW{first} T1"), 0xfb30_f000 | bits, 0xfff0_f0f0, true);
        add(&format!("SMLAW{first} T1"), 0xfb30_0000 | bits, 0xfff0_00f0, true);
    }
    all
}

/// How often each encoding was executed.
pub struct Executed {
    encodings: Vec<Encoding>,
    counts: Vec<u64>,
    /// Place in `encodings` by first halfword, for those of one.
    narrow: Vec<Option<u16>>,
    /// Places in `encodings` to look at for those of two, by the high 12 bits.
    wide: Vec<Vec<u16>>,
    /// Executed and in no entry of the list: coprocessors and undefined encodings.
    pub unlisted: u64,
}

impl Executed {
    pub fn new() -> Self {
        let encodings = encodings();
        let place = |word: u32, wide: bool| {
            encodings.iter().position(|e| e.wide == wide && word & e.mask == e.value).map(|n| n as u16)
        };
        let narrow = (0..=0xffff).map(|h| place(h, false)).collect();
        let wide = (0..0x1000u32)
            .map(|high| {
                let fits = |e: &Encoding| e.wide && (high << 20 ^ e.value) & e.mask & 0xfff0_0000 == 0;
                (0..encodings.len() as u16).filter(|&n| fits(&encodings[n as usize])).collect()
            })
            .collect();
        Self { counts: vec![0; encodings.len()], encodings, narrow, wide, unlisted: 0 }
    }

    /// The place in the list of what stands at an address: the first halfword in the high half if there are two.
    pub fn place(&self, encoding: u32) -> Option<u16> {
        if encoding >> 16 == 0 {
            return self.narrow[encoding as usize];
        }
        self.wide[(encoding >> 20) as usize].iter().copied().find(|&n| {
            let e = &self.encodings[n as usize];
            encoding & e.mask == e.value
        })
    }

    pub fn name(&self, place: u16) -> &str {
        &self.encodings[place as usize].name
    }

    pub fn count(&mut self, encoding: u32) {
        match self.place(encoding) {
            Some(n) => self.counts[n as usize] += 1,
            None => self.unlisted += 1,
        }
    }

    /// Adds what another has counted.
    pub fn add(&mut self, other: &Self) {
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            *sum += count;
        }
        self.unlisted += other.unlisted;
    }

    /// Encodings that were never executed.
    pub fn missing(&self) -> Vec<&str> {
        let zero = self.encodings.iter().zip(&self.counts).filter(|&(_, &count)| count == 0);
        zero.map(|(e, _)| e.name.as_str()).collect()
    }

    /// The encoding executed least, and how often.
    pub fn least(&self) -> (&str, u64) {
        let pairs = self.encodings.iter().zip(&self.counts);
        pairs.map(|(e, &count)| (e.name.as_str(), count)).min_by_key(|&(_, count)| count).unwrap_or(("", 0))
    }

    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub fn len(&self) -> usize {
        self.encodings.len()
    }
}
