// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Decoded code: straight runs of instructions, kept by their address.
//!
//! A block goes on behind conditional branches and ends behind unconditional ones, so that a loop body is usually one.

use std::collections::HashMap;

use crate::insn::{Insn, Op};

/// Longest block, in instructions and in halfwords: [`Insn::offset`] has to hold it.
const MAX_INSNS: usize = 120;
const MAX_HALFWORDS: u32 = 240;
/// Everything is thrown away when this many instructions are kept.
const CAPACITY: usize = 1 << 21;
/// Entries of the table in front of the map, a power of 2.
const FRONT: usize = 1 << 14;

/// What is known of an instruction besides its decoded form.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// First halfword in the high half if there are two.
    pub encoding: u32,
    /// ITSTATE before it.
    pub it: u8,
    pub wide: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub pc: u32,
    /// First instruction and how many.
    pub first: u32,
    pub count: u32,
    /// Address behind the last instruction.
    pub end: u32,
    /// ITSTATE behind the last instruction.
    pub it: u8,
    /// Flash lines: first entry in `lines` and how many.
    pub lines: u32,
    pub line_count: u32,
    /// How many instructions from the start are transient ([`Op::is_transient`]).
    pub transient: u32,
    /// An upper bound of its cycles without wait states and devices.
    pub worst: u32,
}

#[derive(Default)]
pub(crate) struct Cache {
    pub blocks: Vec<Block>,
    pub insns: Vec<Insn>,
    pub sources: Vec<Source>,
    /// 16-byte lines of each block and the cycle in which its first instruction there begins.
    pub lines: Vec<(u32, u16)>,
    front: Vec<(u32, u32)>,
    map: HashMap<(u32, u8), u32>,
}

impl Cache {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The block that starts at `pc` outside an IT block, if it is at hand.
    #[inline]
    pub(crate) fn quick(&self, pc: u32) -> Option<u32> {
        match self.front.get(pc as usize >> 1 & (FRONT - 1)) {
            Some(&(at, id)) if at == pc => Some(id),
            _ => None,
        }
    }

    /// The block that starts at `pc` in IT state `it`.
    pub(crate) fn find(&mut self, pc: u32, it: u8) -> Option<u32> {
        let id = *self.map.get(&(pc, it))?;
        self.remember(pc, it, id);
        Some(id)
    }

    fn remember(&mut self, pc: u32, it: u8, id: u32) {
        if it == 0 {
            if self.front.is_empty() {
                self.front = vec![(u32::MAX, 0); FRONT];
            }
            self.front[pc as usize >> 1 & (FRONT - 1)] = (pc, id);
        }
    }

    /// Decodes a block. `next` gives the instruction at an address and IT state; `stop` says where one must not go on.
    pub(crate) fn decode(
        &mut self,
        pc: u32,
        it: u8,
        mut next: impl FnMut(u32, u8) -> (Insn, Source),
        stop: impl Fn(u32) -> bool,
    ) -> u32 {
        if self.insns.len() > CAPACITY {
            self.clear();
        }
        let first = self.insns.len();
        let (mut at, mut state) = (pc, it);
        let mut worst = 0;
        loop {
            let (mut insn, source) = next(at, state);
            insn.offset = (at.wrapping_sub(pc) >> 1) as u8;
            let op = insn.kind();
            state = if op == Op::It { insn.imm as u8 } else { crate::decode::It(state).next().0 };
            at = at.wrapping_add(if source.wide { 4 } else { 2 });
            worst += slack(op, &insn);
            self.insns.push(insn);
            self.sources.push(source);
            let count = self.insns.len() - first;
            if ends_block(&insn) || count >= MAX_INSNS || at.wrapping_sub(pc) >> 1 > MAX_HALFWORDS || stop(at)
            {
                break;
            }
        }
        let wide: Vec<bool> = self.sources[first..].iter().map(|s| s.wide).collect();
        crate::timing::schedule(&mut self.insns[first..], &wide, pc);
        let lines = self.lines.len();
        let mut begin = 0;
        for (insn, wide) in self.insns[first..].iter().zip(wide) {
            let from = pc.wrapping_add(2 * u32::from(insn.offset));
            for line in [from >> 4, from.wrapping_add(if wide { 2 } else { 0 }) >> 4] {
                if self.lines[lines..].last().is_none_or(|l| l.0 != line) {
                    self.lines.push((line, begin));
                }
            }
            begin = insn.end;
        }
        let insns = &self.insns[first..];
        let transient = insns.iter().take_while(|insn| insn.kind().is_transient()).count() as u32;
        let id = self.blocks.len() as u32;
        self.blocks.push(Block {
            pc,
            first: first as u32,
            count: (self.insns.len() - first) as u32,
            end: at,
            it: state,
            lines: lines as u32,
            line_count: (self.lines.len() - lines) as u32,
            transient,
            worst: worst + u32::from(begin) + 4,
        });
        self.map.insert((pc, it), id);
        self.remember(pc, it, id);
        id
    }
}

/// Cycles that may come on top of the scheduled ones while running.
fn slack(op: Op, insn: &Insn) -> u32 {
    match op {
        Op::Sdiv | Op::Udiv => 10,
        Op::Ldm | Op::LdmPc | Op::Stm => 1 + insn.imm.count_ones(),
        _ => 4,
    }
}

/// Whether nothing is executed behind this instruction without a look around.
fn ends_block(insn: &Insn) -> bool {
    match insn.op {
        Op::B | Op::Bl | Op::Bx | Op::Blx | Op::MovPc => true,
        Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcWb | Op::LdrPcLit | Op::LdmPc => true,
        Op::Tbb | Op::TbbPc | Op::Tbh | Op::TbhPc => true,
        _ => matches!(
            insn.kind(),
            Op::Svc
                | Op::Bkpt
                | Op::Cps
                | Op::Mrs
                | Op::Msr
                | Op::Wfi
                | Op::Wfe
                | Op::Sev
                | Op::Isb
                | Op::Coprocessor
                | Op::Undefined
                | Op::Unpredictable
                | Op::FetchFault
        ),
    }
}
