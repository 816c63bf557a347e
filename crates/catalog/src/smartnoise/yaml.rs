//! As much YAML as metadata needs: mappings, lists and plain values, as text.
//!
//! Values stay text, so that `0.1` is not read as a float. Anchors and aliases are refused, which leaves nothing to
//! blow up; depth is limited.

use std::collections::BTreeSet;

use saphyr_parser::{Event, Parser};

use super::ImportError;

/// Metadata is five levels deep.
const DEPTH_MAX: usize = 16;

/// A value with the line it starts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// A value, as it was typed.
    Scalar { text: String, line: usize },
    /// A list.
    Sequence { line: usize },
    /// Keys with their lines and values.
    Mapping { entries: Vec<(String, usize, Node)>, line: usize },
}

impl Node {
    pub(super) fn line(&self) -> usize {
        match self {
            Self::Scalar { line, .. } | Self::Sequence { line } | Self::Mapping { line, .. } => *line,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// A collection that is still open.
struct Open {
    node: Node,
    key: Option<(String, usize)>,
    seen: BTreeSet<String>,
}

/// The one document of a text.
pub(super) fn parse(text: &str) -> Result<Node, ImportError> {
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            ImportError::at(error.marker().line(), error.info(), "the file is YAML: check the indentation")
        })?;
        let line = span.start.line();
        let closed = match event {
            Event::Scalar(text, _, 0, _) => Node::Scalar { text: text.into_owned(), line },
            Event::MappingStart(0, _) | Event::SequenceStart(0, _) => {
                if open.len() >= DEPTH_MAX {
                    return Err(ImportError::at(
                        line,
                        "this is nested too deeply",
                        "metadata has five levels",
                    ));
                }
                let node = match event {
                    Event::MappingStart(..) => Node::Mapping { entries: Vec::new(), line },
                    _ => Node::Sequence { line },
                };
                open.push(Open { node, key: None, seen: BTreeSet::new() });
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => open.pop().expect("what ends has started").node,
            Event::Alias(_) | Event::Scalar(..) | Event::MappingStart(..) | Event::SequenceStart(..) => {
                let hint = "write the values out";
                return Err(ImportError::at(line, "anchors and aliases are not read", hint));
            }
            Event::DocumentStart(_) if root.is_some() => {
                return Err(ImportError::at(line, "there is a second document", "keep one document a file"));
            }
            _ => continue,
        };
        match open.last_mut() {
            None => root = Some(closed),
            Some(parent) => parent.take(closed)?,
        }
    }
    root.ok_or_else(|| ImportError::at(1, "the file is empty", "name a SmartNoise metadata file"))
}

impl Open {
    /// Takes the next value: in a mapping, keys and values alternate.
    fn take(&mut self, node: Node) -> Result<(), ImportError> {
        let Node::Mapping { entries, .. } = &mut self.node else {
            return Ok(());
        };
        if let Some((key, line)) = self.key.take() {
            entries.push((key, line, node));
            return Ok(());
        }
        let line = node.line();
        let Node::Scalar { text, .. } = node else {
            return Err(ImportError::at(line, "a key is not plain text", "write names as keys"));
        };
        if !self.seen.insert(text.clone()) {
            let what = format!("the key `{}` stands twice", crate::name::shown(&text));
            return Err(ImportError::at(line, what, "remove one of the two"));
        }
        self.key = Some((text, line));
        Ok(())
    }
}
