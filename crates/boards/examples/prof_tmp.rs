//! tmp
use pqsoc_boards::{Program, profile::Profile};
use pqsoc_boards::stm32f407::{Limits, Options, Stm32f407};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which program?")?;
    let options = Options { sink: Box::new(|_, b| std::io::Write::write_all(&mut std::io::stdout(), b)), until: "#".into(), ..Options::default() };
    let program = Program::open(path.as_ref())?;
    let mut board = Stm32f407::new(program, options)?;
    let program = Program::open(path.as_ref())?;
    let mut profile = { let v = std::fs::read(&path)?; let _ = v; Profile::new(&program.symbols, 0x0800_0000, 0, 0x2001_c000) };
    let end = board.run_observed(&Limits::default(), &mut profile);
    eprintln!("{}", board.report(&end));
    for t in profile.totals() { println!("{:>12} {:>12} {:>8} frame {:>6} stack {:>7} {}", t.cycles, t.cycles_with_callees, t.calls, t.frame_bytes, t.stack_bytes, t.function); }
    Ok(())
}
