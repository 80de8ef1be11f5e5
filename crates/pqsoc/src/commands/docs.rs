//! `pqsoc completions` and `pqsoc man`: what can be generated from the command line's description.
use crate::{
    cli::{Cli, Completions, Man},
    failure::Failure,
    files::{Access, Output},
};
use clap::CommandFactory;
use std::path::Path;

pub fn completions(options: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "pqsoc", &mut script);
    Output::create(Path::new("-"), Access::Public, false)?.write(&script)
}

pub fn man(options: &Man) -> Result<(), Failure> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let mut pages = vec![("pqsoc.1".to_string(), program.clone())];
    for command in program.get_subcommands() {
        let name = format!("pqsoc-{}", command.get_name());
        pages.push((format!("{name}.1"), command.clone().name(name)));
    }
    for (file, command) in pages {
        let path = options.out.join(file);
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .map_err(|error| Failure::io(path.display(), &error))?;
        Output::create(&path, Access::Public, options.force)?.write(&page)?;
    }
    Ok(())
}
