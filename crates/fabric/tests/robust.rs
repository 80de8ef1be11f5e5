//! What no software should do: registers, commands and streams at random, resets in every cycle. The fabric answers every
//! access, ends every command, and works as ever after a reset.
mod common;

use common::*;
use pqsoc_fabric::{B1R2, B4R1, Beat, Configuration, Fabric, Pace, Random, beats};
use pqsoc_registers::{Bus, Cause, Command, Hash, OverBus};

fn fabric<C: Configuration>() -> Fabric<C> {
    let mut fabric = Fabric::new().unwrap();
    fabric.start().unwrap();
    fabric
}

fn set_timeout<C: Configuration>(fabric: &mut Fabric<C>, cycles: u32) {
    OverBus::new(fabric).registers().timeout().try_write(|w| w.set_cycles(cycles)).unwrap();
}

/// Runs one list; the cause of its failure, if it failed.
fn run<C: Configuration>(fabric: &mut Fabric<C>, commands: &[Command]) -> Result<(), Cause> {
    fabric.list(commands, 100_000).unwrap().expect("the list ends").map_err(|halt| halt.cause)
}

/// Everything works: a polynomial goes in, is transformed there and back, and comes out; a hash is right.
fn works<C: Configuration>(fabric: &mut Fabric<C>) {
    fabric.set_pace(Pace::FULL, 0);
    for _ in 0..20 {
        fabric.step();
    }
    fabric.take_beats();
    assert_eq!(fabric.input_left(), 0);
    fabric.start().unwrap();
    // A list may have ended before.
    let _ = fabric.acknowledge().unwrap();
    let p: Poly = std::array::from_fn(|i| 31 * i as u32);
    fabric.send(&wire(&p));
    let commands = [
        Command::load(1),
        Command::ntt(0, 1),
        Command::store(0),
        Command::intt(0, 0),
        Command::store(0),
        Command::hash_init(Hash::Sha3_256),
        Command::absorb_immediate(0x63_6261, 3),
        Command::squeeze_stream(32),
    ];
    assert_eq!(run(fabric, &commands), Ok(()));
    for _ in 0..20 {
        fabric.step();
    }
    let digest = pqsoc_keccak::Sha3_256::digest(&[b"abc"]).to_vec();
    assert_eq!(fabric.receive(), [wire(&ntt(&p)), wire(&p), digest]);
}

/// Any bits, more often than not those of something that exists.
fn any_command(random: &mut Random) -> Command {
    const OPCODES: [std::ops::RangeInclusive<u64>; 4] = [0..=9, 16..=26, 32..=37, 48..=49];
    let opcode = match OPCODES.into_iter().flatten().nth(random.below(32) as usize) {
        Some(opcode) => opcode,
        None => random.below(64),
    };
    let more = u64::from(random.chance(5));
    let mut field = || if random.chance(70) { random.below(16) } else { random.below(256) };
    let (dst, a, b) = (field(), field(), field());
    let options = match opcode {
        19 | 22 => random.below(2048), // bytes of a stream: few enough to come to an end
        _ if random.chance(70) => random.bits() & 0x00ff_071f,
        _ => random.bits() & 0xffff_ffff,
    };
    Command::from_bits(opcode | more << 6 | dst << 8 | a << 16 | b << 24 | options << 32)
}

/// Packets of any length with TKEEP and TLAST that are mostly right, of coefficients that mostly are.
fn any_beats(random: &mut Random) -> Vec<Beat> {
    let length = if random.chance(60) { 1024 } else { random.below(2100) as usize };
    let small = random.bits() & 0x0000_ffff_0000_ffff;
    let mut beats = beats(&vec![0; length]);
    for beat in &mut beats {
        beat.data = if random.chance(98) { small ^ random.below(256) } else { random.bits() };
        if random.chance(1) {
            *beat = Beat { data: beat.data, keep: random.bits() as u8, last: random.chance(50) };
        }
    }
    beats
}

fn lists_at_random<C: Configuration>(rounds: u64, seed: u64) {
    let mut random = Random::new(seed);
    let mut fabric = fabric::<C>();
    let mut ended_well = 0;
    let mut causes = std::collections::BTreeSet::new();
    for round in 0..rounds {
        set_timeout(&mut fabric, 300);
        fabric.set_pace(if random.chance(50) { Pace::FULL } else { Pace::RANDOM }, round);
        let commands: Vec<_> = (0..1 + random.below(12)).map(|_| any_command(&mut random)).collect();
        for _ in 0..random.below(6) {
            fabric.send_beats(&any_beats(&mut random));
        }
        match run(&mut fabric, &commands) {
            Ok(()) => ended_well += 1,
            Err(cause) => {
                causes.insert(cause as u8);
                if random.chance(50) {
                    // The halted fabric takes the rest of the input.
                    while fabric.input_left() != 0 {
                        fabric.step();
                    }
                    fabric.recover().unwrap();
                    works(&mut fabric);
                    continue;
                }
            }
        }
        fabric.drop_input();
        fabric.soft_reset().unwrap();
        works(&mut fabric);
    }
    assert!(ended_well > rounds / 50, "{ended_well} of {rounds} lists ended well");
    // All but a full FIFO and a sampler without blocks, which random lists hardly reach; `commands.rs` does.
    for cause in [1, 2, 3, 4, 5, 6, 7, 9, 10] {
        assert!(causes.contains(&cause), "no list failed with cause {cause}: {causes:?}");
    }
}

#[test]
fn lists_at_random_4() {
    lists_at_random::<B4R1>(1500, 1);
}
#[test]
fn lists_at_random_with_other_parameters() {
    lists_at_random::<B1R2>(1000, 2);
}

/// Accesses of any register, right or wrong, at any moment.
fn registers_at_random<C: Configuration>(rounds: u64, seed: u64) {
    let mut random = Random::new(seed);
    let mut fabric = fabric::<C>();
    let (mut good, mut bad) = (0, 0);
    for round in 0..rounds {
        fabric.set_pace(Pace { input: 50, output: 50, registers: 20 + random.below(81) as u32 }, round);
        for _ in 0..200 {
            let offset =
                if random.chance(90) { 4 * random.below(17) as u16 } else { random.below(4096) as u16 };
            if random.chance(10) {
                fabric.send_beats(&any_beats(&mut random));
            }
            let strobes = if random.chance(80) { 15 } else { random.below(16) as u8 };
            let value = match offset & !3 {
                0x0c => random.below(32) as u32 & random.below(0x800) as u32 | u32::from(random.chance(90)),
                0x18 => 1 + random.below(400) as u32,
                0x1c => random.below(2048) as u32,
                0x20 => any_command(&mut random).command(),
                _ => random.bits() as u32,
            };
            let answer = if random.chance(60) {
                fabric.write_bytes(offset, value, strobes)
            } else {
                fabric.read(offset).map(drop)
            };
            // An error other than SLVERR, or no answer, is none that AXI4-Lite knows.
            match answer {
                Ok(()) => good += 1,
                Err(error) => {
                    assert_eq!(error.what, "SLVERR", "{error}");
                    bad += 1;
                }
            }
        }
        fabric.drop_input();
        fabric.soft_reset().unwrap();
        set_timeout(&mut fabric, 100_000);
        works(&mut fabric);
    }
    assert!(good > 10 * rounds && bad > 10 * rounds, "{good} answered OKAY, {bad} SLVERR");
}

#[test]
fn registers_at_random_4() {
    registers_at_random::<B4R1>(60, 3);
}
#[test]
fn registers_at_random_with_other_parameters() {
    registers_at_random::<B1R2>(60, 4);
}

#[test]
fn a_write_without_all_strobes_changes_nothing() {
    let mut fabric = fabric::<B4R1>();
    fabric.run(false).unwrap();
    let values =
        |fabric: &mut Fabric<B4R1>| [0x0c, 0x10, 0x18, 0x1c, 0x20, 0x24].map(|at| fabric.read(at).unwrap());
    for pace in [Pace::FULL, Pace::RANDOM] {
        fabric.set_pace(pace, 6);
        let before = values(&mut fabric);
        for offset in [0x0c, 0x18, 0x1c, 0x20, 0x24, 0x28] {
            for strobes in 0..15 {
                let error = fabric.write_bytes(offset, !0, strobes).unwrap_err();
                assert_eq!(
                    (error.offset, error.what),
                    (offset, "SLVERR"),
                    "{offset:#x}, strobes {strobes:#x}"
                );
                assert_eq!(values(&mut fabric), before, "{offset:#x}, strobes {strobes:#x}");
            }
            fabric.write(0x1c, before[3]).unwrap();
        }
    }
    works(&mut fabric);
}

/// Every number of beats from none to twice those of a polynomial, and every number of bytes around a short one.
#[test]
fn streams_of_every_length() {
    let mut fabric = fabric::<B4R1>();
    set_timeout(&mut fabric, 50);
    let cause = |bytes: usize, due: usize| match bytes {
        0 => Err(Cause::InputTimeout),
        _ if bytes < due => Err(Cause::StreamShort),
        _ if bytes == due => Ok(()),
        _ => Err(Cause::StreamLong),
    };
    let again = |fabric: &mut Fabric<B4R1>| {
        while fabric.input_left() != 0 {
            fabric.step();
        }
        for _ in 0..4 {
            fabric.step();
        }
        fabric.recover().unwrap();
    };
    for count in 0..=256 {
        fabric.send(&vec![0; 8 * count]);
        assert_eq!(run(&mut fabric, &[Command::load(0)]), cause(8 * count, 1024), "{count} beats");
        if count != 128 {
            again(&mut fabric);
        }
    }
    for due in [1, 8, 13, 16, 137] {
        for bytes in 0..=2 * due + 1 {
            fabric.send(&vec![0; bytes]);
            let commands = [Command::hash_init(Hash::Shake256), Command::absorb_stream(due as u32)];
            assert_eq!(run(&mut fabric, &commands), cause(bytes, due), "{bytes} bytes, {due} due");
            if bytes != due {
                again(&mut fabric);
            }
        }
    }
    works(&mut fabric);
}

/// Every TKEEP in the first and in the last of two beats, with every number of bytes due in the last.
#[test]
fn every_tkeep() {
    let mut fabric = fabric::<B4R1>();
    for due in 1..=8u32 {
        for (at, keep) in (0..2).flat_map(|at| (0..=255u8).map(move |keep| (at, keep))) {
            let mut packet = beats(&vec![0; 8 + due as usize]);
            packet[at].keep = keep;
            fabric.send_beats(&packet);
            let contiguous = keep != 0 && keep & keep.wrapping_add(1) == 0;
            let expected = if !contiguous || at == 0 && keep != 255 {
                Err(Cause::StreamKeep)
            } else if at == 0 || keep.count_ones() == due {
                Ok(())
            } else if keep.count_ones() < due {
                Err(Cause::StreamShort)
            } else {
                Err(Cause::StreamLong)
            };
            let commands = [Command::hash_init(Hash::Shake256), Command::absorb_stream(8 + due)];
            assert_eq!(
                run(&mut fabric, &commands),
                expected,
                "beat {at}, TKEEP {keep:#04x}, {due} bytes due"
            );
            if expected.is_err() {
                for _ in 0..4 {
                    fabric.step();
                }
                fabric.recover().unwrap();
            }
        }
    }
    works(&mut fabric);
}

/// A list that uses every unit, cut short by a soft reset or a reset in each of its cycles.
#[test]
fn resets_in_every_cycle() {
    let commands = [
        Command::string_load(0, 8),
        Command::load(0),
        Command::sample_ball(1, 0, 4, 39),
        Command::ntt(2, 0),
        Command::chain(10, 0, 4, 2, 0, 2),
        Command::store(2),
        Command::hash_init(Hash::Shake256),
        Command::absorb_string(0, 61),
        Command::squeeze_stream(300),
    ];
    let begin = |fabric: &mut Fabric<B4R1>| {
        fabric.run(false).unwrap();
        fabric.send(&[7; 64]);
        fabric.send(&wire(&[5; 256]));
        for command in commands {
            fabric.push(command).unwrap();
        }
        fabric.run(true).unwrap();
    };
    let mut fabric = fabric::<B4R1>();
    begin(&mut fabric);
    let mut length = 0;
    while OverBus::new(&mut fabric).registers().status().try_read().unwrap().busy() {
        length += 1;
    }
    let length = 4 * length; // a register access is a few cycles
    assert!(length > 1000, "{length}");
    for cycles in 0..length {
        fabric.soft_reset().unwrap();
        works(&mut fabric);
        begin(&mut fabric);
        for _ in 0..cycles {
            fabric.step();
        }
        fabric.drop_input();
        if cycles % 2 == 0 {
            fabric.soft_reset().unwrap();
        } else {
            fabric.reset();
        }
        works(&mut fabric);
    }
}

/// Fills the memories, lets Clear run, and fills the FIFO `cycles` cycles after that.
fn overflow_while_clearing(random: &mut Random, by_reset: bool) {
    let mut fabric = fabric::<B1R2>();
    fabric.send(&[0xaa; 2048]);
    fabric.send(&wire(&[1234; 256]));
    let mut commands = vec![Command::string_load(0, 256), Command::load(0)];
    commands.extend((1..16).map(|slot| Command::add(slot, 0, 0)));
    assert_eq!(run(&mut fabric, &commands), Ok(()));
    if by_reset {
        OverBus::new(&mut fabric).registers().control().try_write(|w| w.set_reset(true)).unwrap();
    } else {
        fabric.push(Command::clear()).unwrap();
    }
    for _ in 0..random.below(1500) {
        fabric.step();
    }
    for _ in 0..33 {
        fabric.push(Command::nop()).unwrap();
    }
    let status = |fabric: &mut Fabric<B1R2>| OverBus::new(fabric).registers().status().try_read().unwrap();
    assert!(status(&mut fabric).busy() && !status(&mut fabric).halted(), "it still clears");
    while !status(&mut fabric).halted() {
        fabric.step();
    }
    let error = OverBus::new(&mut fabric).registers().error().try_read().unwrap();
    assert_eq!(error.cause().ok(), Some(Cause::FifoFull));
    fabric.recover().unwrap();
    fabric.start().unwrap();
    let _ = fabric.acknowledge().unwrap();
    let mut commands = vec![Command::string_store(0, 256)];
    commands.extend((0..16).map(Command::store));
    assert_eq!(run(&mut fabric, &commands), Ok(()));
    for _ in 0..20 {
        fabric.step();
    }
    assert!(fabric.receive().concat().iter().all(|&byte| byte == 0), "everything is cleared");
    works(&mut fabric);
}

#[test]
fn a_full_fifo_does_not_cut_clearing_short() {
    let mut random = Random::new(5);
    for round in 0..20 {
        overflow_while_clearing(&mut random, round % 2 == 0);
    }
}
