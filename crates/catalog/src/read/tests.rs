use super::*;
#[test]
fn show() {
    let base = include_str!("surface.toml");
    let c = Catalog::parse(base);
    println!("{c:#?}");
    if let Err(e) = &c { println!("{e}"); }
    let c = c.unwrap();
    println!("{}", c.to_toml());
    assert_eq!(Catalog::parse(&c.to_toml()).unwrap(), c);
    let r = c.report();
    for s in r.protected.iter().chain(&r.visible) { println!("{:20} {}", s.place, s.words); }
    for f in r.findings { println!("{:?} {}: {}\n    {}", f.severity, f.place, f.words, f.advice); }
    for text in ["[scope.a]\nbudget = 3", "x = 1", "[scope.a]\nbudget = { epsilon = 1, dleta = 1e-9 }", "[scope.a]\nbudget = { epsilon = inf, delta = 1e-9 }", "[scope.a]\n[scope.a]", "[table.t]\nsource=\"x\"", "[table", "a = [[[[", &"[".repeat(10000), &format!("a = {}", "[".repeat(10000)), "a.b=1\na.b=2", "[scope.a]\nbudget = { epsilon = 1e400, delta = 1e-9 }",
      "[scope.a]\nbudget = { epsilon = 5e-324, delta = 1e-9 }", "[scope.a]\nbudget = { epsilon = -1, delta = 1e-9 }", "[scope.a]\nbudget = { epsilon = ٣, delta = 1e-9 }"] {
        println!("----\n{}", Catalog::parse(text).unwrap_err());
    }
}
