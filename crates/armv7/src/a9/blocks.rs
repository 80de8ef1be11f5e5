// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Decoded code: runs of instructions up to the next branch, kept by their virtual address.
//!
//! A block is good as long as the instruction cache lines that it was decoded from are there; when one has gone, its
//! bytes are fetched and compared before the block runs again. So changed code runs in its old form exactly as long as
//! on silicon: until its line is invalidated or thrown out.

use std::collections::HashMap;

use super::timing;
use crate::decode::It;
use crate::insn::{Insn, Op};

const MAX_INSNS: usize = 64;
/// Everything is thrown away when this many instructions are kept.
const CAPACITY: usize = 1 << 21;
/// Entries of the table in front of the map, a power of two.
const FRONT: usize = 1 << 14;

/// What is known of an instruction besides its decoded form.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub encoding: u32,
    /// ITSTATE before it.
    pub it: u8,
    pub bytes: u8,
}

/// Time from the start of the block to the end of an instruction, by the bounds of the model.
#[derive(Clone, Copy, Default)]
pub(super) struct Bounds {
    pub low: u16,
    pub high: u16,
}

/// How the last instruction of a block passes control on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It does not.
    Straight,
    /// To a target in the instruction.
    Direct,
    /// Perhaps to a target in the instruction.
    Conditional,
    /// To a target from a register or memory; `returns` if by the link register or the stack.
    Indirect { returns: bool },
}

#[derive(Clone, Copy)]
pub(super) struct Block {
    /// Address, with bit 0 set in T32.
    pub key: u32,
    pub first: u32,
    pub count: u32,
    /// Address behind the last instruction.
    pub end: u32,
    /// ITSTATE behind the last instruction.
    pub it: u8,
    pub ending: Ending,
    /// The last instruction is a call.
    pub calls: bool,
    /// Physical lines that it lies in: address / 32. A block spans at most nine.
    pub lines: u32,
    pub line_count: u32,
    /// State of the instruction cache in which all lines were known to be there.
    pub checked: u64,
}

impl Block {
    pub(super) const fn pc(&self) -> u32 {
        self.key & !1
    }
}

#[derive(Default)]
pub(super) struct Blocks {
    pub blocks: Vec<Block>,
    pub insns: Vec<Insn>,
    pub sources: Vec<Source>,
    pub bounds: Vec<Bounds>,
    pub lines: Vec<u32>,
    front: Vec<(u32, u32)>,
    map: HashMap<(u32, u8), u32>,
}

impl Blocks {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The block with this key outside an IT block, if it is at hand.
    #[inline]
    pub(super) fn quick(&self, key: u32) -> Option<u32> {
        match self.front.get(key as usize >> 1 & (FRONT - 1)) {
            Some(&(at, id)) if at == key => Some(id),
            _ => None,
        }
    }

    /// The block with this key in IT state `it`.
    pub(super) fn find(&mut self, key: u32, it: u8) -> Option<u32> {
        let id = *self.map.get(&(key, it))?;
        self.remember(key, it, id);
        Some(id)
    }

    fn remember(&mut self, key: u32, it: u8, id: u32) {
        if it == 0 {
            if self.front.is_empty() {
                self.front = vec![(u32::MAX, 0); FRONT];
            }
            self.front[key as usize >> 1 & (FRONT - 1)] = (key, id);
        }
    }

    /// Decodes a block. `next` gives the instruction at an address and IT state and notes the lines that it comes from;
    /// `stop` says where one must not go on.
    pub(super) fn decode(
        &mut self,
        key: u32,
        it: u8,
        mut next: impl FnMut(u32, u8, &mut Vec<u32>) -> (Insn, Source),
        stop: impl Fn(u32) -> bool,
    ) -> u32 {
        if self.insns.len() > CAPACITY {
            self.clear();
        }
        let pc = key & !1;
        let (first, lines) = (self.insns.len(), self.lines.len());
        let (mut at, mut state) = (pc, it);
        let ending = loop {
            let mut fetched = Vec::new();
            let (mut insn, source) = next(at, state, &mut fetched);
            for line in fetched {
                if !self.lines[lines..].contains(&line) {
                    self.lines.push(line);
                }
            }
            insn.offset = (at.wrapping_sub(pc) >> 1) as u8;
            let op = insn.kind();
            state = if op == Op::It { insn.imm as u8 } else { It(state).next().0 };
            at = at.wrapping_add(source.bytes.into());
            self.insns.push(insn);
            self.sources.push(source);
            let (ending, ends) = ending(&insn);
            if ends || self.insns.len() - first >= MAX_INSNS || stop(at) {
                break ending;
            }
        };
        let insns = &mut self.insns[first..];
        let loops = matches!(ending, Ending::Direct | Ending::Conditional)
            && insns.last().is_some_and(|last| last.imm & !1 == pc);
        self.bounds.extend(timing::schedule(insns, loops));
        let calls = insns.last().is_some_and(|last| match last.kind() {
            Op::Bl | Op::Blx => true,
            Op::BlxImm => last.ra == 0,
            _ => false,
        });
        let block = Block {
            key,
            first: first as u32,
            count: insns.len() as u32,
            end: at,
            it: state,
            ending,
            calls,
            lines: lines as u32,
            line_count: (self.lines.len() - lines) as u32,
            checked: 0,
        };
        let id = self.blocks.len() as u32;
        self.blocks.push(block);
        self.map.insert((key, it), id);
        self.remember(key, it, id);
        id
    }
}

/// How an instruction passes control on, and whether a block ends with it.
fn ending(insn: &Insn) -> (Ending, bool) {
    let op = insn.kind();
    let ending = match op {
        Op::Bcond | Op::Cbz | Op::Cbnz => Ending::Conditional,
        Op::B | Op::Bl | Op::BlxImm if insn.conditional() => Ending::Conditional,
        Op::B | Op::Bl | Op::BlxImm => Ending::Direct,
        Op::Bx => Ending::Indirect { returns: insn.rm == 14 },
        Op::LdmPc => Ending::Indirect { returns: insn.rn == 13 },
        Op::LdrPcWb => Ending::Indirect { returns: insn.rn == 13 },
        Op::Blx | Op::MovPc | Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcLit => {
            Ending::Indirect { returns: false }
        }
        Op::Tbb | Op::TbbPc | Op::Tbh | Op::TbhPc => Ending::Indirect { returns: false },
        Op::LoadIndexed if insn.rd == 15 => Ending::Indirect { returns: false },
        _ if matches!(insn.op, Op::Pc | Op::CondPc) && insn.rd == 15 => Ending::Indirect { returns: false },
        _ => Ending::Straight,
    };
    let looks_up = matches!(
        op,
        Op::Svc
            | Op::Smc
            | Op::Bkpt
            | Op::MrsBanked
            | Op::MsrBanked
            | Op::ChangeState
            | Op::Barrier
            | Op::SetEnd
            | Op::Srs
            | Op::Rfe
            | Op::LdmUser
            | Op::LdmReturn
            | Op::StmUser
            | Op::DataReturn
            | Op::RegisterTransfer
            | Op::FpSystem
            | Op::Wfi
            | Op::Wfe
            | Op::Sev
            | Op::Isb
            | Op::Undefined
            | Op::Unpredictable
            | Op::FetchFault
    );
    (ending, looks_up || ending != Ending::Straight)
}
