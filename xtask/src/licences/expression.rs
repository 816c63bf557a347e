//! SPDX licence expressions: `MIT OR (Apache-2.0 WITH LLVM-exception AND BSD-3-Clause)`.
//!
//! The grammar is that of the SPDX specification, annex "SPDX license expressions": WITH binds tighter than
//! AND, AND tighter than OR. One addition: a slash, as in `MIT/Apache-2.0`, which older manifests use, means OR.

/// A licence expression, as a tree.
#[derive(Debug, PartialEq)]
pub enum Expression {
    /// One licence, with its exception if it has one: `Apache-2.0 WITH LLVM-exception`.
    Licence(String),
    /// Both sets of terms apply.
    And(Box<Expression>, Box<Expression>),
    /// The licensee chooses.
    Or(Box<Expression>, Box<Expression>),
}

impl Expression {
    /// Reads an expression, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { tokens: tokens(text), position: 0 };
        let expression = parser.or()?;
        match parser.next() {
            None => Ok(expression),
            Some(extra) => Err(format!("`{extra}` does not belong after a complete expression")),
        }
    }

    /// Whether some choice among the alternatives uses accepted licences alone.
    pub fn is_satisfied_by(&self, is_accepted: &impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Licence(name) => is_accepted(name),
            Self::And(left, right) => left.is_satisfied_by(is_accepted) && right.is_satisfied_by(is_accepted),
            Self::Or(left, right) => left.is_satisfied_by(is_accepted) || right.is_satisfied_by(is_accepted),
        }
    }
}

fn tokens(text: &str) -> Vec<String> {
    text.replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ")
        .split_whitespace()
        .map(ToString::to_string)
        .collect()
}

struct Parser {
    tokens: Vec<String>,
    position: usize,
}

impl Parser {
    fn or(&mut self) -> Result<Expression, String> {
        let mut left = self.and()?;
        while self.take("OR") {
            left = Expression::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expression, String> {
        let mut left = self.licence()?;
        while self.take("AND") {
            left = Expression::And(Box::new(left), Box::new(self.licence()?));
        }
        Ok(left)
    }

    fn licence(&mut self) -> Result<Expression, String> {
        if self.take("(") {
            let inner = self.or()?;
            return if self.take(")") { Ok(inner) } else { Err("a parenthesis is not closed".to_string()) };
        }
        let name = self.name()?;
        // A plus means "this version or any later one", so the version that is named may be chosen.
        let name = name.strip_suffix('+').unwrap_or(&name).to_string();
        if self.take("WITH") {
            let exception = self.name()?;
            return Ok(Expression::Licence(format!("{name} WITH {exception}")));
        }
        Ok(Expression::Licence(name))
    }

    /// A token that is a name: neither an operator nor a parenthesis nor anything a name cannot contain.
    fn name(&mut self) -> Result<String, String> {
        let token = self.next().ok_or("the expression ends where a licence should stand")?;
        let is_operator = matches!(token.as_str(), "OR" | "AND" | "WITH");
        let is_name_character = |c: char| c.is_ascii_alphanumeric() || "-.:+".contains(c);
        if is_operator || !token.chars().all(is_name_character) {
            return Err(format!("`{token}` stands where a licence should"));
        }
        Ok(token)
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = self.tokens.get(self.position).is_some_and(|token| token == expected);
        self.position += usize::from(found);
        found
    }

    fn next(&mut self) -> Option<String> {
        let token = self.tokens.get(self.position).cloned();
        self.position += 1;
        token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn satisfied(text: &str, accepted: &[&str]) -> bool {
        Expression::parse(text).unwrap().is_satisfied_by(&|name: &str| accepted.contains(&name))
    }

    #[test]
    fn or_needs_one_side_and_and_needs_both() {
        assert!(satisfied("MIT OR LGPL-3.0", &["MIT"]));
        assert!(satisfied("LGPL-3.0 OR MIT", &["MIT"]));
        assert!(!satisfied("MIT AND LGPL-3.0", &["MIT"]));
        assert!(satisfied("MIT AND ISC", &["MIT", "ISC"]));
    }

    #[test]
    fn and_binds_tighter_than_or() {
        // Read as (A OR B) AND C, the first line would be refused; read as A AND (B OR C), the second accepted.
        assert!(satisfied("A OR B AND C", &["A"]));
        assert!(!satisfied("A AND B OR C", &["A"]));
        assert!(satisfied("A AND B OR C", &["C"]));
    }

    #[test]
    fn parentheses_change_the_binding() {
        assert!(!satisfied("(A OR B) AND C", &["A"]));
        assert!(satisfied("(A OR B) AND C", &["B", "C"]));
        assert!(satisfied("((A))", &["A"]));
    }

    #[test]
    fn a_slash_is_an_old_or() {
        assert!(satisfied("MIT/Apache-2.0", &["Apache-2.0"]));
        assert!(satisfied("MIT / Apache-2.0", &["MIT"]));
    }

    #[test]
    fn an_exception_makes_another_licence_and_is_not_ignored() {
        let text = "Apache-2.0 WITH LLVM-exception";
        assert!(satisfied(text, &["Apache-2.0 WITH LLVM-exception"]));
        assert!(!satisfied(text, &["Apache-2.0"]));
        assert!(satisfied("A AND Apache-2.0 WITH E OR B", &["A", "Apache-2.0 WITH E"]));
    }

    #[test]
    fn or_later_is_met_by_the_version_named() {
        assert!(satisfied("Apache-2.0+", &["Apache-2.0"]));
    }

    #[test]
    fn what_is_not_an_expression_is_an_error() {
        for broken in [
            "",
            "MIT OR",
            "AND MIT",
            "(MIT",
            "MIT)",
            "MIT Apache-2.0",
            "MIT WITH",
            "WITH E",
            "MIT, ISC",
            "()",
        ] {
            assert!(Expression::parse(broken).is_err(), "{broken:?}");
        }
    }
}
