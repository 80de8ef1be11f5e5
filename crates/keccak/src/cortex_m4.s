@ Keccak-f[1600] (FIPS 202, section 3.3) for the Cortex-M4 with FPU.
@
@ A lane is two words: its even bits and its odd bits ("bit interleaving"), so that its rotation is one of each word, which the
@ second operand of an instruction does for nothing. A word is kept in memory rotated: true word = word rotated left by its
@ *lag*. Nothing is ever rotated alone: where two words meet, the second is turned by the difference of the lags, and the
@ result has the lag of the first. The lags are chosen so that those of a round's output are those of its input (they solve a
@ system modulo 32, in which each round adds the offsets of rho), so that all rounds are the same code.
@
@ A row of 5 words of a round's result is computed at a time, first the even halves, then the odd ones, and the parities of the
@ columns for the next round's theta are summed on the way. A row goes where the words were that it was made from, each word
@ where that of its column was, so no second state is needed: after four rounds all words are back in their places. There
@ are 13 registers besides r0, which is where the state is:
@
@   r1 to r5          a row on its way through theta, rho, pi, chi
@   r6                a word of D, a word of the result
@   r7, r8            D[3, 1], D[4, 0]
@   r9 to r12, lr     the parities C[0], ..., C[4] of the half at work
@
@ and what the FPU has, one cycle away: D[x, 0] in s0 to s4, D[x, 1] in s10 to s14, C[x, 0] in s5 to s9 while the odd halves
@ are at work, the address of the constants in s15, where they end in s4. The last word of a row is stored among the loads of
@ the next, where it takes the place of a stall.
@
@ No instruction's time, no address and no branch depends on the state.

.fpu fpv4-sp-d16

@ .LD<x><h>: the lag of D[x, h]. Those of all else follow.
.set .LD00, 0
.set .LD01, 18
.set .LD10, 31
.set .LD11, 25
.set .LD20, 18
.set .LD21, 4
.set .LD30, 4
.set .LD31, 30
.set .LD40, 12
.set .LD41, 25

@ The five words that make row \y of half \h: by theta, rho and pi, word i is that of lane [xi, i] and half hi, plus
@ D[xi, hi], rotated left by ri. Half of the rho offset of the lane; where that is odd, the halves change places.
.macro row m, y, h, arguments:vararg
.if 10*\y + \h == 30
    \m 3, 0, 4, 1, 14, 0, 0, 18, 1, 0, 5, 2, 1, 8, 3, 0, 28, \arguments
.elseif 10*\y + \h == 0
    \m 0, 0, 0, 0, 0, 1, 0, 22, 2, 1, 22, 3, 1, 11, 4, 0, 7, \arguments
.elseif 10*\y + \h == 10
    \m 1, 0, 3, 0, 14, 4, 0, 10, 0, 1, 2, 1, 1, 23, 2, 1, 31, \arguments
.elseif 10*\y + \h == 20
    \m 2, 0, 1, 1, 1, 2, 0, 3, 3, 1, 13, 4, 0, 4, 0, 0, 9, \arguments
.elseif 10*\y + \h == 40
    \m 4, 0, 2, 0, 31, 3, 1, 28, 4, 1, 20, 0, 1, 21, 1, 0, 1, \arguments
.elseif 10*\y + \h == 31
    \m 3, 1, 4, 0, 13, 0, 1, 18, 1, 1, 5, 2, 0, 7, 3, 1, 28, \arguments
.elseif 10*\y + \h == 1
    \m 0, 1, 0, 1, 0, 1, 1, 22, 2, 0, 21, 3, 0, 10, 4, 1, 7, \arguments
.elseif 10*\y + \h == 11
    \m 1, 1, 3, 1, 14, 4, 1, 10, 0, 0, 1, 1, 0, 22, 2, 0, 30, \arguments
.elseif 10*\y + \h == 21
    \m 2, 1, 1, 0, 0, 2, 1, 3, 3, 0, 12, 4, 1, 4, 0, 1, 9, \arguments
.else
    \m 4, 1, 2, 1, 31, 3, 0, 27, 4, 0, 19, 0, 0, 20, 1, 1, 1, \arguments
.endif
.endm

@ .LS<x><y><h>: the lag of word \h of lane [x, y] in memory.
.macro lags y, h, x0, h0, r0, x1, h1, r1, x2, h2, r2, x3, h3, r3, x4, h4, r4, none
.set .LS0\y\h, (.LD\x0\h0 + \r0) & 31
.set .LS1\y\h, (.LD\x1\h1 + \r1) & 31
.set .LS2\y\h, (.LD\x2\h2 + \r2) & 31
.set .LS3\y\h, (.LD\x3\h3 + \r3) & 31
.set .LS4\y\h, (.LD\x4\h4 + \r4) & 31
.endm
.irp h, 0, 1
    .irp y, 0, 1, 2, 3, 4
        row lags, \y, \h
    .endr
.endr

@ .LP<round><x><y><h>: the place of that word before the round, a byte offset.
.macro places y, h, x0, h0, r0, x1, h1, r1, x2, h2, r2, x3, h3, r3, x4, h4, r4, round, next
.set .LP\next\x0\y\h, .LP\round\x0\()0\h0
.set .LP\next\x1\y\h, .LP\round\x1\()1\h1
.set .LP\next\x2\y\h, .LP\round\x2\()2\h2
.set .LP\next\x3\y\h, .LP\round\x3\()3\h3
.set .LP\next\x4\y\h, .LP\round\x4\()4\h4
.endm
.macro after_round round, next
    .irp h, 0, 1
        .irp y, 0, 1, 2, 3, 4
            row places, \y, \h, \round, \next
        .endr
    .endr
.endm
.macro first_places y, h
.set .LP0\()0\y\h, 40*\y + 4*\h
.set .LP0\()1\y\h, 40*\y + 4*\h + 8
.set .LP0\()2\y\h, 40*\y + 4*\h + 16
.set .LP0\()3\y\h, 40*\y + 4*\h + 24
.set .LP0\()4\y\h, 40*\y + 4*\h + 32
.endm
.irp h, 0, 1
    .irp y, 0, 1, 2, 3, 4
        first_places \y, \h
    .endr
.endr
after_round 0, 1
after_round 1, 2
after_round 2, 3
after_round 3, 4
.macro assert_back y, h
.if .LP4\()0\y\h - .LP0\()0\y\h || .LP4\()1\y\h - .LP0\()1\y\h || .LP4\()2\y\h - .LP0\()2\y\h || .LP4\()3\y\h - .LP0\()3\y\h || .LP4\()4\y\h - .LP0\()4\y\h
    .error "words are not back in their places"
.endif
.endm
.irp h, 0, 1
    .irp y, 0, 1, 2, 3, 4
        assert_back \y, \h
    .endr
.endr

@ \d = \a \insn (\b rotated right by \n)
.macro turn insn, d, a, b, n
.if (\n) & 31
    \insn \d, \a, \b, ror #((\n) & 31)
.else
    \insn \d, \a, \b
.endif
.endm

@ theta of lane [\x, \y]: \b ^= D[\x, \h]
.macro theta b, x, h, y
.if 10*\x + \h == 31
    turn eor, \b, r7, \b, .LD\x\h - .LS\x\y\h
.elseif 10*\x + \h == 40
    turn eor, \b, r8, \b, .LD\x\h - .LS\x\y\h
.else
    .if \h
    vmov r6, s1\x
    .else
    vmov r6, s\x
    .endif
    turn eor, \b, r6, \b, .LD\x\h - .LS\x\y\h
.endif
.endm

@ chi: \out = \bi ^ (~\bj & \bk), words i, j, k of a row
.macro chi out, i, bi, j, bj, k, bk, y, h
    turn bic, \out, \bk, \bj, .LS\k\y\h - .LS\j\y\h
    turn eor, \out, \bi, \out, .LS\i\y\h - .LS\k\y\h
.endm

@ \c ^= \t, a word of lane [\x, \y]. The lag of a parity is that of the word from row 3, which comes first.
.macro parity c, t, x, y, h
    turn eor, \c, \c, \t, .LS\x\()3\h - .LS\x\y\h
.endm

@ \t is word \h of lane [\x, \y] before round \next.
.macro keep t, next, x, y, h
    str \t, [r0, #.LP\next\x\y\h]
.endm

.macro load_row round, x0, h0, x1, h1, x2, h2, x3, h3, x4, h4
    ldr r1, [r0, #.LP\round\x0\()0\h0]
    ldr r2, [r0, #.LP\round\x1\()1\h1]
    ldr r3, [r0, #.LP\round\x2\()2\h2]
    ldr r4, [r0, #.LP\round\x3\()3\h3]
    ldr r5, [r0, #.LP\round\x4\()4\h4]
.endm

@ Row 3, the first: its words begin the parities.
.macro first_row y, h, x0, h0, r0, x1, h1, r1, x2, h2, r2, x3, h3, r3, x4, h4, r4, round, next
.if \h
    load_row \round, \x0, \h0, \x1, \h1, \x2, \h2, \x3, \h3, \x4, \h4
    keep r6, \next, 0, 4, 0
    theta r1, \x0, \h0, 0
    theta r2, \x1, \h1, 1
    theta r3, \x2, \h2, 2
    theta r4, \x3, \h3, 3
    theta r5, \x4, \h4, 4
.else
    load_row \round, \x0, \h0, \x1, \h1, \x2, \h2, \x3, \h3, \x4, \h4
    keep r6, \round, 0, 4, 1
    @ D is still where it was computed.
    turn eor, r1, r12, r1, .LD\x0\h0 - .LS\x0\()0\h0
    turn eor, r2, r10, r2, .LD\x1\h1 - .LS\x1\()1\h1
    turn eor, r3, r11, r3, .LD\x2\h2 - .LS\x2\()2\h2
    turn eor, r4, r9, r4, .LD\x3\h3 - .LS\x3\()3\h3
    turn eor, r5, lr, r5, .LD\x4\h4 - .LS\x4\()4\h4
.endif
    chi r10, 1, r2, 2, r3, 3, r4, 3, \h
    keep r10, \next, 1, 3, \h
    chi r11, 2, r3, 3, r4, 4, r5, 3, \h
    keep r11, \next, 2, 3, \h
    chi r12, 3, r4, 4, r5, 0, r1, 3, \h
    keep r12, \next, 3, 3, \h
    chi lr, 4, r5, 0, r1, 1, r2, 3, \h
    keep lr, \next, 4, 3, \h
    chi r9, 0, r1, 1, r2, 2, r3, 3, \h
.endm

@ The others, in the order 0, 1, 2, 4. Row 0 has iota, with the constant at \constant.
.macro next_row y, h, x0, h0, r0, x1, h1, r1, x2, h2, r2, x3, h3, r3, x4, h4, r4, round, next, constant
    load_row \round, \x0, \h0, \x1, \h1, \x2, \h2, \x3, \h3, \x4, \h4
.if \y == 0
    keep r9, \next, 0, 3, \h
.elseif \y == 1
    keep r6, \next, 0, 0, \h
.elseif \y == 2
    keep r6, \next, 0, 1, \h
.else
    keep r6, \next, 0, 2, \h
.endif
    theta r1, \x0, \h0, 0
    theta r2, \x1, \h1, 1
    theta r3, \x2, \h2, 2
    theta r4, \x3, \h3, 3
    theta r5, \x4, \h4, 4
    chi r6, 1, r2, 2, r3, 3, r4, \y, \h
    keep r6, \next, 1, \y, \h
    parity r10, r6, 1, \y, \h
    chi r6, 2, r3, 3, r4, 4, r5, \y, \h
    keep r6, \next, 2, \y, \h
    parity r11, r6, 2, \y, \h
    chi r6, 3, r4, 4, r5, 0, r1, \y, \h
    keep r6, \next, 3, \y, \h
    parity r12, r6, 3, \y, \h
.if \y == 0
    vmov r4, s15
.endif
    chi r6, 4, r5, 0, r1, 1, r2, \y, \h
.if \y == 0
    ldr r4, [r4, #(\constant + 4*\h)]
.endif
    keep r6, \next, 4, \y, \h
    parity lr, r6, 4, \y, \h
    chi r6, 0, r1, 1, r2, 2, r3, \y, \h
.if \y == 0
    turn eor, r6, r6, r4, .LS0\y\h
.endif
    parity r9, r6, 0, \y, \h
.endm

@ D[x] = C[x - 1] ^ (C[x + 1] rotated left by 1): the halves of the second change places, and one is rotated.
@ d_left gives the result the lag of the first, d_right that of the second; what is given is x, half and register of each.
.macro d_left d, lx, lh, left, rx, rh, right
    turn eor, \d, \left, \right, .LS\lx\()3\lh - .LS\rx\()3\rh - (1 - \lh)*\rh
.endm
.macro d_right d, lx, lh, left, rx, rh, right
    turn eor, \d, \right, \left, .LS\rx\()3\rh + (1 - \lh)*\rh - .LS\lx\()3\lh
.endm

@ In: C[x, 0] in r1 to r5, C[x, 1] in r9 to r12, lr; in r6 word 1 of lane [0, 4], not stored yet. Out: the same.
.macro round round, next, constant
    d_left r8, 3, 0, r4, 0, 1, r9           @ D[4, 0]
    d_left r7, 2, 1, r11, 4, 0, r5          @ D[3, 1]
    d_left r9, 0, 1, r9, 2, 0, r3           @ D[1, 1]
    vmov s11, r9
    d_left r9, 1, 1, r10, 3, 0, r4          @ D[2, 1]
    vmov s12, r9
    d_left r10, 4, 0, r5, 1, 1, r10         @ D[0, 0]
    vmov s0, r10
    d_right r4, 4, 1, lr, 1, 0, r2          @ D[0, 1]
    vmov s10, r4
    d_left lr, 2, 0, r3, 4, 1, lr           @ D[3, 0]
    vmov s3, lr
    d_left r4, 1, 0, r2, 3, 1, r12          @ D[2, 0]
    vmov s2, r4
    d_left r12, 3, 1, r12, 0, 0, r1         @ D[4, 1]
    vmov s14, r12
    d_right r11, 0, 0, r1, 2, 1, r11        @ D[1, 0]
    vmov s1, r11
    row first_row, 3, 0, \round, \next
.irp y, 0, 1, 2, 4
    row next_row, \y, 0, \round, \next, \constant
.endr
    vmov s5, r9
    vmov s6, r10
    vmov s7, r11
    vmov s8, r12
    vmov s9, lr
    row first_row, 3, 1, \round, \next
.irp y, 0, 1, 2, 4
    row next_row, \y, 1, \round, \next, \constant
.endr
    vmov r1, s5
    vmov r2, s6
    vmov r3, s7
    vmov r4, s8
    vmov r5, s9
.endm

.section .text.pqsoc_keccak_f1600, "ax", %progbits
.balign 4
.thumb_func
.type pqsoc_keccak_f1600, %function
.global pqsoc_keccak_f1600
.hidden pqsoc_keccak_f1600
pqsoc_keccak_f1600:
    push {{r4-r11, lr}}
    movw r1, #:lower16:{constants}
    movt r1, #:upper16:{constants}
    vmov s15, r1
    add r1, #192
    vmov s4, r1
    @ The parities of the state as it comes: rows 3, 0, 1, 2, 4, even halves first, as they have more registers.
    ldr r1, [r0, #120]
    ldr r2, [r0, #128]
    ldr r3, [r0, #136]
    ldr r4, [r0, #144]
    ldr r5, [r0, #152]
    ldr r6, [r0, #0]
    ldr r7, [r0, #8]
    ldr r8, [r0, #16]
    ldr r9, [r0, #24]
    ldr r10, [r0, #32]
    ldr r11, [r0, #40]
    ldr r12, [r0, #48]
    ldr lr, [r0, #56]
    parity r1, r6, 0, 0, 0
    parity r2, r7, 1, 0, 0
    parity r3, r8, 2, 0, 0
    parity r4, r9, 3, 0, 0
    parity r5, r10, 4, 0, 0
    parity r1, r11, 0, 1, 0
    parity r2, r12, 1, 1, 0
    parity r3, lr, 2, 1, 0
    ldr r6, [r0, #64]
    ldr r7, [r0, #72]
    ldr r8, [r0, #80]
    ldr r9, [r0, #88]
    ldr r10, [r0, #96]
    ldr r11, [r0, #104]
    ldr r12, [r0, #112]
    ldr lr, [r0, #160]
    parity r4, r6, 3, 1, 0
    parity r5, r7, 4, 1, 0
    parity r1, r8, 0, 2, 0
    parity r2, r9, 1, 2, 0
    parity r3, r10, 2, 2, 0
    parity r4, r11, 3, 2, 0
    parity r5, r12, 4, 2, 0
    parity r1, lr, 0, 4, 0
    ldr r6, [r0, #168]
    ldr r7, [r0, #176]
    ldr r8, [r0, #184]
    ldr lr, [r0, #192]
    ldr r9, [r0, #124]
    ldr r10, [r0, #132]
    ldr r11, [r0, #140]
    ldr r12, [r0, #148]
    parity r2, r6, 1, 4, 0
    parity r3, r7, 2, 4, 0
    parity r4, r8, 3, 4, 0
    parity r5, lr, 4, 4, 0
    ldr lr, [r0, #156]
.irp y, 0, 1, 2, 4
    ldr r6, [r0, #40*\y + 20]
    ldr r7, [r0, #40*\y + 28]
    ldr r8, [r0, #40*\y + 36]
    parity r11, r6, 2, \y, 1
    parity r12, r7, 3, \y, 1
    parity lr, r8, 4, \y, 1
    ldr r7, [r0, #40*\y + 12]
    ldr r6, [r0, #40*\y + 4]
    parity r10, r7, 1, \y, 1
    parity r9, r6, 0, \y, 1
.endr
1:
    round 0, 1, 0
    round 1, 2, 8
    round 2, 3, 16
    round 3, 4, 24
    vmov r7, s15
    vmov r8, s4
    adds r7, #32
    vmov s15, r7
    cmp r7, r8
    bne.w 1b
    keep r6, 4, 0, 4, 1
    pop {{r4-r11, pc}}
.size pqsoc_keccak_f1600, . - pqsoc_keccak_f1600

@ Exchanges the bits of \x that are \by above \mask and those of \y in \mask.
.macro exchange x, y, by, mask
    eor r12, \y, \x, lsr #\by
    and r12, r12, #\mask
    eor \y, \y, r12
    eor \x, \x, r12, lsl #\by
.endm

@ Copies r3 lanes, 1 or more, from the words at r0, with the turns at r1, to r2, which may be anywhere: to go from even and odd
@ bits to halves is explained in cortex_m4.rs.
.section .text.pqsoc_keccak_extract, "ax", %progbits
.balign 4
.thumb_func
.type pqsoc_keccak_extract, %function
.global pqsoc_keccak_extract
.hidden pqsoc_keccak_extract
pqsoc_keccak_extract:
    push {{r4-r7}}
1:
    ldrh r6, [r1], #2
    ldrd r4, r5, [r0], #8
    lsr r7, r6, #8
    ror r4, r4, r6
    ror r5, r5, r7
    exchange r4, r5, 1, 0x55555555
    exchange r4, r5, 2, 0x33333333
    exchange r4, r5, 4, 0x0f0f0f0f
    exchange r4, r5, 8, 0x00ff00ff
    pkhbt r6, r4, r5, lsl #16
    pkhtb r7, r5, r4, asr #16
    subs r3, #1
    str r6, [r2], #4
    str r7, [r2], #4
    bne 1b
    pop {{r4-r7}}
    bx lr
.size pqsoc_keccak_extract, . - pqsoc_keccak_extract

@ Sets the 50 words at r0 to zero.
.section .text.pqsoc_keccak_wipe, "ax", %progbits
.balign 4
.thumb_func
.type pqsoc_keccak_wipe, %function
.global pqsoc_keccak_wipe
.hidden pqsoc_keccak_wipe
pqsoc_keccak_wipe:
    push {{r4, r5}}
.irp n, 1, 2, 3, 4, 5
    mov r\n, #0
.endr
.rept 10
    stmia r0!, {{r1-r5}}
.endr
    pop {{r4, r5}}
    bx lr
.size pqsoc_keccak_wipe, . - pqsoc_keccak_wipe

@ The turns of words, for those who read and write the state: by how much a word is rotated to the right to be the true one, 1 to
@ 32. A byte each, even half first, lane [0, 0], [1, 0], ...
.section .rodata.pqsoc_keccak_turns, "a", %progbits
.balign 2
.type pqsoc_keccak_turns, %object
.global pqsoc_keccak_turns
.hidden pqsoc_keccak_turns
pqsoc_keccak_turns:
.macro turns y
    .byte 32 - .LS0\y\()0, 32 - .LS0\y\()1, 32 - .LS1\y\()0, 32 - .LS1\y\()1, 32 - .LS2\y\()0
    .byte 32 - .LS2\y\()1, 32 - .LS3\y\()0, 32 - .LS3\y\()1, 32 - .LS4\y\()0, 32 - .LS4\y\()1
.endm
.irp y, 0, 1, 2, 3, 4
    turns \y
.endr
.size pqsoc_keccak_turns, . - pqsoc_keccak_turns

@ Names of macros are global where modules are linked together.
.irp name, row, lags, places, after_round, first_places, assert_back, turn, theta, chi, parity, keep, load_row, first_row, next_row, d_left, d_right, round, exchange, turns
    .purgem \name
.endr
.text
