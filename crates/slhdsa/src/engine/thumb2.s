@ The rounds of SHA-256 (FIPS 180-4, section 6.2.2) in Thumb-2, for the Cortex-M3 and later.
@
@   r0         the 16 words of the schedule; W[t] is at t mod 16
@   r1         the next constant
@   r2, r3     anything
@   r4 to r11  a to h, in turn
@   r12, lr    b ^ c of this round, which was a ^ b of the last, and a ^ b: Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b
@
@ A round is 19 instructions as Sigma1(e) = ROTR6(e ^ ROTR5(e) ^ ROTR19(e)) and Sigma0(a) = ROTR2(a ^ ROTR11(a) ^
@ ROTR20(a)): the last rotation is done by the instruction that adds. The word for 16 rounds later follows at once, unless
@ these are the last rounds, which the flag Z says all the time.
@
@ No instruction's time, no address and no branch depends on data.

.macro round a, b, c, d, e, f, g, h, x, y, t
    ldr     r2, [r0, #4*(\t)]
    ldr     r3, [r1], #8
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
