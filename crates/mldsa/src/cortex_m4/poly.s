@ Products and sampling for the Cortex-M4 with FPU. No time depends on coefficients, but for those that come out of a hash
@ and are rejected, which are no secret.
@
@ Montgomery's reduction of a 64-bit word x: x + m q with m = -x / q modulo 2^32 has a high half that is congruent to x 2^-32
@ and at most |x| 2^-32 + q / 2 in absolute value.

.fpu fpv4-sp-d16

@ r12 = q, \inverse = -1 / q modulo 2^32
.macro load_constants inverse
    movw r12, #0xe001
    movt r12, #0x7f
    movw \inverse, #0xdfff
    movt \inverse, #0xfc7f
.endm

@ \hi = \lo:\hi 2^-32; \t is scratch, the inverse in \inverse
.macro montgomery lo, hi, t, inverse
    mul \t, \lo, \inverse
    smlal \lo, \hi, \t, r12
.endm

.macro function name
.section .text.\name, "ax", %progbits
.balign 4
.thumb_func
.type \name, %function
.global \name
.hidden \name
\name:
.endm

@ void pqsoc_mldsa_multiply(int32_t out[256], const int32_t a[256], const int32_t b[256])
@
@ out = a b 2^-32 by coefficient. In: |a b| up to 2^58. Out: up to q / 2 + |a b| 2^-32.
function pqsoc_mldsa_multiply
    push {{r4-r11, lr}}
    load_constants lr
    add r3, r0, #1024
    vmov s0, r3
1:
.irp i, 0, 1, 2, 3
    ldr r3, [r1, #16*\i]
    ldr r4, [r1, #16*\i + 4]
    ldr r5, [r1, #16*\i + 8]
    ldr r6, [r1, #16*\i + 12]
    ldr r7, [r2, #16*\i]
    ldr r8, [r2, #16*\i + 4]
    ldr r9, [r2, #16*\i + 8]
    ldr r10, [r2, #16*\i + 12]
    smull r3, r7, r3, r7
    montgomery r3, r7, r11, lr
    smull r4, r8, r4, r8
    montgomery r4, r8, r11, lr
    smull r5, r9, r5, r9
    montgomery r5, r9, r11, lr
    str r7, [r0, #16*\i]
    smull r6, r10, r6, r10
    str r8, [r0, #16*\i + 4]
    mul r11, r6, lr
    str r9, [r0, #16*\i + 8]
    smlal r6, r10, r11, r12
    str r10, [r0, #16*\i + 12]
    .if \i == 3
    vmov r11, s0
    .endif
.endr
    add r0, #64
    add r1, #64
    add r2, #64
    cmp r0, r11
    bne.w 1b
    pop {{r4-r11, pc}}
.size pqsoc_mldsa_multiply, . - pqsoc_mldsa_multiply

@ void pqsoc_mldsa_multiply_subtract(int32_t acc[256], const int32_t a[256], const int32_t b[256])
@
@ acc -= a b 2^-32 by coefficient, with the bounds of pqsoc_mldsa_multiply.
function pqsoc_mldsa_multiply_subtract
    push {{r4-r11, lr}}
    load_constants lr
    add r3, r0, #1024
    vmov s0, r3
1:
.irp i, 0, 1, 2, 3
    ldr r3, [r1, #8*\i]
    ldr r4, [r1, #8*\i + 4]
    ldr r5, [r2, #8*\i]
    ldr r6, [r2, #8*\i + 4]
    ldr r7, [r0, #8*\i]
    ldr r8, [r0, #8*\i + 4]
    smull r3, r5, r3, r5
    montgomery r3, r5, r11, lr
    smull r4, r6, r4, r6
    montgomery r4, r6, r11, lr
    sub r7, r7, r5
    str r7, [r0, #8*\i]
    sub r8, r8, r6
    str r8, [r0, #8*\i + 4]
    .if \i == 3
    vmov r11, s0
    .endif
.endr
    add r0, #32
    add r1, #32
    add r2, #32
    cmp r0, r11
    bne.w 1b
    pop {{r4-r11, pc}}
.size pqsoc_mldsa_multiply_subtract, . - pqsoc_mldsa_multiply_subtract

@ void pqsoc_mldsa_dot_<n>(int32_t out[256], const int32_t a[n][256], const int32_t v[n][256])
@
@ out = the sum of a[j] v[j], times 2^-32, by coefficient. In: the sum of |a[j] v[j]| up to 2^58. Out: as pqsoc_mldsa_multiply.
.macro dot n
function pqsoc_mldsa_dot_\n
    push {{r4-r11, lr}}
    load_constants lr
    add r3, r0, #1024
    vmov s0, r3
1:
.irp j, 0, 1, 2, 3, 4, 5, 6
.if \j < \n
    .if \j == 4
    add r1, #4096
    add r2, #4096
    .endif
    ldr r3, [r1, #1024*(\j & 3)]
    ldr r4, [r1, #1024*(\j & 3) + 4]
    ldr r5, [r2, #1024*(\j & 3)]
    ldr r6, [r2, #1024*(\j & 3) + 4]
    .if \j == 0
    smull r7, r8, r3, r5
    smull r9, r10, r4, r6
    .else
    smlal r7, r8, r3, r5
    smlal r9, r10, r4, r6
    .endif
.endif
.endr
    montgomery r7, r8, r11, lr
    montgomery r9, r10, r11, lr
    vmov r11, s0
    str r8, [r0], #4
    str r10, [r0], #4
.if \n > 4
    sub r1, #4088
    sub r2, #4088
.else
    add r1, #8
    add r2, #8
.endif
    cmp r0, r11
    bne.w 1b
    pop {{r4-r11, pc}}
.size pqsoc_mldsa_dot_\n, . - pqsoc_mldsa_dot_\n
.endm
dot 4
dot 5
dot 7

@ Candidates of 23 bits, three bytes each: four in r4, r5, r6. FIPS 204, algorithm 14.
.macro candidate i
.if \i == 0
    ubfx r7, r4, #0, #23
.elseif \i == 1
    lsr r7, r4, #24
    orr r7, r7, r5, lsl #8
    ubfx r7, r7, #0, #23
.elseif \i == 2
    lsr r7, r5, #16
    orr r7, r7, r6, lsl #16
    ubfx r7, r7, #0, #23
.else
    ubfx r7, r6, #8, #23
.endif
.endm

@ What becomes of a coefficient in r7 below q; r2 is the place of its result and moves on.
.macro use_stored
    str r7, [r2], #4
.endm
@ r3 is the place of the factor.
.macro use_product
    ldr r8, [r3], #4
    ldr r9, [r2]
    smull r7, r8, r7, r8
    montgomery r7, r8, r10, r11
    add r9, r9, r8
    str r9, [r2], #4
.endm
@ The sum is 24 bits, signed, and is kept within q / 2 and little more.
.macro use_compact
    ldr r8, [r3], #4
    ldrsb r9, [r2, #2]
    ldrh r10, [r2]
    smull r7, r8, r7, r8
    orr r9, r10, r9, lsl #16
    montgomery r7, r8, r10, r11
    add r9, r9, r8
    add r8, r9, #0x400000
    asr r8, r8, #23
    mls r9, r8, r12, r9
    asr r8, r9, #16
    strh r9, [r2]
    strb r8, [r2, #2]
    add r2, #3
.endm

@ int32_t *pqsoc_mldsa_reject_<use>(const uint32_t *words, const uint32_t *words_end, T *out, const int32_t *v, const T *out_end)
@
@ Coefficients of A from the output of SHAKE128, in groups of 12 bytes, until the output or the place for results ends. Returns the
@ place of the next result; v goes in step with it.
.macro reject use, size
function pqsoc_mldsa_reject_\use
    push {{r4-r11, lr}}
    load_constants r11
    ldr lr, [sp, #36]
1:
    sub r7, lr, r2
    ldmia r0!, {{r4-r6}}
    cmp r7, #4*\size
    blo 3f
.irp i, 0, 1, 2, 3
    candidate \i
    cmp r7, r12
    bhs 2f
    use_\use
2:
.endr
    cmp r0, r1
    bne.w 1b
    b 5f
3:  @ places for fewer than four
.irp i, 0, 1, 2, 3
    candidate \i
    cmp r2, lr
    beq 5f
    cmp r7, r12
    bhs 4f
    use_\use
4:
.endr
    cmp r0, r1
    bne.w 1b
5:
    mov r0, r2
    pop {{r4-r11, pc}}
.size pqsoc_mldsa_reject_\use, . - pqsoc_mldsa_reject_\use
.endm
reject stored, 4
reject product, 4
reject compact, 3

@ \a and \b += or -= the next two words of a multiple
.macro two insn, a, b, at
    ldr r0, [r12, #\at]
    ldr lr, [r12, #\at + 4]
    \insn \a, \a, r0
    \insn \b, \b, lr
.endm
@ \x = \x + q, \x or \x - q in 0..q; q is in r3
.macro canonical x, t
    and \t, r3, \x, asr #31
    add \x, \x, \t
    sub \x, \x, r3
    and \t, r3, \x, asr #31
    add \x, \x, \t
.endm

@ void pqsoc_mldsa_challenge_product(int32_t acc[256], const int8_t secret[288], const uint16_t *terms, const uint16_t *terms_end)
@
@ Adds the sum of the terms' multiples of the secret, which is at most 127 in absolute value, and takes the result from -q..2 q to
@ 0..q. A term e stands for X^e, with X^256 = -1. The secret's 256 coefficients stand behind the negatives of the last 32 of
@ them: so each 32 coefficients of a multiple, but for the sign, are in one piece.
@
@ Registers: r4 to r11 the sums of 32 coefficients, a byte each; r3 the place of the first. Addresses and branches depend on the
@ terms, which are no secret.
function pqsoc_mldsa_challenge_product
    push {{r4-r11, lr}}
    vmov s0, r0
    vmov s1, r2
    vmov s2, r3
    add r1, #32
    mov r3, #0
1:
.irp n, 4, 5, 6, 7, 8, 9, 10, 11
    mov r\n, #0
.endr
2:
    ldrh r12, [r2], #2
    sub r12, r3, r12
    cmn r12, #288
    it le
    addle r12, #512
    cmn r12, #32
    ble 3f
    add r12, r1
    two sadd8, r4, r5, 0
    two sadd8, r6, r7, 8
    two sadd8, r8, r9, 16
    two sadd8, r10, r11, 24
    vmov lr, s2
    cmp r2, lr
    bne 2b
    b 4f
3:
    add r12, #256
    add r12, r1
    two ssub8, r4, r5, 0
    two ssub8, r6, r7, 8
    two ssub8, r8, r9, 16
    two ssub8, r10, r11, 24
    vmov lr, s2
    cmp r2, lr
    bne 2b
4:
    vmov r0, s0
    vmov s3, r3
    movw r3, #0xe001
    movt r3, #0x7f
.irp n, 4, 5, 6, 7, 8, 9, 10, 11
    ldr r2, [r0, #0]
    ldr r12, [r0, #4]
    sxtab r2, r2, r\n
    sxtab r12, r12, r\n, ror #8
    canonical r2, lr
    canonical r12, lr
    str r2, [r0], #4
    str r12, [r0], #4
    ldr r2, [r0, #0]
    ldr r12, [r0, #4]
    sxtab r2, r2, r\n, ror #16
    sxtab r12, r12, r\n, ror #24
    canonical r2, lr
    canonical r12, lr
    str r2, [r0], #4
    str r12, [r0], #4
.endr
    vmov s0, r0
    vmov r2, s1
    vmov r3, s3
    add r3, #32
    cmp r3, #256
    bne.w 1b
    pop {{r4-r11, pc}}
.size pqsoc_mldsa_challenge_product, . - pqsoc_mldsa_challenge_product

@ void pqsoc_mldsa_<add|sub>(int32_t acc[256], const int32_t p[256])
@
@ acc += p or acc -= p by coefficient. All in 0..q.
.macro combine insn
function pqsoc_mldsa_\insn
    push {{r4-r9, lr}}
    movw r12, #0xe001
    movt r12, #0x7f
    add lr, r0, #1024
1:
    ldr r2, [r0, #0]
    ldr r3, [r0, #4]
    ldr r4, [r0, #8]
    ldr r5, [r0, #12]
    ldr r6, [r1], #4
    ldr r7, [r1], #4
    ldr r8, [r1], #4
    ldr r9, [r1], #4
    \insn r2, r2, r6
    \insn r3, r3, r7
    \insn r4, r4, r8
    \insn r5, r5, r9
.irp n, 2, 3, 4, 5
    .ifc \insn, add
    sub r\n, r\n, r12
    .endif
    and r6, r12, r\n, asr #31
    add r\n, r\n, r6
.endr
    stmia r0!, {{r2-r5}}
    cmp r0, lr
    bne 1b
    pop {{r4-r9, pc}}
.size pqsoc_mldsa_\insn, . - pqsoc_mldsa_\insn
.endm
combine add
combine sub

@ int32_t pqsoc_mldsa_low_bits_<88|32>(const int32_t p[256], uint32_t bound)
@
@ Negative if the absolute value of some LowBits of p is bound or more, for gamma2 = (q - 1) / 88 or (q - 1) / 32. FIPS 204,
@ algorithm 36. The quotient by 2 gamma2 is a product, as in field.rs; where it wraps, LowBits are one less.
.macro low_bits set, shift, factor, factor_shift
function pqsoc_mldsa_low_bits_\set
    push {{r4-r11, lr}}
    add r2, r0, #1024
    sub r1, #1
    lsl r3, r1, #1
    movw r4, #:lower16:(8380416 / \set - 1)
    movt r4, #:upper16:(8380416 / \set - 1)
    movw r5, #:lower16:\factor
    movt r5, #:upper16:\factor
    movw r6, #:lower16:(2*8380416 / \set)
    movt r6, #:upper16:(2*8380416 / \set)
    mov r12, #0
1:
    ldr r7, [r0], #4
    ldr r8, [r0], #4
    ldr r9, [r0], #4
    ldr r10, [r0], #4
.irp n, 7, 8, 9, 10
    add r11, r\n, r4
    lsr r11, r11, #\shift
    mul r11, r11, r5
    lsr r11, r11, #\factor_shift
    mls r\n, r11, r6, r\n
    .if \set == 88
    add r11, r11, #20
    sub r\n, r\n, r11, lsr #6
    .else
    sub r\n, r\n, r11, lsr #4
    .endif
    add r\n, r\n, r1
    orr r12, r12, r\n
    sub r\n, r3, r\n
    orr r12, r12, r\n
.endr
    cmp r0, r2
    bne 1b
    mov r0, r12
    pop {{r4-r11, pc}}
.size pqsoc_mldsa_low_bits_\set, . - pqsoc_mldsa_low_bits_\set
.endm
low_bits 88, 11, 45101, 22
low_bits 32, 9, 65601, 26

@ int32_t pqsoc_mldsa_norm(const int32_t p[256], uint32_t bound)
@
@ Negative if some coefficient is in bound..=q - bound. In: 0..q.
function pqsoc_mldsa_norm
    push {{r4-r8, lr}}
    movw r2, #0xe001
    movt r2, #0x7f
    sub r2, r2, r1
    add r3, r0, #1024
    mov r12, #0
1:
    ldr r4, [r0], #4
    ldr r5, [r0], #4
    ldr r6, [r0], #4
    ldr r7, [r0], #4
.irp n, 4, 5, 6, 7
    sub r8, r\n, r1
    sub r\n, r2, r\n
    orr r8, r8, r\n
    orn r12, r12, r8
.endr
    cmp r0, r3
    bne 1b
    mov r0, r12
    pop {{r4-r8, pc}}
.size pqsoc_mldsa_norm, . - pqsoc_mldsa_norm

@ \t = the 18 or 20 bits \i of a group of 8, which is in r4 to r8
.macro field_18 t, i
.if \i == 0
    ubfx \t, r4, #0, #18
.elseif \i == 1
    lsr \t, r4, #18
    orr \t, \t, r5, lsl #14
    ubfx \t, \t, #0, #18
.elseif \i == 2
    ubfx \t, r5, #4, #18
.elseif \i == 3
    lsr \t, r5, #22
    orr \t, \t, r6, lsl #10
    ubfx \t, \t, #0, #18
.elseif \i == 4
    ubfx \t, r6, #8, #18
.elseif \i == 5
    lsr \t, r6, #26
    orr \t, \t, r7, lsl #6
    ubfx \t, \t, #0, #18
.elseif \i == 6
    ubfx \t, r7, #12, #18
.else
    lsr \t, r7, #30
    orr \t, \t, r8, lsl #2
.endif
.endm
.macro field_20 t, i
.if \i == 0
    ubfx \t, r4, #0, #20
.elseif \i == 1
    lsr \t, r4, #20
    orr \t, \t, r5, lsl #12
    ubfx \t, \t, #0, #20
.elseif \i == 2
    ubfx \t, r5, #8, #20
.elseif \i == 3
    lsr \t, r5, #28
    orr \t, \t, r6, lsl #4
    ubfx \t, \t, #0, #20
.elseif \i == 4
    lsr \t, r6, #16
    orr \t, \t, r7, lsl #16
    ubfx \t, \t, #0, #20
.elseif \i == 5
    ubfx \t, r7, #4, #20
.elseif \i == 6
    lsr \t, r7, #24
    orr \t, \t, r8, lsl #8
    ubfx \t, \t, #0, #20
.else
    lsr \t, r8, #12
.endif
.endm

@ void pqsoc_mldsa_unpack_<18|20>(int32_t *out, const int32_t *out_end, const uint8_t *bytes)
@
@ FIPS 204, algorithm 19, for gamma1 = 2^17 or 2^19 and groups of 8 coefficients, at least one: out in 0..q. The bytes may be anywhere.
.macro unpack bits
function pqsoc_mldsa_unpack_\bits
    push {{r4-r9, lr}}
    movw r12, #0xe001
    movt r12, #0x7f
    mov r3, #(1 << (\bits - 1))
1:
    ldr r4, [r2, #0]
    ldr r5, [r2, #4]
    ldr r6, [r2, #8]
    ldr r7, [r2, #12]
.if \bits == 18
    ldrh r8, [r2, #16]
.else
    ldr r8, [r2, #16]
.endif
    add r2, #\bits
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
    field_\bits r9, \i
    sub r9, r3, r9
    and lr, r12, r9, asr #31
    add r9, r9, lr
    str r9, [r0, #4*\i]
.endr
    add r0, #32
    cmp r0, r1
    bne 1b
    pop {{r4-r9, pc}}
.size pqsoc_mldsa_unpack_\bits, . - pqsoc_mldsa_unpack_\bits
.endm
unpack 18
unpack 20

@ void pqsoc_mldsa_wide_product_<shift>(int32_t acc[256], const int16_t wide[160], const uint16_t *terms, const uint16_t *terms_end,
@                                       int32_t first)
@
@ As pqsoc_mldsa_challenge_product, for a factor of 128 coefficients of 16 bits between 16 zeros on each side, and 16 coefficients of
@ the product at a time. Their sum, below 2^15 in absolute value, is added times 2^shift. Coefficient 0 of the factor is that of
@ X^-first: 0, or -128 for the second half of a polynomial.
.macro wide_product shift
function pqsoc_mldsa_wide_product_\shift
    push {{r4-r11, lr}}
    vmov s0, r0
    vmov s1, r2
    vmov s2, r3
    add r1, #32
    ldr r3, [sp, #36]
    add r4, r3, #256
    vmov s4, r4
1:
.irp n, 4, 5, 6, 7, 8, 9, 10, 11
    mov r\n, #0
.endr
2:
    ldrh r12, [r2], #2
    sub r12, r3, r12
    @ Which 16 coefficients of the factor: from r12, from r12 + 256 with the other sign, or from r12 + 512.
    cmn r12, #15
    bge 5f
    add r12, #256
    cmn r12, #15
    bge 3f
    add r12, #256
    cmn r12, #15
    blt 6f
5:
    cmp r12, #127
    bgt 6f
    add r12, r1, r12, lsl #1
    two sadd16, r4, r5, 0
    two sadd16, r6, r7, 8
    two sadd16, r8, r9, 16
    two sadd16, r10, r11, 24
    b 6f
3:
    cmp r12, #127
    bgt 6f
    add r12, r1, r12, lsl #1
    two ssub16, r4, r5, 0
    two ssub16, r6, r7, 8
    two ssub16, r8, r9, 16
    two ssub16, r10, r11, 24
6:
    vmov lr, s2
    cmp r2, lr
    bne 2b
    vmov r0, s0
    vmov s3, r3
    movw r3, #0xe001
    movt r3, #0x7f
.irp n, 4, 5, 6, 7, 8, 9, 10, 11
    ldr r2, [r0, #0]
    ldr r12, [r0, #4]
    sxth lr, r\n
    add r2, r2, lr, lsl #\shift
    asr lr, r\n, #16
    add r12, r12, lr, lsl #\shift
    reduce r2, lr
    reduce r12, lr
    str r2, [r0], #4
    str r12, [r0], #4
.endr
    vmov s0, r0
    vmov r2, s1
    vmov r3, s3
    vmov r12, s4
    add r3, #16
    cmp r3, r12
    bne.w 1b
    pop {{r4-r11, pc}}
.size pqsoc_mldsa_wide_product_\shift, . - pqsoc_mldsa_wide_product_\shift
.endm
@ \x in 0..q, of any value up to 2^31 - 2^22 in absolute value; q is in r3
.macro reduce x, t
    add \t, \x, #0x400000
    asr \t, \t, #23
    mls \x, \t, r3, \x
    and \t, r3, \x, asr #31
    add \x, \x, \t
.endm
wide_product 0
wide_product 13

@ void pqsoc_mldsa_pack_w1_<88|32>(uint32_t *out, const int32_t *w, const int32_t *w_end)
@
@ HighBits of w, in 0..q, packed: FIPS 204, algorithms 37 and 16, for 16 coefficients at a time. As in field.rs.
.macro high_bits r
.if SET == 88
    add \r, \r, r12
    lsr \r, \r, #11
    mul \r, \r, lr
    lsr \r, \r, #22
    sub r3, \r, #44
    and \r, \r, r3, asr #31
.else
    add \r, \r, r12
    lsr \r, \r, #9
    mul \r, \r, lr
    ubfx \r, \r, #26, #4
.endif
.endm
.macro four a, b, c, d
    ldr \a, [r1], #4
    ldr \b, [r1], #4
    ldr \c, [r1], #4
    ldr \d, [r1], #4
    high_bits \a
    high_bits \b
    high_bits \c
    high_bits \d
.endm
.macro pack_w1 set, factor
.set SET, \set
function pqsoc_mldsa_pack_w1_\set
    push {{r4-r11, lr}}
    movw r12, #:lower16:(8380416 / \set - 1)
    movt r12, #:upper16:(8380416 / \set - 1)
    movw lr, #:lower16:\factor
    movt lr, #:upper16:\factor
1:
    four r4, r5, r6, r7
.if \set == 88
    orr r4, r4, r5, lsl #6
    orr r4, r4, r6, lsl #12
    orr r4, r4, r7, lsl #18
    four r5, r6, r7, r8
    orr r4, r4, r5, lsl #24
    orr r4, r4, r6, lsl #30
    lsr r5, r6, #2
    orr r5, r5, r7, lsl #4
    orr r5, r5, r8, lsl #10
    four r6, r7, r8, r9
    orr r5, r5, r6, lsl #16
    orr r5, r5, r7, lsl #22
    orr r5, r5, r8, lsl #28
    lsr r6, r8, #4
    orr r6, r6, r9, lsl #2
    four r7, r8, r9, r10
    orr r6, r6, r7, lsl #8
    orr r6, r6, r8, lsl #14
    orr r6, r6, r9, lsl #20
    orr r6, r6, r10, lsl #26
    stmia r0!, {{r4-r6}}
.else
    orr r4, r4, r5, lsl #4
    orr r4, r4, r6, lsl #8
    orr r4, r4, r7, lsl #12
    four r5, r6, r7, r8
    orr r4, r4, r5, lsl #16
    orr r4, r4, r6, lsl #20
    orr r4, r4, r7, lsl #24
    orr r4, r4, r8, lsl #28
    four r5, r6, r7, r8
    orr r5, r5, r6, lsl #4
    orr r5, r5, r7, lsl #8
    orr r5, r5, r8, lsl #12
    four r6, r7, r8, r9
    orr r5, r5, r6, lsl #16
    orr r5, r5, r7, lsl #20
    orr r5, r5, r8, lsl #24
    orr r5, r5, r9, lsl #28
    stmia r0!, {{r4, r5}}
.endif
    cmp r1, r2
    bne.w 1b
    pop {{r4-r11, pc}}
.size pqsoc_mldsa_pack_w1_\set, . - pqsoc_mldsa_pack_w1_\set
.endm
pack_w1 88, 45101
pack_w1 32, 65601

@ Names of macros are global where modules are linked together.
.irp name, load_constants, montgomery, function, dot, candidate, use_stored, use_product, use_compact, reject, two, canonical, combine, low_bits, field_18, field_20, unpack, wide_product, reduce, high_bits, four, pack_w1
    .purgem \name
.endr
.text
