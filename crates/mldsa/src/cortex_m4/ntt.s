@ The number-theoretic transform of FIPS 204, section 7.5, for the Cortex-M4 with FPU.
@
@ Multiplication by a constant w modulo q is Barrett's with a rounded quotient: with w' = round(2^32 w / q), kept beside w,
@ b w - q round(b w' / 2^32) is congruent to b w, and at most q (1/2 + |b| / 2^33) in absolute value. All of it fits in
@ the low 32 bits, and so the sum with a and the subtraction are those of the multiplication: a + b w takes three
@ instructions, and a - b w, which is 2 a - (a + b w), one more. Nothing is reduced besides: each layer adds little more than
@ q / 2.
@
@ All times are independent of the coefficients: SMMULR, MUL, MLA and MLS take one cycle.
@
@ Registers: r0 is where in the polynomial, r1 to r8 coefficients, r9 scratch, r10 and r11 w and w', r12 q.

.fpu fpv4-sp-d16

.macro load_q
    movw r12, #0xe001
    movt r12, #0x7f
.endm

@ \b = \a + \w \b, \a = \a - \w \b: the two change places.
.macro butterfly a, b, w=r10, wi=r11
    smmulr r9, \b, \wi
    mla \b, \b, \w, \a
    mls \b, r9, r12, \b
    rsb \a, \b, \a, lsl #1
.endm

@ The same with w = 1, without changing places.
.macro light_butterfly a, b
    add \a, \a, \b
    sub \b, \a, \b, lsl #1
.endm

@ \a = \a + \b, \b = \w (\a - \b)
.macro inverse_butterfly a, b, w, wi, t
    sub \b, \a, \b
    rsb \a, \b, \a, lsl #1
    smmulr \t, \b, \wi
    mul \b, \b, \w
    mls \b, \t, r12, \b
.endm

@ \b = \w \b
.macro scale b, w=r10, wi=r11
    smmulr r9, \b, \wi
    mul \b, \b, \w
    mls \b, r9, r12, \b
.endm

@ Three layers with seven constants in s0 to s13, on 8 coefficients. Where they are afterwards: those of
@ r1 to r8 are in r8, r7, ..., r2 and lr.
.macro three_layers
    vmov r10, s0
    vmov r11, s1
    butterfly r1, r5
    butterfly r2, r6
    butterfly r3, r7
    butterfly r4, r8
    vmov r10, s2
    vmov r11, s3
    butterfly r5, r7
    butterfly r6, r8
    vmov r10, s4
    vmov r11, s5
    butterfly r1, r3
    butterfly r2, r4
    vmov r10, s6
    vmov r11, s7
    butterfly r7, r8
    vmov r10, s8
    vmov r11, s9
    butterfly r5, r6
    vmov r10, s10
    vmov r11, s11
    butterfly r3, r4
    vmov r10, s12
    vmov r11, s13
    smmulr r9, r2, r11
    mla r2, r2, r10, r1
    mls r2, r9, r12, r2
    rsb lr, r2, r1, lsl #1
.endm

@ void pqsoc_mldsa_ntt(int32_t p[256], const int32_t constants[510])
@
@ Forward transform in place, FIPS 204, algorithm 41. In: up to 2^29 in absolute value. Out: up to 5 q more.
.section .text.pqsoc_mldsa_ntt, "ax", %progbits
.balign 4
.thumb_func
.type pqsoc_mldsa_ntt, %function
.global pqsoc_mldsa_ntt
.hidden pqsoc_mldsa_ntt
pqsoc_mldsa_ntt:
    push {{r1, r4-r11, lr}}
    load_q
    @ Layers of length 128 and 64: constants in r5 to r10, scratch in r11; the last result of each column of four waits in lr
    @ and is stored among the loads of the next.
    ldmia r1!, {{r5-r10}}
    str r1, [sp]
    add r1, r0, #256
    vmov s15, r1
    ldr lr, [r0, #252]
1:
.irp i, 0, 1, 2, 3
    ldr r1, [r0, #4*\i]
    ldr r2, [r0, #4*\i + 256]
    ldr r3, [r0, #4*\i + 512]
    ldr r4, [r0, #4*\i + 768]
.if \i == 0
    str lr, [r0, #-4 + 256]
.else
    str lr, [r0, #4*\i - 4 + 256]
.endif
    smmulr r11, r3, r6
    mla r3, r3, r5, r1
    mls r3, r11, r12, r3
    rsb r1, r3, r1, lsl #1
    smmulr r11, r4, r6
    mla r4, r4, r5, r2
    mls r4, r11, r12, r4
    rsb r2, r4, r2, lsl #1
    smmulr r11, r2, r10
    mla r2, r2, r9, r1
    mls r2, r11, r12, r2
    rsb r1, r2, r1, lsl #1
    smmulr r11, r4, r8
    str r2, [r0, #4*\i + 512]
    mla r4, r4, r7, r3
    str r1, [r0, #4*\i + 768]
    mls r4, r11, r12, r4
    str r4, [r0, #4*\i]
    rsb lr, r4, r3, lsl #1
.endr
    add r0, #16
    vmov r11, s15
    cmp r0, r11
    bne.w 1b
    str lr, [r0, #252]

    @ Layers of length 32, 16 and 8: 4 blocks of 64. One result waits in lr, as before.
    sub r0, #256
    add r1, r0, #1024
    vmov s15, r1
2:
    ldr r1, [sp]
    vldmia r1!, {{s0-s13}}
    str r1, [sp]
    add r1, r0, #32
    vmov s14, r1
    ldr lr, [r0, #220]
3:
    ldr r1, [r0, #0]
    ldr r2, [r0, #32]
    ldr r3, [r0, #64]
    ldr r4, [r0, #96]
    ldr r5, [r0, #128]
    ldr r6, [r0, #160]
    ldr r7, [r0, #192]
    ldr r8, [r0, #224]
    str lr, [r0, #220]
    three_layers
    vmov r10, s14
    str r8, [r0, #0]
    str r7, [r0, #32]
    str r6, [r0, #64]
    str r5, [r0, #96]
    str r4, [r0, #128]
    str r3, [r0, #160]
    str r2, [r0, #192]
    add r0, #4
    cmp r0, r10
    bne.w 3b
    str lr, [r0, #220]
    vmov r10, s15
    add r0, #224
    cmp r0, r10
    bne.w 2b

    @ Layers of length 4, 2 and 1: 32 blocks of 8, their constants by lr.
    ldr lr, [sp]
    sub r0, #1024
4:
    ldmia lr!, {{r10, r11}}
    ldr r1, [r0, #0]
    ldr r2, [r0, #4]
    ldr r3, [r0, #8]
    ldr r4, [r0, #12]
    ldr r5, [r0, #16]
    ldr r6, [r0, #20]
    ldr r7, [r0, #24]
    ldr r8, [r0, #28]
    butterfly r1, r5
    butterfly r2, r6
    butterfly r3, r7
    butterfly r4, r8
    ldmia lr!, {{r10, r11}}
    butterfly r5, r7
    butterfly r6, r8
    ldmia lr!, {{r10, r11}}
    butterfly r7, r8
    str r8, [r0, #0]
    str r7, [r0, #4]
    ldmia lr!, {{r7, r8, r10, r11}}
    butterfly r5, r6, r7, r8
    butterfly r1, r3
    butterfly r2, r4
    str r6, [r0, #8]
    str r5, [r0, #12]
    ldmia lr!, {{r7, r8, r10, r11}}
    butterfly r3, r4, r7, r8
    butterfly r1, r2
    str r4, [r0, #16]
    str r3, [r0, #20]
    str r2, [r0, #24]
    str r1, [r0, #28]
    vmov r9, s15
    add r0, #32
    cmp r0, r9
    bne.w 4b
    pop {{r1, r4-r11, pc}}
.size pqsoc_mldsa_ntt, . - pqsoc_mldsa_ntt

@ void pqsoc_mldsa_intt(int32_t p[256], const int32_t constants[636])
@
@ Inverse transform in place of a product with factor 2^-32, which goes: FIPS 204, algorithm 42. In: up to 2^26 in absolute value.
@ Out: in 0..q.
@
@ The transform of 64 coefficients with layers of length 1 to 32 has its constants by place, the same in each block, and
@ those of the first layers are 1; what the polynomial's ring asks for besides, a power for each coefficient, is multiplied
@ in behind them, together with the scale.
.section .text.pqsoc_mldsa_intt, "ax", %progbits
.balign 4
.thumb_func
.type pqsoc_mldsa_intt, %function
.global pqsoc_mldsa_intt
.hidden pqsoc_mldsa_intt
pqsoc_mldsa_intt:
    push {{r4-r11, lr}}
    load_q
    @ Layers of length 1, 2 and 4: i^-1 in r10 and r11, w8^-1 and w8^-3 in s0 to s3.
    ldmia r1!, {{r10, r11}}
    vldmia r1!, {{s0-s3}}
    vmov s14, r1
    add r1, r0, #1024
    vmov s15, r1
1:
    ldr r1, [r0, #0]
    ldr r2, [r0, #4]
    ldr r3, [r0, #8]
    ldr r4, [r0, #12]
    ldr r5, [r0, #16]
    ldr r6, [r0, #20]
    ldr r7, [r0, #24]
    ldr r8, [r0, #28]
    light_butterfly r1, r2
    light_butterfly r3, r4
    light_butterfly r5, r6
    light_butterfly r7, r8
    light_butterfly r1, r3
    butterfly r2, r4                @ sum in r4
    light_butterfly r5, r7
    butterfly r6, r8                @ sum in r8
    @ now in order: r1, r4, r3, r2; r5, r8, r7, r6
    light_butterfly r1, r5
    str r1, [r0, #0]
    str r5, [r0, #16]
    butterfly r3, r7
    str r7, [r0, #8]
    str r3, [r0, #24]
    vmov lr, s1
    smmulr r9, r8, lr
    vmov lr, s0
    mla r8, r8, lr, r4
    mls r8, r9, r12, r8
    rsb r4, r8, r4, lsl #1
    str r8, [r0, #4]
    str r4, [r0, #20]
    vmov lr, s3
    smmulr r9, r6, lr
    vmov lr, s2
    mla r6, r6, lr, r2
    mls r6, r9, r12, r6
    rsb r2, r6, r2, lsl #1
    str r6, [r0, #12]
    str r2, [r0, #28]
    vmov lr, s15
    add r0, #32
    cmp r0, lr
    bne.w 1b

    @ Layers of length 8, 16 and 32: of each place, 4 blocks. Constants of the layers in s0 to s13, those of the coefficients by lr.
    sub r0, #1024
    add r1, r0, #32
    vmov s15, r1
    vmov lr, s14
2:
    vldmia lr!, {{s0-s13}}
    add r1, r0, #1024
    vmov s14, r1
3:
    ldr r1, [r0, #0]
    ldr r2, [r0, #32]
    ldr r3, [r0, #64]
    ldr r4, [r0, #96]
    ldr r5, [r0, #128]
    ldr r6, [r0, #160]
    ldr r7, [r0, #192]
    ldr r8, [r0, #224]
    vmov r10, s0
    vmov r11, s1
    butterfly r1, r2                @ 0: r2, 1: r1
    butterfly r3, r4                @ 2: r4, 3: r3
    butterfly r5, r6                @ 4: r6, 5: r5
    butterfly r7, r8                @ 6: r8, 7: r7
    vmov r10, s2
    vmov r11, s3
    butterfly r2, r4                @ 0: r4, 2: r2
    butterfly r6, r8                @ 4: r8, 6: r6
    vmov r10, s4
    vmov r11, s5
    butterfly r1, r3                @ 1: r3, 3: r1
    butterfly r5, r7                @ 5: r7, 7: r5
    vmov r10, s6
    vmov r11, s7
    butterfly r4, r8                @ 0: r8, 4: r4
    vmov r10, s8
    vmov r11, s9
    butterfly r3, r7                @ 1: r7, 5: r3
    vmov r10, s10
    vmov r11, s11
    butterfly r2, r6                @ 2: r6, 6: r2
    vmov r10, s12
    vmov r11, s13
    butterfly r1, r5                @ 3: r5, 7: r1
    ldmia lr!, {{r10, r11}}
    scale r8
    ldmia lr!, {{r10, r11}}
    str r8, [r0, #0]
    scale r7
    str r7, [r0, #32]
    ldmia lr!, {{r7, r8, r10, r11}}
    scale r6, r7, r8
    scale r5
    str r6, [r0, #64]
    str r5, [r0, #96]
    ldmia lr!, {{r5-r8, r10, r11}}
    scale r4, r5, r6
    scale r3, r7, r8
    scale r2
    ldmia lr!, {{r10, r11}}
    str r4, [r0, #128]
    str r3, [r0, #160]
    str r2, [r0, #192]
    scale r1
    str r1, [r0, #224]
    vmov r10, s14
    add r0, #256
    cmp r0, r10
    bne.w 3b
    sub r0, #1020
    vmov r10, s15
    cmp r0, r10
    bne.w 2b

    @ Layers of length 64 and 128, constants in r5 to r10.
    sub r0, #32
    ldmia lr, {{r5-r10}}
    mov r1, #513                    @ 2^32 / q: to reduce is to multiply by 1
    vmov s0, r1
    add r1, r0, #256
    vmov s15, r1
    ldr lr, [r0, #764]
4:
.irp i, 0, 1, 2, 3
    ldr r1, [r0, #4*\i]
    ldr r2, [r0, #4*\i + 256]
    ldr r3, [r0, #4*\i + 512]
    ldr r4, [r0, #4*\i + 768]
    str lr, [r0, #4*\i + 764]
    inverse_butterfly r1, r2, r5, r6, r11
    inverse_butterfly r3, r4, r7, r8, r11
    inverse_butterfly r1, r3, r9, r10, r11
    inverse_butterfly r2, r4, r9, r10, r11
    vmov lr, s0
    smmulr r11, r1, lr
    mls r1, r11, r12, r1
    smmulr r11, r2, lr
    mls r2, r11, r12, r2
    and r11, r12, r1, asr #31
    add r1, r1, r11
    str r1, [r0, #4*\i]
    and r11, r12, r2, asr #31
    add r2, r2, r11
    str r2, [r0, #4*\i + 256]
    and r11, r12, r3, asr #31
    add r3, r3, r11
    str r3, [r0, #4*\i + 512]
    and r11, r12, r4, asr #31
    add lr, r4, r11
.endr
    vmov r11, s15
    add r0, #16
    cmp r0, r11
    bne.w 4b
    str lr, [r0, #764]
    pop {{r4-r11, pc}}
.size pqsoc_mldsa_intt, . - pqsoc_mldsa_intt

@ Names of macros are global where modules are linked together.
.irp name, load_q, butterfly, light_butterfly, inverse_butterfly, scale, three_layers
    .purgem \name
.endr
.text
