@ SHA-256 and SHA-512 (FIPS 180-4, sections 6.2.2 and 6.4.2) in Thumb-2, for the Cortex-M3 and later.
@
@ No instruction's time, no address and no branch depends on data.
@
@ SHA-256:
@
@   r0         the 16 words of the schedule; W[t] is at t mod 16
@   r1         the constants of these 16 rounds
@   r2, r3     anything
@   r4 to r11  a to h, in turn
@   r12, lr    b ^ c of this round, which was a ^ b of the last, and a ^ b: Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b
@
@ A round is 19 instructions as Sigma1(e) = ROTR6(e ^ ROTR5(e) ^ ROTR19(e)) and Sigma0(a) = ROTR2(a ^ ROTR11(a) ^
@ ROTR20(a)): the last rotation is done by the instruction that adds. The word for 16 rounds later follows at once, unless
@ these are the last rounds, which the flag Z says all the time.

.macro round a, b, c, d, e, f, g, h, x, y, t
    ldr     r2, [r0, #4*(\t)]
    ldr     r3, [r1, #8*(\t)]
    add     \h, \h, r2
    add     \h, \h, r3
    eor     r2, \f, \g
    and     r2, r2, \e
    eor     r2, r2, \g
    add     \h, \h, r2
    eor     r2, \e, \e, ror #5
    eor     r2, r2, \e, ror #19
    add     \h, \h, r2, ror #6
    add     \d, \d, \h
    eor     r2, \a, \a, ror #11
    eor     r2, r2, \a, ror #20
    add     \h, \h, r2, ror #2
    eor     \y, \a, \b
    and     \x, \x, \y
    eor     \x, \x, \b
    add     \h, \h, \x
    beq     2f
    ldr     r2, [r0, #4*(((\t) + 1) % 16)]
    ldr     \x, [r0, #4*(\t)]
    ror     r3, r2, #7
    eor     r3, r3, r2, ror #18
    eor     r3, r3, r2, lsr #3
    add     \x, \x, r3
    ldr     r2, [r0, #4*(((\t) + 14) % 16)]
    ldr     r3, [r0, #4*(((\t) + 9) % 16)]
    add     \x, \x, r3
    ror     r3, r2, #17
    eor     r3, r3, r2, ror #19
    eor     r3, r3, r2, lsr #10
    add     \x, \x, r3
    str     \x, [r0, #4*(\t)]
2:
.endm

.macro rounds t
    round r4, r5, r6, r7, r8, r9, r10, r11, r12, lr, \t
    round r11, r4, r5, r6, r7, r8, r9, r10, lr, r12, \t + 1
    round r10, r11, r4, r5, r6, r7, r8, r9, r12, lr, \t + 2
    round r9, r10, r11, r4, r5, r6, r7, r8, lr, r12, \t + 3
    round r8, r9, r10, r11, r4, r5, r6, r7, r12, lr, \t + 4
    round r7, r8, r9, r10, r11, r4, r5, r6, lr, r12, \t + 5
    round r6, r7, r8, r9, r10, r11, r4, r5, r12, lr, \t + 6
    round r5, r6, r7, r8, r9, r10, r11, r4, lr, r12, \t + 7
.endm

@ void pqsoc_sha256_compress(uint32_t out[8], const uint32_t state[8], uint32_t w[16]): `out`, which may be `state`, is
@ the state after a block of the words `w`, which are used up.
    .section .text.pqsoc_sha256_compress, "ax", %progbits
    .syntax unified
    .balign 4
    .global pqsoc_sha256_compress
    .type   pqsoc_sha256_compress, %function
    .thumb_func
pqsoc_sha256_compress:
    push    {{r0, r1, r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}}
    mov     r0, r2
    ldm     r1, {{r4, r5, r6, r7, r8, r9, r10, r11}}
    movw    r1, #:lower16:{constants}
    movt    r1, #:upper16:{constants}
    adds    r1, #4
    movs    r2, #4
    eor     r12, r5, r6
1:
    subs    r2, r2, #1
    str     r2, [sp, #8]
    rounds  0
    rounds  8
    add     r1, r1, #128
    ldr     r2, [sp, #8]
    bne.w   1b

    pop     {{r0, r1, r2}}
    ldm     r1!, {{r2, r3, r12, lr}}
    add     r4, r4, r2
    add     r5, r5, r3
    add     r6, r6, r12
    add     r7, r7, lr
    ldm     r1, {{r2, r3, r12, lr}}
    add     r8, r8, r2
    add     r9, r9, r3
    add     r10, r10, r12
    add     r11, r11, lr
    stm     r0, {{r4, r5, r6, r7, r8, r9, r10, r11}}
    pop     {{r4, r5, r6, r7, r8, r9, r10, r11, pc}}
    .size   pqsoc_sha256_compress, . - pqsoc_sha256_compress

@ SHA-512:
@
@   r0         a frame of 25 double words in memory: a to h are 0 to 7, W[t] to W[t + 16] are 24 down to 8
@   r1         the next constant
@   r4, r5     a, and r6, r7 e, low halves first; their places in the frame are written at the end of the round
@   lr         rounds to do
@   others     anything
@
@ From round to round the frame goes down by a double word, so that a becomes b and so on and nothing is moved; h is
@ where W[t + 17] will be. After 16 rounds it goes up again, where it was.

@ \lo, \hi = the exclusive or of three rotations by \i, \j and \k of \x, \y; those by 32 and more are given less 32 with
@ the halves exchanged.
.macro turned lo, hi, x0, y0, i, x1, y1, j, x2, y2, k
    lsr     \lo, \x0, #\i
    eor     \lo, \lo, \y0, lsl #(32 - \i)
    eor     \lo, \lo, \x1, lsr #\j
    eor     \lo, \lo, \y1, lsl #(32 - \j)
    eor     \lo, \lo, \x2, lsr #\k
    eor     \lo, \lo, \y2, lsl #(32 - \k)
    lsr     \hi, \y0, #\i
    eor     \hi, \hi, \x0, lsl #(32 - \i)
    eor     \hi, \hi, \y1, lsr #\j
    eor     \hi, \hi, \x1, lsl #(32 - \j)
    eor     \hi, \hi, \y2, lsr #\k
.endm

@ \hi ^= what a rotation has more than a shift
.macro rotated hi, x2, k
    eor     \hi, \hi, \x2, lsl #(32 - \k)
.endm

@ r8, r9 += \lo, \hi
.macro plus lo, hi
    adds    r8, r8, \lo
    adc     r9, r9, \hi
.endm

@ void pqsoc_sha512_compress(uint64_t state[8], const uint8_t block[128])
    .section .text.pqsoc_sha512_compress, "ax", %progbits
    .balign 4
    .global pqsoc_sha512_compress
    .type   pqsoc_sha512_compress, %function
    .thumb_func
pqsoc_sha512_compress:
    push    {{r0, r4, r5, r6, r7, r8, r9, r10, r11, lr}}
    sub     sp, sp, #328
    add     r12, sp, #328
    movs    r4, #16
1:
    ldr     r3, [r1], #4
    ldr     r2, [r1], #4
    rev     r3, r3
    rev     r2, r2
    strd    r2, r3, [r12, #-8]!
    subs    r4, r4, #1
    bne     1b

    add     r12, sp, #128
    ldm     r0!, {{r2, r3, r4, r5, r6, r7, r8, r9}}
    stm     r12, {{r2, r3, r4, r5, r6, r7, r8, r9}}
    ldm     r0, {{r4, r5, r6, r7, r8, r9, r10, r11}}
    add     r0, r12, #32
    stm     r0, {{r4, r5, r6, r7, r8, r9, r10, r11}}
    mov     r0, r12
    mov     r6, r4
    mov     r7, r5
    mov     r4, r2
    mov     r5, r3
    movw    r1, #:lower16:{constants}
    movt    r1, #:upper16:{constants}
    mov     lr, #80
2:
    ldrd    r8, r9, [r0, #8*24]
    ldrd    r2, r3, [r1], #8
    plus    r2, r3
    ldrd    r2, r3, [r0, #8*7]
    plus    r2, r3
    turned  r2, r3, r6, r7, 14, r6, r7, 18, r7, r6, 9
    rotated r3, r7, 9
    plus    r2, r3
    ldrd    r2, r3, [r0, #8*5]
    ldrd    r10, r11, [r0, #8*6]
    eor     r2, r2, r10
    eor     r3, r3, r11
    and     r2, r2, r6
    and     r3, r3, r7
    eor     r2, r2, r10
    eor     r3, r3, r11
    plus    r2, r3
    ldrd    r2, r3, [r0, #8*3]
    strd    r6, r7, [r0, #8*4]
    adds    r6, r2, r8
    adc     r7, r3, r9
    turned  r2, r3, r4, r5, 28, r5, r4, 2, r5, r4, 7
    rotated r3, r5, 7
    plus    r2, r3
    ldrd    r2, r3, [r0, #8*1]
    ldrd    r10, r11, [r0, #8*2]
    orr     r12, r4, r2
    and     r12, r12, r10
    and     r2, r2, r4
    orr     r2, r2, r12
    orr     r12, r5, r3
    and     r12, r12, r11
    and     r3, r3, r5
    orr     r3, r3, r12
    plus    r2, r3
    strd    r4, r5, [r0]
    mov     r4, r8
    mov     r5, r9

    cmp     lr, #16
    bls     3f
    ldrd    r8, r9, [r0, #8*24]
    ldrd    r2, r3, [r0, #8*15]
    plus    r2, r3
    ldrd    r2, r3, [r0, #8*23]
    turned  r10, r11, r2, r3, 1, r2, r3, 8, r2, r3, 7
    plus    r10, r11
    ldrd    r2, r3, [r0, #8*10]
    turned  r10, r11, r2, r3, 19, r3, r2, 29, r2, r3, 6
    plus    r10, r11
    strd    r8, r9, [r0, #8*8]
3:
    subs    r0, r0, #8
    subs    lr, lr, #1
    tst     lr, #15
    bne.w   2b
    cmp     lr, #0
    beq     4f
    add     r0, sp, #200
    add     r12, sp, #328
.rept 8
    ldmdb   r0!, {{r2, r3, r8, r9, r10, r11}}
    stmdb   r12!, {{r2, r3, r8, r9, r10, r11}}
.endr
    add     r0, sp, #128
    b       2b
4:
    strd    r4, r5, [sp]
    strd    r6, r7, [sp, #8*4]
    ldr     r12, [sp, #328]
    movs    r1, #8
5:
    ldrd    r2, r3, [r0], #8
    ldrd    r4, r5, [r12]
    adds    r2, r2, r4
    adc     r3, r3, r5
    strd    r2, r3, [r12], #8
    subs    r1, r1, #1
    bne     5b

    @ The schedule can be run backwards.
    mov     r0, sp
    movs    r2, #0
    movs    r3, #0
    movs    r4, #0
    movs    r5, #0
    movs    r6, #0
    movs    r7, #0
    mov     r8, r2
    mov     r9, r2
.rept 10
    stm     r0!, {{r2, r3, r4, r5, r6, r7, r8, r9}}
.endr
    stm     r0!, {{r2, r3}}
    add     sp, sp, #328
    pop     {{r0, r4, r5, r6, r7, r8, r9, r10, r11, pc}}
    .size   pqsoc_sha512_compress, . - pqsoc_sha512_compress
