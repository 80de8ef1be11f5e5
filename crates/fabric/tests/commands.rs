//! Lists, errors, resets, counters: what commands do beside their results.
mod common;

use common::*;
use pqsoc_fabric::{B4R1, Beat, BusError, Fabric, Halt, Pace, Random, beats};
use pqsoc_registers::{Bus, Cause, Command, Hash, Opcode, OverBus};

const LIMIT: u64 = 1_000_000;

fn fabric() -> Fabric<B4R1> {
    let mut fabric = Fabric::new().unwrap();
    fabric.start().unwrap();
    fabric
}

/// Runs one list that ends well and gives the packets that came out.
fn run(fabric: &mut Fabric<B4R1>, commands: &[Command]) -> Vec<Vec<u8>> {
    fabric.list(commands, LIMIT).unwrap().expect("time is up").unwrap();
    drain(fabric)
}

fn drain(fabric: &mut Fabric<B4R1>) -> Vec<Vec<u8>> {
    for _ in 0..100 {
        fabric.step();
    }
    fabric.receive()
}

/// Runs one list that fails.
fn fail(fabric: &mut Fabric<B4R1>, commands: &[Command]) -> Halt {
    fabric.list(commands, LIMIT).unwrap().expect("time is up").unwrap_err()
}

/// Leaves the halt and shows that nothing of it is left: input dropped, an ordinary command works.
fn recover(fabric: &mut Fabric<B4R1>) {
    for _ in 0..1000 {
        fabric.step();
    }
    assert_eq!(fabric.input_left(), 0, "a halted fabric takes its input");
    fabric.take_beats();
    fabric.recover().unwrap();
    let p: Poly = std::array::from_fn(|i| i as u32);
    fabric.send(&wire(&p));
    assert_eq!(run(fabric, &[Command::load(0), Command::store(0)]), [wire(&p)]);
}

/// 100 random operations on slots 0 to 7, with loads and stores among them, and the input they need.
fn hundred(random: &mut Random) -> (Vec<Command>, Vec<Vec<u8>>) {
    let mut commands = Vec::new();
    let mut input = Vec::new();
    while commands.len() < 100 {
        let mut slot = || random.below(8) as u8;
        let (dst, a, b) = (slot(), slot(), slot());
        commands.push(match random.below(12) {
            0 | 1 => {
                input.push(wire(&random_poly(random)));
                Command::load(dst)
            }
            2 => Command::store(a),
            3 => Command::ntt(dst, a),
            4 => Command::intt(dst, a),
            5 => Command::mul(dst, a, b),
            6 => Command::mac(dst, a, b),
            7 => Command::add(dst, a, b),
            8 => Command::sub(dst, a, b),
            9 => Command::sample_uniform(dst, a, random.bits() as u16),
            10 => Command::sample_eta2(dst, a, random.bits() as u16),
            _ => Command::chain(a, 16, b, 4, 2, 5),
        });
    }
    (commands, input)
}

#[test]
fn a_list_does_what_its_commands_do_one_by_one() {
    let mut random = Random::new(1);
    for _ in 0..3 {
        let (commands, input) = hundred(&mut random);
        let (mut listed, mut single) = (fabric(), fabric());
        for packet in &input {
            listed.send(packet);
            single.send(packet);
        }
        listed.set_pace(Pace::RANDOM, 7);
        // `list` waits for the interrupt without a register access.
        let from_list = run(&mut listed, &commands);
        let mut one_by_one = Vec::new();
        for command in commands {
            one_by_one.extend(run(&mut single, &[command]));
        }
        assert!(!from_list.is_empty());
        assert_eq!(from_list, one_by_one);
        let all: Vec<_> = (0..8).map(Command::store).collect();
        assert_eq!(run(&mut listed, &all), run(&mut single, &all));
    }
}

#[test]
fn a_bad_command_stops_its_list_and_is_named() {
    let mut fabric = fabric();
    let p: Poly = std::array::from_fn(|i| 2 * i as u32);
    fabric.send(&wire(&p));
    let mut commands = vec![Command::load(1)];
    commands.resize(57, Command::nop());
    commands.push(Command::ntt(64, 1));
    commands.push(Command::ntt(1, 1));
    let halt = fail(&mut fabric, &commands);
    assert_eq!(halt, Halt { cause: Cause::BadSlot, opcode: Opcode::Ntt as u8, index: 57 });
    recover(&mut fabric);
    // The command before it was done, the one after it was not and is forgotten.
    assert_eq!(run(&mut fabric, &[Command::store(1)]), [wire(&p)]);
}

#[test]
fn commands_that_cannot_be() {
    let mut fabric = fabric();
    let cases = [
        (Command::from_bits(10), Cause::BadOpcode),
        (Command::from_bits(63), Cause::BadOpcode),
        (Command::load(64), Cause::BadSlot),
        (Command::store(64), Cause::BadSlot),
        (Command::intt(255, 0), Cause::BadSlot),
        (Command::ntt(0, 128), Cause::BadSlot),
        (Command::mul(0, 64, 0), Cause::BadSlot),
        (Command::mac(0, 0, 64), Cause::BadSlot),
        (Command::add(64, 0, 0), Cause::BadSlot),
        (Command::sub(0, 0, 200), Cause::BadSlot),
        (Command::sample_uniform(64, 0, 0), Cause::BadSlot),
        (Command::sample_ball(64, 0, 4, 39), Cause::BadSlot),
        (Command::sample_eta2(0, 249, 0), Cause::BadOption),
        (Command::sample_ball(0, 0, 0, 39), Cause::BadOption),
        (Command::sample_ball(0, 0, 4, 0), Cause::BadOption),
        (Command::sample_ball(0, 0, 4, 65), Cause::BadOption),
        (Command::string_load(0, 257), Cause::BadOption),
        (Command::string_load(255, 2), Cause::BadOption),
        (Command::string_store(0, 0), Cause::BadOption),
        (Command::chain(0, 0, 0, 1, 0, 1), Cause::BadOption),
        (Command::chain(0, 0, 0, 5, 0, 1), Cause::BadOption),
        (Command::chain(254, 0, 0, 4, 0, 1), Cause::BadOption),
        (Command::chain(0, 254, 0, 4, 0, 1), Cause::BadOption),
        (Command::chain(0, 0, 253, 4, 0, 1), Cause::BadOption),
        (Command::chain(0, 0, 0, 4, 1, 15), Cause::BadOption),
        (Command::tweak(0, 0, 0, 2, 250, 7), Cause::BadOption),
        (Command::tweak(0, 0, 0, 2, 0, 0), Cause::BadOption),
    ];
    for (command, cause) in cases {
        let halt = fail(&mut fabric, &[Command::nop(), command, Command::nop()]);
        let opcode = command.command() as u8 & 63;
        assert_eq!(halt, Halt { cause, opcode, index: 1 }, "{command:?}");
        recover(&mut fabric);
    }
    // The last that can be.
    let zeros = vec![0; 2048];
    fabric.send(&zeros);
    run(&mut fabric, &[Command::string_load(0, 256)]);
    run(&mut fabric, &[Command::sample_ball(63, 252, 4, 64), Command::chain(252, 252, 252, 4, 0, 15)]);
}

#[test]
fn sponge_out_of_order() {
    use Command as C;
    let mut fabric = fabric();
    let init = C::hash_init(Hash::Shake128);
    let cases: [&[Command]; 9] = [
        &[C::absorb_immediate(0, 1)],
        &[C::squeeze_string(0, 1)],
        &[C::permute()],
        &[C::sponge_save()],
        &[init, C::absorb_immediate(0, 3), C::absorb_immediate(0, 1)],
        &[init, C::squeeze_string(0, 1), C::absorb_string(0, 8)],
        &[init, C::squeeze_stream(9), C::squeeze_stream(1)],
        // A sampler and a chain leave the sponge closed.
        &[init, C::sample_uniform(0, 0, 0), C::absorb_stream(8)],
        &[init, C::chain(0, 0, 0, 2, 0, 1), C::absorb_stream(8)],
    ];
    for commands in cases {
        let halt = fail(&mut fabric, commands);
        assert_eq!(
            (halt.cause, usize::from(halt.index)),
            (Cause::SpongeOrder, commands.len() - 1),
            "{commands:?}"
        );
        recover(&mut fabric);
    }
    for command in [
        C::absorb_string(255, 9),
        C::absorb_string(0, 2049),
        C::absorb_string(0, 0),
        C::absorb_immediate(0, 5),
    ] {
        assert_eq!(fail(&mut fabric, &[init, command]).cause, Cause::BadOption, "{command:?}");
        recover(&mut fabric);
    }
}

#[test]
fn packets_of_the_wrong_shape() {
    let mut fabric = fabric();
    let packet = beats(&wire(&[1; 256]));
    let change = |i: usize, f: fn(&mut Beat)| {
        let mut beats = packet.clone();
        f(&mut beats[i]);
        beats
    };
    let mut long = packet.clone();
    long[127].last = false;
    long.extend(beats(&[1; 8]));
    let shapes = [
        (change(126, |b| b.last = true)[..127].to_vec(), Cause::StreamShort),
        (change(0, |b| b.last = true)[..1].to_vec(), Cause::StreamShort),
        (long, Cause::StreamLong),
        (change(5, |b| b.keep = 0x7f), Cause::StreamKeep),
        (change(5, |b| b.keep = 0xfe), Cause::StreamKeep),
        (change(5, |b| b.keep = 0), Cause::StreamKeep),
        (change(127, |b| b.keep = 0x0f), Cause::StreamShort),
        (change(127, |b| b.keep = 0xf7), Cause::StreamKeep),
    ];
    for pace in [Pace::FULL, Pace::RANDOM] {
        fabric.set_pace(pace, 3);
        for (beats, cause) in &shapes {
            fabric.send_beats(beats);
            assert_eq!(
                fail(&mut fabric, &[Command::nop(), Command::load(2)]).cause,
                *cause,
                "{:?}",
                beats.len()
            );
            recover(&mut fabric);
        }
        // 13 bytes announced, 12 and 16 sent.
        for (length, cause) in [(12, Cause::StreamShort), (16, Cause::StreamLong), (8, Cause::StreamShort)] {
            fabric.send(&vec![7; length]);
            let commands = [Command::hash_init(Hash::Sha3_256), Command::absorb_stream(13)];
            assert_eq!(fail(&mut fabric, &commands).cause, cause);
            recover(&mut fabric);
        }
        // Two slots in one packet; and the same when the packet ends between them.
        let polys = [wire(&[3; 256]), wire(&[4; 256])];
        fabric.send(&polys.concat());
        let commands =
            [Command::load(0).more(), Command::load(1), Command::store(1).more(), Command::store(0)];
        assert_eq!(run(&mut fabric, &commands), [[polys[1].clone(), polys[0].clone()].concat()]);
        fabric.send(&polys[0]);
        fabric.send(&polys[1]);
        assert_eq!(fail(&mut fabric, &commands).cause, Cause::StreamShort);
        recover(&mut fabric);
    }
}

#[test]
fn coefficients_at_the_edge() {
    let mut fabric = fabric();
    let q = Q as i32;
    for (value, result) in [
        (q - 1, Some(q - 1)),
        (1 - q, Some(1)),
        (-1, Some(q - 1)),
        (0, Some(0)),
        (q, None),
        (-q, None),
        (q + 1, None),
        (-q - 1, None),
        (1 << 23, None),
        (i32::MAX, None),
        (i32::MIN, None),
        (i32::MIN + 1, None),
        (-(1 << 24), None),
    ] {
        for at in [0, 1, 254, 255] {
            let mut p: [i32; 256] = std::array::from_fn(|i| i as i32);
            p[at] = value;
            fabric.send(&p.iter().flat_map(|c| c.to_le_bytes()).collect::<Vec<_>>());
            match result {
                Some(result) => {
                    let out = run(&mut fabric, &[Command::load(9), Command::store(9)]);
                    assert_eq!(unwire(&out[0])[at], result as u32);
                }
                None => {
                    assert_eq!(
                        fail(&mut fabric, &[Command::load(9)]).cause,
                        Cause::CoefficientRange,
                        "{value}"
                    );
                    recover(&mut fabric);
                }
            }
        }
    }
}

#[test]
fn a_stream_that_stops() {
    let mut fabric = fabric();
    OverBus::new(&mut fabric).registers().timeout().try_write(|w| w.set_cycles(500)).unwrap();
    let packet = beats(&[0; 1024]);
    for sent in [0, 1, 127] {
        fabric.send_beats(&packet[..sent]);
        let begin = fabric.cycle();
        assert_eq!(fail(&mut fabric, &[Command::load(0)]).cause, Cause::InputTimeout);
        assert!(fabric.cycle() - begin < 1000);
        recover(&mut fabric);
    }
    // Nobody takes the output.
    fabric.set_pace(Pace { output: 0, ..Pace::FULL }, 0);
    assert_eq!(fail(&mut fabric, &[Command::store(0)]).cause, Cause::OutputTimeout);
    fabric.set_pace(Pace::FULL, 0);
    recover_output(&mut fabric);
    recover(&mut fabric);
}

/// What comes out of an abandoned packet: unchanged beats and one beat of zeros that ends it.
fn recover_output(fabric: &mut Fabric<B4R1>) {
    for _ in 0..20 {
        fabric.step();
    }
    let beats = fabric.take_beats();
    assert_eq!(beats.last(), Some(&Beat { data: 0, keep: 0xff, last: true }));
    assert!(beats[..beats.len() - 1].iter().all(|beat| !beat.last));
}

#[test]
fn an_error_ends_an_open_output_packet() {
    let mut fabric = fabric();
    fabric.send(&wire(&[5; 256]));
    assert_eq!(fail(&mut fabric, &[Command::load(0), Command::store(0).more(), Command::load(99)]).index, 2);
    recover_output(&mut fabric);
    recover(&mut fabric);
}

#[test]
fn a_sampler_with_too_few_blocks() {
    let mut fabric = fabric();
    for (command, blocks) in [
        (Command::sample_uniform(0, 0, 0), 5),
        (Command::sample_eta2(0, 0, 0), 2),
        (Command::sample_mask19(0, 0, 0), 5),
    ] {
        let halt = fail(&mut fabric, &[command.block_limit(1)]);
        assert_eq!(halt.cause, Cause::SamplerEmpty);
        recover(&mut fabric);
        run(&mut fabric, &[command.block_limit(blocks)]);
    }
}

#[test]
fn a_full_fifo() {
    let mut fabric = fabric();
    fabric.run(false).unwrap();
    for _ in 0..512 {
        fabric.push(Command::nop()).unwrap();
    }
    let status = OverBus::new(&mut fabric).registers().status().try_read().unwrap();
    assert!(status.full() && !status.halted() && status.queued() == 512);
    fabric.push(Command::nop()).unwrap();
    assert!(fabric.wait(100));
    assert_eq!(fabric.acknowledge().unwrap().unwrap_err().cause, Cause::FifoFull);
    fabric.run(true).unwrap();
    recover(&mut fabric);
    // 512 commands do go through.
    let commands = vec![Command::add(1, 2, 3); 512];
    run(&mut fabric, &commands);
    let done = OverBus::new(&mut fabric).registers().commands_done().try_read().unwrap();
    assert_eq!(done.count(), 512);
}

#[test]
fn a_restored_sponge_that_cannot_be() {
    let mut fabric = fabric();
    let restore = |fabric: &mut Fabric<B4R1>, control: u64| {
        let mut state = vec![0x5a; 200];
        state.extend(control.to_le_bytes());
        fabric.send(&state);
        fabric.list(&[Command::sponge_restore()], LIMIT).unwrap().expect("time is up")
    };
    // block, squeezing, open, tail, hash, lane: bits 12, 11, 10, 9..7, 6..5, 4..0
    for good in [1 << 10, 1 << 10 | 2 << 5 | 20, 1 << 10 | 1 << 5 | 8, 7 << 10 | 16] {
        assert_eq!(restore(&mut fabric, good), Ok(()), "{good:#x}");
    }
    for bad in [
        0,
        1 << 11,
        5 << 10,
        1 << 10 | 17,
        1 << 10 | 1 << 5 | 9,
        1 << 10 | 2 << 5 | 21,
        1 << 10 | 1 << 13,
        1 << 63,
    ] {
        assert_eq!(restore(&mut fabric, bad).unwrap_err().cause, Cause::BadOption, "{bad:#x}");
        recover(&mut fabric);
    }
}

#[test]
fn a_sponge_is_saved_and_restored_anywhere() {
    let mut fabric = fabric();
    let mut random = Random::new(9);
    for hash in [Hash::Shake128, Hash::Shake256] {
        for words in 0..44 {
            let message = random.bytes(8 * words);
            let mut expected = vec![0; 8 * 44 + 3];
            match hash {
                Hash::Shake128 => pqsoc_keccak::Shake128::digest(&[&message], &mut expected),
                _ => pqsoc_keccak::Shake256::digest(&[&message], &mut expected),
            }
            let other = [
                Command::hash_init(Hash::Sha3_512),
                Command::absorb_immediate(1, 1),
                Command::squeeze_string(0, 3),
            ];
            // Between absorbing and squeezing, then in the middle of squeezing.
            fabric.send(&message);
            let absorb =
                [Command::hash_init(hash), Command::absorb_stream(8 * words as u32), Command::sponge_save()];
            let saved = run(&mut fabric, &absorb);
            run(&mut fabric, &other);
            fabric.send(&saved[0]);
            let squeeze = [
                Command::sponge_restore(),
                Command::squeeze_stream(8 * words as u32),
                Command::sponge_save(),
            ];
            let mut out = run(&mut fabric, &squeeze);
            let saved = out.pop().unwrap();
            run(&mut fabric, &other);
            fabric.send(&saved);
            out.extend(run(
                &mut fabric,
                &[Command::sponge_restore(), Command::squeeze_stream(355 - 8 * words as u32)],
            ));
            assert_eq!(out.concat(), expected, "{hash:?} after {words} words");
        }
    }
}

#[test]
fn one_permutation_at_a_time() {
    let mut fabric = fabric();
    let mut random = Random::new(10);
    for _ in 0..20 {
        let mut lanes: [u64; 25] = std::array::from_fn(|_| random.bits());
        let mut packet: Vec<u8> = lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect();
        packet.extend((1u64 << 10).to_le_bytes());
        fabric.send(&packet);
        let out = run(&mut fabric, &[Command::sponge_restore(), Command::permute(), Command::sponge_save()]);
        pqsoc_keccak::keccak_f1600(&mut lanes);
        let expected: Vec<u8> = lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect();
        assert_eq!(out[0][..200], expected);
    }
}

/// Fills slots and strings with data, so that one sees whether they are cleared.
fn fill(fabric: &mut Fabric<B4R1>) {
    fabric.send(&[0xaa; 2048]);
    fabric.send(&wire(&[1234; 256]));
    let mut commands = vec![Command::string_load(0, 256), Command::load(0)];
    commands.extend((1..64).map(|slot| Command::add(slot, 0, 0)));
    run(fabric, &commands);
}

fn assert_clear(fabric: &mut Fabric<B4R1>) {
    let mut commands = vec![Command::string_store(0, 256)];
    commands.extend((0..64).map(Command::store));
    assert!(run(fabric, &commands).concat().iter().all(|&byte| byte == 0));
}

#[test]
fn clear_clears_everything() {
    let mut fabric = fabric();
    fill(&mut fabric);
    run(&mut fabric, &[Command::hash_init(Hash::Shake128), Command::clear()]);
    assert_clear(&mut fabric);
    assert_eq!(fail(&mut fabric, &[Command::sponge_save()]).cause, Cause::SpongeOrder);
}

#[test]
fn soft_reset_at_any_moment() {
    let mut random = Random::new(11);
    let mut fabric = fabric();
    for round in 0..60 {
        fill(&mut fabric);
        let (commands, input) = hundred(&mut random);
        for packet in &input {
            fabric.send(packet);
        }
        fabric.set_pace(Pace::RANDOM, round);
        fabric.run(true).unwrap();
        for command in commands {
            fabric.push(command).unwrap();
        }
        for _ in 0..random.below(20_000) {
            fabric.step();
        }
        fabric.drop_input();
        fabric.set_pace(Pace { output: random.below(2) as u32 * 100, ..Pace::FULL }, round);
        fabric.soft_reset().unwrap();
        fabric.set_pace(Pace::FULL, round);
        for _ in 0..20 {
            fabric.step();
        }
        let beats = fabric.take_beats();
        assert!(beats.last().is_none_or(|beat| beat.last), "an open packet is ended");
        let io = OverBus::new(&mut fabric);
        let status = io.registers().status().try_read().unwrap();
        assert!(status.empty() && !status.halted() && !status.busy());
        assert_eq!(fabric.input_left(), 0);
        fabric.start().unwrap();
        // A list may have ended before the reset.
        fabric.acknowledge().unwrap().unwrap();
        assert_clear(&mut fabric);
    }
}

/// Computes with secrets that depend on `seed`, for at most `cycles` cycles; the time it takes does not depend on them.
fn compute(seed: u64, cycles: u64) -> Fabric<B4R1> {
    let mut fabric = fabric();
    let mut random = Random::new(seed);
    fabric.send(&random.bytes(2048));
    fabric.send(&wire(&random_poly(&mut random)));
    fabric.send(&random.bytes(150));
    fabric.run(false).unwrap();
    let mut commands = vec![Command::string_load(0, 256), Command::load(0), Command::ntt(1, 0)];
    commands.extend((2..60).map(|slot| Command::mac(slot, slot - 1, slot - 2)));
    commands.extend([
        Command::intt(60, 59),
        Command::add(61, 60, 59),
        Command::sample_mask17(62, 3, 4),
        Command::sample_mask19(63, 3, 5),
        Command::store(63),
        Command::chain(10, 20, 30, 4, 1, 7),
        Command::tweak(11, 20, 30, 3, 40, 9),
        Command::hash_init(Hash::Shake256),
        Command::absorb_string(0, 160),
        Command::absorb_stream(150),
        Command::squeeze_stream(300),
    ]);
    for command in commands {
        fabric.push(command).unwrap();
    }
    fabric.run(true).unwrap();
    for _ in 0..cycles {
        fabric.step();
    }
    fabric
}

type Snapshot = Vec<(&'static str, Vec<u8>)>;

/// Signals that are not the same in both.
fn differences(one: Snapshot, other: Snapshot) -> Vec<&'static str> {
    let pairs = one.into_iter().zip(other);
    pairs.filter(|(one, other)| one != other).map(|((name, _), _)| name).collect()
}

/// Two fabrics that computed with different secrets hold the same after `wipe`: nothing in any register or memory.
fn wipes(cycles: u64, wipe: fn(&mut Fabric<B4R1>)) {
    let [mut one, mut other] = [1, 2].map(|seed| compute(seed, cycles));
    assert!(
        !differences(one.snapshot(), other.snapshot()).is_empty(),
        "they computed with different secrets"
    );
    for fabric in [&mut one, &mut other] {
        wipe(fabric);
        // Pipelines have no reset; they are flushed.
        for _ in 0..100 {
            fabric.step();
        }
    }
    assert_eq!(differences(one.snapshot(), other.snapshot()), [""; 0], "after {cycles} cycles");
}

const ALL_OF_IT: u64 = 12_000;

#[test]
fn the_command_clear_leaves_no_secret() {
    wipes(ALL_OF_IT, |fabric| {
        run(fabric, &[Command::clear()]);
    });
}

#[test]
fn reset_leaves_no_secret() {
    wipes(ALL_OF_IT, Fabric::reset);
    wipes(ALL_OF_IT, |fabric| fabric.soft_reset().unwrap());
}

#[test]
fn soft_reset_in_the_middle_leaves_no_secret() {
    let mut random = Random::new(13);
    for _ in 0..40 {
        wipes(300 + random.below(ALL_OF_IT), |fabric| {
            fabric.drop_input();
            fabric.soft_reset().unwrap();
        });
    }
}

#[test]
fn an_idle_fabric_does_not_change() {
    let mut fabric = fabric();
    let mut random = Random::new(15);
    assert!(!fabric.skip(1), "it has just been written to");
    for _ in 0..20 {
        let (commands, input) = hundred(&mut random);
        for packet in &input {
            fabric.send(packet);
        }
        run(&mut fabric, &commands);
        while !fabric.skip(1_000_000) {
            fabric.step();
        }
        let before = fabric.snapshot();
        for _ in 0..500 {
            fabric.step();
        }
        assert_eq!(differences(before, fabric.snapshot()), [""; 0]);
    }
    assert!(fabric.cycle() > 20_000_000);
    // Not idle: a command waits for its input; a beat waits to be taken.
    fabric.push(Command::load(0)).unwrap();
    for _ in 0..1000 {
        fabric.step();
        assert!(!fabric.skip(1));
    }
}

#[test]
fn interrupts_and_run() {
    let mut fabric = Fabric::<B4R1>::new().unwrap();
    fabric.push(Command::nop().last()).unwrap();
    assert!(!fabric.wait(1000), "a command waits for run");
    fabric.run(true).unwrap();
    assert!(!fabric.wait(1000), "no interrupt unless enabled");
    let status = OverBus::new(&mut fabric).registers().irq_status().try_read().unwrap();
    assert!(status.done() && !status.error());
    fabric.start().unwrap();
    assert!(fabric.wait(10));
    fabric.acknowledge().unwrap().unwrap();
    assert!(!fabric.irq());
    // A command that is not the last of a list raises nothing.
    fabric.push(Command::nop()).unwrap();
    assert!(!fabric.wait(1000));
}

#[test]
fn counters() {
    let mut fabric = fabric();
    let clear = |fabric: &mut Fabric<B4R1>| {
        OverBus::new(fabric).registers().control().try_modify(|w| w.set_clear_counters(true)).unwrap();
    };
    clear(&mut fabric);
    fabric.send(&wire(&[0; 256]));
    run(&mut fabric, &[Command::load(0), Command::ntt(0, 0), Command::store(0)]);
    let io = OverBus::new(&mut fabric);
    let registers = io.registers();
    let busy = registers.busy_cycles().try_read().unwrap().cycles();
    assert!((500..700).contains(&busy), "{busy}");
    assert!(registers.stall_in_cycles().try_read().unwrap().cycles() < 10);
    assert!(registers.stall_out_cycles().try_read().unwrap().cycles() < 10);
    clear(&mut fabric);
    fabric.set_pace(Pace { input: 50, output: 50, registers: 100 }, 4);
    fabric.send(&wire(&[0; 256]));
    run(&mut fabric, &[Command::load(0), Command::store(0)]);
    let io = OverBus::new(&mut fabric);
    let registers = io.registers();
    assert!((90..170).contains(&registers.stall_in_cycles().try_read().unwrap().cycles()));
    assert!((90..170).contains(&registers.stall_out_cycles().try_read().unwrap().cycles()));
}

#[test]
fn identity_and_accesses_that_cannot_be() {
    let mut fabric = fabric();
    let io = OverBus::new(&mut fabric);
    let registers = io.registers();
    assert_eq!(registers.identity().try_read().unwrap().magic().to_le_bytes(), *b"PQF1");
    let capabilities = registers.capabilities().try_read().unwrap();
    assert_eq!((capabilities.butterflies(), capabilities.rounds(), capabilities.slots()), (4, 1, 64));
    assert_eq!((capabilities.fifo_log2(), capabilities.strings_log2()), (9, 8));
    for offset in [0x40, 0x100, 0xffc] {
        assert_eq!(fabric.read(offset), Err(BusError { offset, what: "SLVERR" }));
        assert_eq!(fabric.write(offset, 1), Err(BusError { offset, what: "SLVERR" }));
    }
    for offset in [0x00, 0x08, 0x10, 0x34] {
        assert_eq!(fabric.write(offset, 1), Err(BusError { offset, what: "SLVERR" }));
    }
}

/// Cycles of one command, from FIFO to done.
fn cycles(fabric: &mut Fabric<B4R1>, command: Command) -> u32 {
    run(fabric, &[command]);
    fabric.command_cycles().unwrap()
}

/// Cycles of every command that promises not to show its data, in the order of `commands`.
#[test]
fn cycles_do_not_depend_on_data() {
    let mut fabric = fabric();
    let mut random = Random::new(12);
    let commands = [
        Command::load(0),
        Command::load(1),
        Command::store(0),
        Command::ntt(2, 0),
        Command::intt(3, 0),
        Command::mul(4, 0, 1),
        Command::mac(4, 0, 1),
        Command::add(5, 0, 1),
        Command::sub(6, 0, 1),
        Command::string_load(0, 256),
        Command::string_store(0, 256),
        Command::sample_mask17(7, 0, 5),
        Command::sample_mask19(8, 0, 5),
        Command::tweak(100, 0, 4, 4, 8, 8),
        Command::chain(100, 0, 4, 2, 1, 9),
        Command::hash_init(Hash::Sha3_512),
        Command::absorb_string(0, 1003),
        Command::squeeze_string(0, 200),
        Command::hash_init(Hash::Shake128),
        Command::absorb_stream(501),
        Command::squeeze_stream(777),
        Command::permute(),
        Command::sponge_save(),
        Command::clear(),
    ];
    let top = Q as u32 - 1;
    let mut first = None;
    for round in 0..60 {
        let polys = match round {
            0 => [[0; 256]; 2],
            1 => [[top; 256]; 2],
            2 => [[1; 256], std::array::from_fn(|i| if i % 2 == 0 { 0 } else { top })],
            _ => [random_poly(&mut random), random_poly(&mut random)],
        };
        let strings = match round {
            0 => vec![0; 2048],
            1 => vec![0xff; 2048],
            _ => random.bytes(2048),
        };
        for packet in [&wire(&polys[0])[..], &wire(&polys[1]), &strings, &strings[..501]] {
            fabric.send(packet);
        }
        // Beats wait in the fabric before the first command looks for them.
        for _ in 0..10 {
            fabric.step();
        }
        let taken = commands.map(|command| cycles(&mut fabric, command));
        assert_eq!(*first.get_or_insert(taken), taken, "round {round}");
    }
}

/// An error wipes the sampler, which takes its time; what comes right after it waits, and is right.
#[test]
fn samplers_right_after_an_error() {
    let mut fabric = fabric();
    let seed = [0x5c; 64];
    fabric.send(&seed);
    run(&mut fabric, &[Command::string_load(0, 8)]);
    for pause in (0..300).step_by(23) {
        for (command, expected) in [
            (Command::sample_uniform(1, 0, 0x0102), sample_uniform(&[&seed[..32], &[2, 1]].concat())),
            (Command::sample_eta4(1, 0, 7), sample_eta(&[&seed[..], &[7, 0]].concat(), 4)),
            (Command::sample_mask19(1, 0, 9), sample_mask(&[&seed[..], &[9, 0]].concat(), 20)),
        ] {
            assert_eq!(fail(&mut fabric, &[Command::load(64)]).cause, Cause::BadSlot);
            for _ in 0..pause {
                fabric.step();
            }
            fabric.recover().unwrap();
            assert_eq!(run(&mut fabric, &[command, Command::store(1)]), [wire(&expected)]);
        }
    }
}
