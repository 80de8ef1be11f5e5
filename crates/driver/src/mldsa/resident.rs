//! Polynomials that stay in the fabric.
use pqsoc_mldsa::{Blank, Challenge, Compact, Encoding, Engine, N, Portable, Rho, T0_LEN, T1_LEN};
use pqsoc_registers::{Command, Opcode};
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use super::pending::Pending;
use super::{POLY, done, eta_opcode, gamma1_opcode, indices};
use crate::accelerator::Accelerator;
use crate::buffer::{Buffer, Pool, Software};
use crate::dma::{Cargo, Failed, Receive, Send};
use crate::error::Error;
use crate::hash::Hash;
use crate::platform::Platform;

/// Polynomials of which the processor keeps a copy at once: with ML-DSA-87 these are w, z, one of c t0, and one on its way.
pub const MIRRORS: usize = 17;

/// A handle.
#[derive(Debug)]
pub struct ResidentPoly(Place);

#[derive(Clone, Copy, Debug)]
enum Place {
    Blank,
    /// A slot of its own, since the reset `epoch`.
    Slot {
        slot: u8,
        epoch: u32,
    },
    /// A polynomial of A, which is public and sampled when it is wanted: a number of [`Resident::seeds`] and where it is in A.
    Matrix {
        seed: u8,
        row: u8,
        column: u8,
    },
}

impl Blank for ResidentPoly {
    const BLANK: Self = Self(Place::Blank);
}

/// Whose a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Nobody,
    /// A handle.
    Poly,
    /// A polynomial of A is in it, as long as nobody else wants it.
    Matrix {
        seed: u8,
        row: u8,
        column: u8,
    },
}

/// To work in.
const WORK: u8 = 0;
/// A polynomial of A that has no slot.
const PASSING: u8 = 1;
/// The first that handles get: of 64, 62 are theirs, as many as ML-DSA-87 with the profile `Reference` wants.
const FIRST: u8 = 2;

/// Seeds of A that are known at once; with others A is sampled into slots.
const SEEDS: usize = 2;
/// Rows and columns of the largest A.
const SIDE: usize = 8;
/// No slot.
const NONE: u8 = u8::MAX;

/// Words of the string memory.
const SEED_WORDS: u8 = 4;
/// A seed of A that is not one of the known ones.
const OTHER_SEED_AT: u8 = SEEDS as u8 * SEED_WORDS;
/// A seed of s1 and s2, or of the mask.
const SECRET_SEED_AT: u8 = 16;

/// A seed of A and the slots in which its polynomials are.
#[derive(Debug)]
struct Seed {
    rho: Rho,
    /// Handles that name it.
    users: usize,
    /// It is in the string memory.
    loaded: bool,
    slots: [[u8; SIDE]; SIDE],
}

impl Seed {
    const NEW: Self = Self { rho: [0; 32], users: 0, loaded: false, slots: [[NONE; SIDE]; SIDE] };
}

/// An engine whose polynomials are slots of the fabric: operations are commands that wait until something depends on them and run
/// without the processor, and a polynomial is moved when the processor has to look at its coefficients.
///
/// Secrets are wiped from the fabric when the last handle is released.
pub struct Resident<'a, P> {
    accelerator: &'a mut Accelerator<P>,
    /// The reset since which all that follows is true.
    epoch: u32,
    owners: [Owner; 256],
    /// Slots that handles have.
    live: usize,
    seeds: [Seed; SEEDS],
    other_seed: Option<Rho>,
    /// The seed of s1 and s2, or of the mask, that is in the string memory, and its length; it is secret.
    secret_seed: ([u8; 64], usize),
    /// Commands that the fabric does not have yet.
    pending: Pending,
    /// Copies of slots, and of which.
    mirrors: [Option<Buffer<Software>>; MIRRORS],
    mirrored: [Option<u8>; MIRRORS],
    /// Of each slot the number of its copy, or [`NONE`].
    mirror_of: [u8; 256],
    next_mirror: usize,
    /// Where the mirrors go in the end.
    pool: &'a mut Pool<Software, MIRRORS>,
}

/// Slot `to` = slot `from`.
fn copy_commands(to: u8, from: u8) -> [Command; 2] {
    [Command::sub(to, to, to), Command::add(to, to, from)]
}

impl<'a, P: Platform> Resident<'a, P> {
    /// An engine over this accelerator, with these buffers for what the processor looks at. `None` if the fabric has less
    /// than eight slots, or buffers are missing from the pool.
    pub fn new(accelerator: &'a mut Accelerator<P>, pool: &'a mut Pool<Software, MIRRORS>) -> Option<Self> {
        accelerator.refill(pool);
        if accelerator.slots() < 8 || pool.count() < MIRRORS {
            return None;
        }
        let epoch = accelerator.epoch();
        Some(Self {
            accelerator,
            epoch,
            owners: [Owner::Nobody; 256],
            live: 0,
            seeds: [Seed::NEW; SEEDS],
            other_seed: None,
            secret_seed: ([0; 64], 0),
            pending: Pending::NEW,
            mirrors: [(); MIRRORS].map(|()| pool.take()),
            mirrored: [None; MIRRORS],
            mirror_of: [NONE; 256],
            next_mirror: 0,
            pool,
        })
    }

    // What is where

    /// Notices a reset: everything in the fabric is zero.
    fn notice_reset(&mut self) -> Result<(), Error> {
        self.accelerator.prepare()?;
        if self.epoch != self.accelerator.epoch() {
            self.epoch = self.accelerator.epoch();
            self.live = 0;
            self.owners = [Owner::Nobody; 256];
            self.forget_mirrors();
            self.pending.clear();
            self.forget_seeds();
            for mirror in self.mirrors.iter_mut().filter(|mirror| mirror.is_none()) {
                *mirror = self.accelerator.reclaim();
            }
        }
        Ok(())
    }

    /// Neither seeds nor polynomials of A are in the fabric any more.
    fn forget_seeds(&mut self) {
        self.other_seed = None;
        self.secret_seed.zeroize();
        for seed in &mut self.seeds {
            (seed.loaded, seed.slots) = (false, [[NONE; SIDE]; SIDE]);
        }
    }

    fn slot_count(&self) -> usize {
        usize::from(self.accelerator.slots()).min(256)
    }

    fn free_slot(&self) -> Option<u8> {
        let free = |&slot: &usize| self.owners[slot] == Owner::Nobody;
        (usize::from(FIRST)..self.slot_count()).find(free).map(|slot| slot as u8)
    }

    /// A slot for a handle: a free one, or else one that a polynomial of A is in.
    fn allocate(&mut self) -> Result<u8, Error> {
        let slot = match self.free_slot() {
            Some(slot) => slot,
            None => {
                let of_matrix = |slot: &usize| matches!(self.owners[*slot], Owner::Matrix { .. });
                let slot = (usize::from(FIRST)..self.slot_count()).find(of_matrix).ok_or(Error::Full)? as u8;
                self.evict(slot);
                slot
            }
        };
        self.owners[usize::from(slot)] = Owner::Poly;
        self.live += 1;
        Ok(slot)
    }

    /// Takes a slot from the polynomial of A that is in it.
    fn evict(&mut self, slot: u8) {
        if let Owner::Matrix { seed, row, column } = self.owners[usize::from(slot)] {
            self.seeds[usize::from(seed)].slots[usize::from(row)][usize::from(column)] = NONE;
            self.owners[usize::from(slot)] = Owner::Nobody;
        }
    }

    /// The slot of a polynomial that is written as a whole; copies of it are no longer right.
    fn place(&mut self, p: &mut ResidentPoly) -> Result<u8, Error> {
        self.notice_reset()?;
        let slot = match p.0 {
            Place::Slot { slot, epoch } if epoch == self.epoch => slot,
            _ => {
                self.release(p);
                let slot = self.allocate()?;
                p.0 = Place::Slot { slot, epoch: self.epoch };
                slot
            }
        };
        self.pending.forget(slot);
        self.unmirror(slot);
        Ok(slot)
    }

    /// The slot of a polynomial that is read. Polynomials of A that have none come into [`PASSING`].
    fn find(&mut self, p: &ResidentPoly) -> Result<u8, Error> {
        self.notice_reset()?;
        match p.0 {
            Place::Slot { slot, epoch } if epoch == self.epoch => Ok(slot),
            Place::Slot { .. } | Place::Blank => Err(Error::Blank),
            Place::Matrix { seed, row, column } => self.find_in_matrix(seed, row, column),
        }
    }

    fn find_in_matrix(&mut self, seed: u8, row: u8, column: u8) -> Result<u8, Error> {
        let known = self.seeds[usize::from(seed)].slots[usize::from(row)][usize::from(column)];
        if known != NONE {
            return Ok(known);
        }
        let at = self.load_known_seed(seed)?;
        let slot = match self.free_slot() {
            Some(slot) => {
                self.owners[usize::from(slot)] = Owner::Matrix { seed, row, column };
                self.seeds[usize::from(seed)].slots[usize::from(row)][usize::from(column)] = slot;
                slot
            }
            None => PASSING,
        };
        self.unmirror(slot);
        self.queue(&[Command::sample_uniform(slot, at, indices(row, column))])?;
        Ok(slot)
    }

    /// The slot of a polynomial that is changed in place.
    fn change(&mut self, p: &mut ResidentPoly) -> Result<u8, Error> {
        let from = self.find(p)?;
        if let Place::Matrix { .. } = p.0 {
            let to = self.place(p)?;
            self.copy_slot(to, from)?;
            return Ok(to);
        }
        self.unmirror(from);
        Ok(from)
    }

    // Commands

    /// Appends commands that belong together: their result is where the last one writes.
    fn queue(&mut self, group: &[Command]) -> Result<(), Error> {
        if self.pending.append(group).is_some() {
            return Ok(());
        }
        self.run(self.pending.all().len())?;
        self.pending.append(group).ok_or(Error::Full)
    }

    /// Has the fabric run the first so many of the commands that wait.
    fn run(&mut self, count: usize) -> Result<(), Error> {
        let outcome = match self.pending.first(count) {
            [] => Ok(()),
            commands => self.accelerator.queue(commands),
        };
        self.pending.remove(count);
        outcome
    }

    /// Moves a buffer with one command, and gives the fabric something to do after it.
    fn move_with<C: Cargo>(&mut self, cargo: C, command: Command) -> Result<C, Failed<C>> {
        let count = self.pending.ahead();
        let outcome = self.accelerator.call_ahead(cargo, &[command], self.pending.first(count));
        self.pending.remove(count);
        outcome
    }

    fn copy_slot(&mut self, to: u8, from: u8) -> Result<(), Error> {
        if to == from {
            return Ok(());
        }
        self.queue(&copy_commands(to, from))
    }

    // Seeds

    /// Sends a seed to the string memory.
    fn load_seed(&mut self, at: u8, seed: &[u8]) -> Result<(), Error> {
        self.run(self.pending.until_sampled())?;
        for (to, from) in self.accelerator.outgoing()?.bytes_mut().iter_mut().zip(seed) {
            *to = *from;
        }
        self.accelerator.converse(seed.len(), 0, &[Command::string_load(at, (seed.len() / 8) as u16)])
    }

    /// Sends a secret seed of up to 64 bytes to the string memory, unless it is there.
    fn load_secret_seed(&mut self, seed: &[u8]) -> Result<(), Error> {
        let (known, length) = &self.secret_seed;
        if bool::from(known.get(..*length).unwrap_or_default().ct_eq(seed)) {
            return Ok(());
        }
        self.load_seed(SECRET_SEED_AT, seed)?;
        if let Some(place) = self.secret_seed.0.get_mut(..seed.len()) {
            place.copy_from_slice(seed);
            self.secret_seed.1 = seed.len();
        }
        Ok(())
    }

    /// Where the known seed of that number is in the string memory.
    fn load_known_seed(&mut self, number: u8) -> Result<u8, Error> {
        let at = number * SEED_WORDS;
        let Seed { rho, loaded, .. } = self.seeds[usize::from(number)];
        if !loaded {
            self.load_seed(at, &rho)?;
            self.seeds[usize::from(number)].loaded = true;
        }
        Ok(at)
    }

    /// Where a seed is in the string memory.
    fn load_rho(&mut self, rho: &Rho) -> Result<u8, Error> {
        self.notice_reset()?;
        if let Some(known) = self.known(rho) {
            return self.load_known_seed(known);
        }
        if self.other_seed != Some(*rho) {
            self.load_seed(OTHER_SEED_AT, rho)?;
            self.other_seed = Some(*rho);
        }
        Ok(OTHER_SEED_AT)
    }

    /// The number of a seed that is known.
    fn known(&self, rho: &Rho) -> Option<u8> {
        let same = |seed: &Seed| seed.rho == *rho && (seed.users > 0 || seed.loaded);
        self.seeds.iter().position(same).map(|number| number as u8)
    }

    /// The number of a seed, which becomes known if there is room.
    fn know(&mut self, rho: &Rho) -> Option<u8> {
        if let Some(known) = self.known(rho) {
            return Some(known);
        }
        let unused = self.seeds.iter().position(|seed| seed.users == 0)? as u8;
        for slot in FIRST..=u8::MAX {
            if matches!(self.owners[usize::from(slot)], Owner::Matrix { seed, .. } if seed == unused) {
                self.evict(slot);
            }
        }
        self.seeds[usize::from(unused)] = Seed { rho: *rho, ..Seed::NEW };
        Some(unused)
    }

    /// `out[i]` = what `opcode` samples of a secret seed and `nonce + i`.
    fn sample_all(
        &mut self,
        out: &mut [ResidentPoly],
        opcode: Opcode,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Error> {
        self.notice_reset()?;
        self.load_secret_seed(seed)?;
        let mut nonce = nonce;
        for out in out {
            let slot = self.place(out)?;
            let words = (seed.len() / 8) as u8;
            self.queue(&[Command::new(opcode, slot, SECRET_SEED_AT, words, nonce.into())])?;
            nonce = nonce.wrapping_add(1);
        }
        Ok(())
    }

    // Between processor and fabric

    /// Notes whose copy a mirror is.
    fn assign(&mut self, mirror: usize, slot: Option<u8>) {
        if let Some(old) = self.mirrored[mirror] {
            self.mirror_of[usize::from(old)] = NONE;
        }
        if let Some(new) = slot {
            self.mirror_of[usize::from(new)] = mirror as u8;
        }
        self.mirrored[mirror] = slot;
    }

    /// The number of the copy of a slot.
    fn mirror_of(&self, slot: u8) -> Option<usize> {
        let mirror = self.mirror_of[usize::from(slot)];
        (mirror != NONE).then_some(usize::from(mirror))
    }

    fn unmirror(&mut self, slot: u8) {
        if let Some(mirror) = self.mirror_of(slot) {
            self.assign(mirror, None);
        }
    }

    fn forget_mirrors(&mut self) {
        (self.mirrored, self.mirror_of) = ([None; MIRRORS], [NONE; 256]);
    }

    fn wipe_mirrors(&mut self) {
        self.forget_mirrors();
        for mirror in self.mirrors.iter_mut().flatten() {
            mirror.zeroize();
        }
    }

    /// A mirror that is of no slot, or the one that has been for longest; not `but`.
    fn choose_mirror(&mut self, but: usize) -> usize {
        if let Some(unused) = self.mirrored.iter().position(Option::is_none) {
            return unused;
        }
        for _ in 0..2 {
            self.next_mirror = (self.next_mirror + 1) % MIRRORS;
            if self.next_mirror != but {
                break;
            }
        }
        self.next_mirror
    }

    /// The number of the mirror that has the coefficients of `p`. It is not `but`, unless that has them.
    fn mirror(&mut self, p: &ResidentPoly, but: usize) -> Result<usize, Error> {
        let slot = self.find(p)?;
        if let Some(known) = self.mirror_of(slot) {
            return Ok(known);
        }
        let mirror = self.choose_mirror(but);
        self.assign(mirror, None);
        self.run(self.pending.until_written(slot))?;
        let buffer = self.mirrors[mirror].take().ok_or(Error::Lost)?;
        match self.move_with(Receive(buffer, POLY as u32), Command::store(slot)) {
            Ok(Receive(buffer, _)) => self.mirrors[mirror] = Some(buffer),
            Err(Failed { error, cargo }) => {
                self.mirrors[mirror] = cargo.map(|cargo| cargo.0);
                return Err(error);
            }
        }
        if slot != PASSING {
            self.assign(mirror, Some(slot));
        }
        Ok(mirror)
    }

    fn mirrored(&self, mirror: usize) -> Result<&Software, Error> {
        self.mirrors[mirror].as_deref().ok_or(Error::Lost)
    }

    /// The coefficients of `p`, in `0..q`.
    fn look(&mut self, p: &ResidentPoly) -> Result<&Software, Error> {
        let mirror = self.mirror(p, MIRRORS)?;
        self.mirrored(mirror)
    }

    /// Loads what `f` writes, coefficients in `0..q`, to a slot.
    fn send(&mut self, slot: u8, f: impl FnOnce(&mut Software)) -> Result<(), Error> {
        let mirror = self.choose_mirror(MIRRORS);
        self.assign(mirror, None);
        let mut buffer = self.mirrors[mirror].take().ok_or(Error::Lost)?;
        f(&mut buffer);
        let free = self.run(self.pending.until_free(slot));
        let moved = match free {
            Ok(()) => self.move_with(Send(buffer, POLY as u32), Command::load(slot)),
            Err(error) => Err(Failed { error, cargo: Some(Send(buffer, POLY as u32)) }),
        };
        match moved {
            Ok(Send(buffer, _)) => {
                self.mirrors[mirror] = Some(buffer);
                self.assign(mirror, Some(slot));
                Ok(())
            }
            Err(Failed { error, cargo }) => {
                self.mirrors[mirror] = cargo.map(|cargo| cargo.0);
                Err(error)
            }
        }
    }

    fn put(&mut self, out: &mut ResidentPoly, f: impl FnOnce(&mut Software)) -> Result<(), Error> {
        let slot = self.place(out)?;
        self.send(slot, f)
    }

    /// The slots of two polynomials that are read.
    fn find_both(&mut self, a: &ResidentPoly, b: &ResidentPoly) -> Result<[u8; 2], Error> {
        let mut first = self.find(a)?;
        if first == PASSING {
            self.copy_slot(WORK, PASSING)?;
            first = WORK;
        }
        Ok([first, self.find(b)?])
    }

    /// Clears the fabric when no handle has a slot any more.
    fn wipe(&mut self) {
        self.wipe_mirrors();
        self.owners = [Owner::Nobody; 256];
        self.forget_seeds();
        self.pending.clear();
        self.accelerator.clear();
    }
}

impl<P> Drop for Resident<'_, P> {
    fn drop(&mut self) {
        self.secret_seed.zeroize();
        for mut mirror in self.mirrors.iter_mut().filter_map(Option::take) {
            mirror.zeroize();
            self.pool.give(mirror);
        }
    }
}

impl<P: Platform> Engine for Resident<'_, P> {
    type Poly = ResidentPoly;
    /// A transform.
    type Secret = ResidentPoly;
    /// A transform.
    type Challenge = ResidentPoly;
    type Hash = Hash;
    type Error = Error;

    const QUEUES: bool = true;

    fn load(&mut self, out: &mut ResidentPoly, coefficients: &[u32; N]) -> Result<(), Error> {
        self.put(out, |p| *p.coefficients_mut() = *coefficients)
    }

    fn store(&mut self, p: &ResidentPoly, coefficients: &mut [u32; N]) -> Result<(), Error> {
        *coefficients = *self.look(p)?.coefficients();
        Ok(())
    }

    fn copy(&mut self, out: &mut ResidentPoly, p: &ResidentPoly) -> Result<(), Error> {
        let from = self.find(p)?;
        let to = self.place(out)?;
        self.copy_slot(to, from)
    }

    fn clear(&mut self, out: &mut ResidentPoly) -> Result<(), Error> {
        let to = self.place(out)?;
        self.queue(&[Command::sub(to, to, to)])
    }

    fn release(&mut self, p: &mut ResidentPoly) {
        match core::mem::replace(&mut p.0, Place::Blank) {
            Place::Slot { slot, epoch } if epoch == self.epoch && epoch == self.accelerator.epoch() => {
                self.owners[usize::from(slot)] = Owner::Nobody;
                self.pending.forget(slot);
                self.unmirror(slot);
                self.live -= 1;
                if self.live == 0 {
                    self.wipe();
                }
            }
            Place::Matrix { seed, .. } => self.seeds[usize::from(seed)].users -= 1,
            // A reset has wiped it.
            Place::Slot { .. } | Place::Blank => {}
        }
    }

    fn release_secret(&mut self, s: &mut ResidentPoly) {
        self.release(s);
    }

    fn release_challenge(&mut self, c: &mut ResidentPoly) {
        self.release(c);
    }

    fn ntt(&mut self, p: &mut ResidentPoly) -> Result<(), Error> {
        let slot = self.change(p)?;
        // Of a copy that was made just now the transform is made in the copying.
        let last = self.pending.all().last().map_or(slot, |command| command.b());
        let from = if self.pending.take_last(&copy_commands(slot, last)) { last } else { slot };
        self.queue(&[Command::ntt(slot, from)])
    }

    fn intt(&mut self, p: &mut ResidentPoly) -> Result<(), Error> {
        let slot = self.change(p)?;
        self.queue(&[Command::intt(slot, slot)])
    }

    fn add(&mut self, acc: &mut ResidentPoly, p: &ResidentPoly) -> Result<(), Error> {
        let to = self.change(acc)?;
        let from = self.find(p)?;
        self.queue(&[Command::add(to, to, from)])
    }

    fn subtract(&mut self, acc: &mut ResidentPoly, p: &ResidentPoly) -> Result<(), Error> {
        let to = self.change(acc)?;
        let from = self.find(p)?;
        self.queue(&[Command::sub(to, to, from)])
    }

    fn multiply(&mut self, out: &mut ResidentPoly, a: &ResidentPoly, b: &ResidentPoly) -> Result<(), Error> {
        let to = self.place(out)?;
        let [a, b] = self.find_both(a, b)?;
        self.queue(&[Command::mul(to, a, b)])
    }

    fn multiply_subtract(
        &mut self,
        acc: &mut ResidentPoly,
        a: &ResidentPoly,
        b: &ResidentPoly,
    ) -> Result<(), Error> {
        let to = self.change(acc)?;
        let [a, b] = self.find_both(a, b)?;
        self.queue(&[Command::mul(WORK, a, b), Command::sub(to, to, WORK)])
    }

    fn dot(&mut self, out: &mut ResidentPoly, a: &[ResidentPoly], v: &[ResidentPoly]) -> Result<(), Error> {
        let to = self.place(out)?;
        let mut add: fn(u8, u8, u8) -> Command = Command::mul;
        for (a, v) in a.iter().zip(v) {
            let [v, a] = self.find_both(v, a)?;
            self.queue(&[add(to, a, v)])?;
            add = Command::mac;
        }
        Ok(())
    }

    fn expand_a(&mut self, out: &mut [ResidentPoly], rho: &Rho, row: u8) -> Result<(), Error> {
        self.notice_reset()?;
        let columns = out.len();
        for (column, out) in (0..).zip(out) {
            let seed = if usize::from(row.max(column)) < SIDE { self.know(rho) } else { None };
            if let Some(seed) = seed {
                self.seeds[usize::from(seed)].users += 1;
                let first = usize::from(row) * columns + usize::from(column);
                self.release(out);
                out.0 = Place::Matrix { seed, row, column };
                // What is needed first is sampled while the processor does something else.
                if first < self.slot_count() / 3 {
                    self.find_in_matrix(seed, row, column)?;
                }
            } else {
                let to = self.place(out)?;
                let at = self.load_rho(rho)?;
                self.queue(&[Command::sample_uniform(to, at, indices(row, column))])?;
            }
        }
        Ok(())
    }

    fn expand_a_dot(
        &mut self,
        out: &mut ResidentPoly,
        rho: &Rho,
        row: u8,
        v: &[ResidentPoly],
    ) -> Result<(), Error> {
        let to = self.place(out)?;
        let at = self.load_rho(rho)?;
        let mut add: fn(u8, u8, u8) -> Command = Command::mul;
        for (column, v) in (0..).zip(v) {
            let v = self.find(v)?;
            self.queue(&[Command::sample_uniform(WORK, at, indices(row, column)), add(to, WORK, v)])?;
            add = Command::mac;
        }
        Ok(())
    }

    fn expand_a_accumulate(
        &mut self,
        acc: &mut Compact,
        rho: &Rho,
        row: u8,
        column: u8,
        v: &ResidentPoly,
    ) -> Result<(), Error> {
        super::with_blank(self, |this, [sum]| {
            this.restore(sum, acc)?;
            let to = this.change(sum)?;
            let at = this.load_rho(rho)?;
            let v = this.find(v)?;
            this.queue(&[
                Command::sample_uniform(WORK, at, indices(row, column)),
                Command::mac(to, WORK, v),
            ])?;
            this.compress(sum, acc)
        })
    }

    fn expand_s(
        &mut self,
        out: &mut [ResidentPoly],
        eta: Encoding,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Error> {
        self.sample_all(out, eta_opcode(eta), seed, nonce)
    }

    fn expand_mask(
        &mut self,
        out: &mut [ResidentPoly],
        gamma1: Encoding,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Error> {
        self.sample_all(out, gamma1_opcode(gamma1), seed, nonce)
    }

    fn sample_in_ball(&mut self, out: &mut Challenge, seed: &[u8], tau: usize) -> Result<(), Error> {
        super::sample_in_ball(self.accelerator, out, seed, tau)
    }

    fn load_challenge(&mut self, out: &mut ResidentPoly, c: &Challenge) -> Result<(), Error> {
        self.put(out, |p| done(Portable.load_challenge(p, c)))
    }

    fn prepare_challenge(&mut self, out: &mut ResidentPoly, c: &Challenge) -> Result<(), Error> {
        super::prepare_challenge(self, out, c)
    }

    fn prepare_secret(
        &mut self,
        out: &mut ResidentPoly,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<(), Error> {
        super::prepare_secret(self, out, encoding, bytes)
    }

    fn add_challenge_product(
        &mut self,
        acc: &mut ResidentPoly,
        c: &ResidentPoly,
        s: &ResidentPoly,
    ) -> Result<(), Error> {
        let to = self.change(acc)?;
        let [c, s] = self.find_both(c, s)?;
        self.queue(&[Command::mul(WORK, c, s), Command::intt(WORK, WORK), Command::add(to, to, WORK)])
    }

    fn subtract_challenge_product(
        &mut self,
        acc: &mut ResidentPoly,
        c: &ResidentPoly,
        s: &ResidentPoly,
    ) -> Result<(), Error> {
        let to = self.change(acc)?;
        let [c, s] = self.find_both(c, s)?;
        self.queue(&[Command::mul(WORK, c, s), Command::intt(WORK, WORK), Command::sub(to, to, WORK)])
    }

    fn add_challenge_product_packed(
        &mut self,
        acc: &mut ResidentPoly,
        c: &Challenge,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<(), Error> {
        super::add_challenge_product_packed(self, acc, c, encoding, bytes)
    }

    fn subtract_challenge_t1(
        &mut self,
        acc: &mut ResidentPoly,
        c: &Challenge,
        bytes: &[u8; T1_LEN],
    ) -> Result<(), Error> {
        super::subtract_challenge_t1(self, acc, c, bytes)
    }

    fn unpack(&mut self, out: &mut ResidentPoly, encoding: Encoding, bytes: &[u8]) -> Result<(), Error> {
        self.put(out, |p| done(Portable.unpack(p, encoding, bytes)))
    }

    fn add_packed(&mut self, acc: &mut ResidentPoly, encoding: Encoding, bytes: &[u8]) -> Result<(), Error> {
        let to = self.change(acc)?;
        self.unmirror(WORK);
        self.send(WORK, |p| done(Portable.unpack(p, encoding, bytes)))?;
        self.unmirror(WORK);
        self.queue(&[Command::add(to, to, WORK)])
    }

    fn pack(&mut self, p: &ResidentPoly, encoding: Encoding, bytes: &mut [u8]) -> Result<(), Error> {
        done(Portable.pack(self.look(p)?, encoding, bytes));
        Ok(())
    }

    fn unpack_t1(&mut self, out: &mut ResidentPoly, bytes: &[u8; T1_LEN]) -> Result<(), Error> {
        self.put(out, |p| done(Portable.unpack_t1(p, bytes)))
    }

    fn power2round(
        &mut self,
        t: &ResidentPoly,
        t1: &mut [u8; T1_LEN],
        t0: &mut [u8; T0_LEN],
    ) -> Result<(), Error> {
        done(Portable.power2round(self.look(t)?, t1, t0));
        Ok(())
    }

    fn compress(&mut self, p: &ResidentPoly, out: &mut Compact) -> Result<(), Error> {
        done(Portable.compress(self.look(p)?, out));
        Ok(())
    }

    fn restore(&mut self, out: &mut ResidentPoly, compact: &Compact) -> Result<(), Error> {
        self.put(out, |p| done(Portable.restore(p, compact)))
    }

    fn restore_product(&mut self, out: &mut ResidentPoly, compact: &Compact) -> Result<(), Error> {
        // Products have no factor here.
        self.restore(out, compact)
    }

    fn norm_reaches(&mut self, p: &ResidentPoly, bound: u32) -> Result<bool, Error> {
        Ok(done(Portable.norm_reaches(self.look(p)?, bound)))
    }

    fn low_bits_reach(&mut self, p: &ResidentPoly, gamma2: u32, bound: u32) -> Result<bool, Error> {
        Ok(done(Portable.low_bits_reach(self.look(p)?, gamma2, bound)))
    }

    fn make_hint(
        &mut self,
        r: &ResidentPoly,
        ct0: &ResidentPoly,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Error> {
        let r = self.mirror(r, MIRRORS)?;
        let ct0 = self.mirror(ct0, r)?;
        Ok(done(Portable.make_hint(self.mirrored(r)?, self.mirrored(ct0)?, gamma2, places)))
    }

    fn make_hint_compact(
        &mut self,
        r: &Compact,
        ct0: &ResidentPoly,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Error> {
        Ok(done(Portable.make_hint_compact(r, self.look(ct0)?, gamma2, places)))
    }

    fn absorb(&mut self, hash: &mut Hash, bytes: &[u8]) -> Result<(), Error> {
        self.accelerator.absorb(hash, bytes)
    }

    fn absorb_w1(&mut self, hash: &mut Hash, w: &ResidentPoly, gamma2: u32) -> Result<(), Error> {
        let mirror = self.mirror(w, MIRRORS)?;
        let mut outcome = Ok(());
        let w = self.mirrors[mirror].as_deref().ok_or(Error::Lost)?;
        Portable::encode_w1(w, gamma2, |w1| outcome = self.accelerator.absorb(hash, w1));
        outcome
    }

    fn absorb_hinted_w1(
        &mut self,
        hash: &mut Hash,
        w: &mut ResidentPoly,
        gamma2: u32,
        places: &[u8],
    ) -> Result<(), Error> {
        let mirror = self.mirror(w, MIRRORS)?;
        // It is changed.
        self.assign(mirror, None);
        let mut outcome = Ok(());
        let w = self.mirrors[mirror].as_deref_mut().ok_or(Error::Lost)?;
        Portable::encode_hinted_w1(w, gamma2, places, |w1| outcome = self.accelerator.absorb(hash, w1));
        outcome
    }

    fn finish(&mut self, hash: &mut Hash, out: &mut [u8]) -> Result<(), Error> {
        self.accelerator.squeeze(hash, out)
    }
}
