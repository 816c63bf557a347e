//! `pointillist shell`: questions at a prompt, each with its price before it is paid.
//!
//! The ledger is opened for one answer at a time and is free for others while somebody thinks. Where stdin is no
//! terminal the statements are read from it and answered one after the other, as `query` would.

mod editor;
mod session;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use pointillist_curator::OWNER;
use pointillist_query::Statements;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use crate::answer_format::FormatArguments;
use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::message::say;
use crate::question::PriceArguments;
use editor::Words;
use pointillist_render::decimals::readable;
use session::{Next, Session};

/// Who asks, and at which price.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist shell
  pointillist shell --as ana --epsilon 0.1
  echo \"SELECT count(*) FROM visits;\" | pointillist shell --format csv

Statements end with a semicolon. Before one is paid its price and its expected error are shown, and you are asked; --yes
pays without asking, and so does a shell that reads from a pipe. Tab completes declared names and words of SQL; \\? says
what else there is.")]
pub struct Arguments {
    #[command(flatten)]
    home: HomeArguments,
    /// Who asks: an analyst of the catalog, or the owner
    #[arg(long = "as", value_name = "ANALYST", default_value = OWNER)]
    analyst: String,
    /// Pay without asking
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    format: FormatArguments,
    #[command(flatten)]
    price: PriceArguments,
}

/// Reads statements and answers them.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = arguments.format.get();
    super::query::refuse_arrow_on_a_terminal(format)?;
    let session = Session::new(
        &arguments.home,
        arguments.analyst.clone(),
        arguments.price.options()?,
        format,
        arguments.yes || !io::stdin().is_terminal(),
    )?;
    if io::stdin().is_terminal() { at_a_prompt(session) } else { from_a_pipe(session) }
}

/// The statements of stdin; the first failure ends it, as in a script.
fn from_a_pipe(mut session: Session) -> Result<(), Failure> {
    let mut statements = Statements::default();
    let unread = |error: io::Error| {
        Failure::wrong(format!("stdin could not be read as text: {error}"), "send statements in UTF-8")
    };
    for line in io::stdin().lock().lines() {
        for statement in fed(&mut statements, &line.map_err(unread)?) {
            if session.run(&statement, &mut |_| Ok(true))? == Next::Leave {
                return Ok(());
            }
        }
    }
    if let Some(rest) = statements.rest() {
        session.run(&rest, &mut |_| Ok(true))?;
    }
    Ok(())
}

/// What a line completes: statements, or a command, which ends with its line.
fn fed(statements: &mut Statements, line: &str) -> Vec<String> {
    if statements.is_empty() && line.trim_start().starts_with('\\') {
        return vec![line.trim().to_owned()];
    }
    statements.feed(line)
}

fn at_a_prompt(mut session: Session) -> Result<(), Failure> {
    let config = Config::builder().completion_type(CompletionType::List).auto_add_history(false).build();
    let mut editor: Editor<Words, FileHistory> = Editor::with_config(config).map_err(unusable)?;
    editor.set_helper(Some(session.words()));
    let history = history_file();
    if let Some(history) = &history {
        // There may be none yet.
        let _ = editor.load_history(history);
    }
    say("Statements end with a semicolon; \\d lists tables, \\? says what else there is, \\q leaves.");
    let mut statements = Statements::default();
    'lines: loop {
        let prompt = if statements.is_empty() { "pointillist> " } else { "       ...> " };
        let line = match editor.readline(prompt) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                statements = Statements::default();
                continue;
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(unusable(error)),
        };
        for statement in fed(&mut statements, &line) {
            let _ = editor.add_history_entry(format!("{statement}{}", session::ending(&statement)));
            let mut pay = |question: &str| match editor.readline(question) {
                Ok(word) => Ok(matches!(word.trim().to_lowercase().as_str(), "y" | "yes")),
                Err(ReadlineError::Interrupted | ReadlineError::Eof) => Ok(false),
                Err(error) => Err(unusable(error)),
            };
            match session.run(&statement, &mut pay) {
                Ok(Next::Leave) => break 'lines,
                Ok(Next::Go) => {}
                Err(Failure::ReaderGone) => break 'lines,
                Err(failure) => {
                    let text = failure.explanation().map_or_else(String::new, |said| said.text());
                    crate::message::insist(format_args!("error: {}", readable(&text)));
                }
            }
            // Prices that were set meanwhile count for the next line.
            editor.set_helper(Some(session.words()));
            io::stdout().flush()?;
        }
    }
    if let Some(history) = &history {
        // A history that cannot be kept is no reason to fail.
        let _ = history.parent().map(std::fs::create_dir_all);
        let _ = editor.save_history(history);
    }
    Ok(())
}

/// The asker's own history, in their home and readable to them alone; never beside the ledger.
fn history_file() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    Some(folder.or_else(home)?.join("pointillist").join("history"))
}

fn unusable(error: ReadlineError) -> Failure {
    Failure::outside(
        format!("the terminal cannot be used: {error}"),
        "give the question to `pointillist query`",
    )
}
