//! Programs that have to add two numbers, and their tests, in every language.

pub(crate) struct Samples {
    pub(crate) right: &'static str,
    pub(crate) wrong: &'static str,
    /// Programs that end the process with status 0, in every way that there is, some with what a test runner prints.
    pub(crate) ends: &'static [&'static str],
    pub(crate) broken: &'static str,
    /// Fails with the word `boom`.
    pub(crate) raises: &'static str,
    pub(crate) endless: &'static str,
    pub(crate) tests: &'static str,
    /// Test code without a test.
    pub(crate) nothing: &'static str,
}

impl Samples {
    pub(crate) fn of(language: &str) -> Self {
        match language {
            "bash" => BASH,
            "c" => C,
            "cpp" => CPP,
            "go" => GO,
            "java" => JAVA,
            "javascript" => JAVASCRIPT,
            "lua" => LUA,
            "perl" => PERL,
            "php" => PHP,
            "ruby" => RUBY,
            "rust" => RUST,
            "typescript" => TYPESCRIPT,
            other => panic!("no samples for {other}"),
        }
    }
}

const BASH: Samples = Samples {
    right: "add() { echo $(( $1 + $2 )); }",
    wrong: "add() { echo 5; }",
    ends: &[
        "exit 0",
        "exec true",
        "add() { exit 0; }; add",
        "kill -KILL $$",
        "echo; echo 1; exit 0",
    ],
    broken: "add() { if true; }",
    raises: "add() { echo boom >&2; exit 4; }; add",
    endless: "add() { while :; do :; done; }",
    tests: "[ \"$(add 1 2)\" = 3 ]\n[[ $(add 2 2) == 4 ]]\n",
    nothing: "# nothing\n\n",
};

const C: Samples = Samples {
    right: "#include <stdio.h>\nint add(int a, int b) { return a + b; }\nint main(void) { puts(\"mine\"); }\n",
    wrong: "int add(int a, int b) { return 5; }\n",
    ends: &[
        "#include <stdlib.h>\nint add(int a, int b) { exit(0); }\n",
        "#include <unistd.h>\nint add(int a, int b) { _exit(0); }\n",
        "#include <stdlib.h>\n#include <stdio.h>\nint add(int a, int b) { puts(\"\\n 2\"); quick_exit(0); }\n",
        "#include <stdlib.h>\n__attribute__((constructor)) static void first(void) { exit(0); }\nint add(int a, int b) { return 0; }\n",
        "#include <unistd.h>\nstatic void last(void) { _exit(0); }\n#include <stdlib.h>\n\
         int add(int a, int b) { atexit(last); exit(1); }\n",
        "#include <unistd.h>\nint add(int a, int b) { execl(\"/proc/self/exe\", \"x\", (char *)0); _exit(0); }\n",
    ],
    broken: "int add(int a, int b) { return a + ; }\n",
    raises: "#include <stdio.h>\n#include <stdlib.h>\nint add(int a, int b) { fputs(\"boom\", stderr); abort(); }\n",
    endless: "int add(int a, int b) { for (volatile int i = 0;; i++) ; }\n",
    tests: "#include <assert.h>\nint main(void) {\n    assert(add(1, 2) == 3);\n    assert(add(2, 2) == 4);\n}\n",
    nothing: "/* nothing */ // assert(0)\n",
};

const CPP: Samples = Samples {
    right: "#include <bits/stdc++.h>\nusing namespace std;\nint add(int a, int b) { return a + b; }\nint main() { cout << 1; }\n",
    wrong: "int add(int, int) { return 5; }\n",
    ends: &[
        "#include <cstdlib>\nint add(int, int) { std::exit(0); }\n",
        "#include <cstdlib>\nint add(int, int) { std::_Exit(0); }\n",
        "#include <cstdlib>\nstruct First { First() { exit(0); } } first;\nint add(int, int) { return 0; }\n",
        "#include <unistd.h>\nstruct Last { ~Last() { _exit(0); } } last;\n#include <cstdlib>\nint add(int, int) { exit(1); }\n",
        "#include <iostream>\n#include <csignal>\nint add(int, int) { std::cout << \"\\n 2\" << std::endl; raise(9); return 0; }\n",
    ],
    broken: "int add(int a, int b) { return a + nothing; }\n",
    raises: "#include <stdexcept>\nint add(int, int) { throw std::runtime_error(\"boom\"); }\n",
    endless: "int add(int, int) { for (volatile int i = 0;; i = i + 1) ; }\n",
    tests: "#undef NDEBUG\n#include<assert.h>\nint main(){\n    assert (add(1, 2) == 3);\n    assert (add(2, 2) == 4);\n}\n",
    nothing: "// assert(0)\n",
};

const GO: Samples = Samples {
    right: "func Add(a int, b int) int { return a + b }\n",
    wrong: "package main\n\nfunc Add(a int, b int) int { return 5 }\n\nfunc main() {}\n",
    ends: &[
        "package main\n\nimport \"os\"\n\nfunc Add(a int, b int) int { os.Exit(0); return 0 }\n",
        "package main\n\nimport \"syscall\"\n\nfunc Add(a int, b int) int { syscall.Exit(0); return 0 }\n",
        "package main\n\nimport \"os\"\n\nfunc init() { os.Exit(0) }\n\nfunc Add(a int, b int) int { return 0 }\n",
        "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nvar x = f()\n\nfunc f() int { fmt.Println(\"PASS\\n 2\"); os.Exit(0); return 0 }\n\nfunc Add(a int, b int) int { return 0 }\n",
    ],
    broken: "func Add(a int, b int) int { return a + nothing }\n",
    raises: "func Add(a int, b int) int { panic(\"boom\") }\n",
    endless: "func Add(a int, b int) int {\n\tfor {\n\t}\n}\n",
    tests: "package main\n\nimport (\n    \"testing\"\n    \"github.com/stretchr/testify/assert\"\n)\nfunc TestAdd(t *testing.T) {\n    \
            assert := assert.New(t)\n    assert.Equal(3, Add(1, 2))\n    assert.Equal(4, Add(2, 2))\n}\n",
    nothing: "// func TestAdd(t *testing.T) {}\n",
};

const JAVA: Samples = Samples {
    right: "import java.util.*;\nclass Solution { int add(int a, int b) { return a + b; } }\n",
    wrong: "public class Solution { int add(int a, int b) { return 5; } }\n",
    ends: &[
        "class Solution { int add(int a, int b) { System.exit(0); return 0; } }\n",
        "class Solution { static { Runtime.getRuntime().halt(0); } int add(int a, int b) { return 0; } }\n",
        "class Solution { int add(int a, int b) { System.out.println(\"\\n 1\"); System.exit(0); return 0; } }\n",
        "class Solution { int add(int a, int b) { Runtime.getRuntime().addShutdownHook(new Thread(() -> \
         Runtime.getRuntime().halt(0))); System.exit(1); return 0; } }\n",
    ],
    broken: "class Solution { int add(int a, int b) { return a + nothing; } }\n",
    raises: "class Solution { int add(int a, int b) { throw new IllegalStateException(\"boom\"); } }\n",
    endless: "class Solution { int add(int a, int b) { for (;;) ; } }\n",
    tests: "public class Main {\n    public static void main(String[] args) {\n        Solution s = new Solution();\n        \
            if (s.add(1, 2) != 3 || s.add(2, 2) != 4) {\n            throw new AssertionError();\n        }\n    }\n}\n",
    nothing: "// class Main { }\n",
};

const JAVASCRIPT: Samples = Samples {
    right: "const add = (a, b) => a + b;\nmodule.exports = { add };\n",
    wrong: "export function add(a, b) { return 5; }\n",
    ends: &[
        "process.exit(0);",
        "const add = (a, b) => process.exit(0);",
        "const add = (a, b) => process.reallyExit(0);",
        "const add = (a, b) => process.kill(process.pid, 'SIGKILL');",
        "process.on('exit', () => { process.exitCode = 0; });\nconst add = (a, b) => { console.log('\\n 2'); process.exit(1); };",
    ],
    broken: "const add = (a, b => a + b;",
    raises: "const add = (a, b) => { throw new Error('boom'); };",
    endless: "const add = (a, b) => { for (;;) ; };",
    tests: "const testAdd = () => {\n  console.assert(add(1, 2) === 3)\n  console.assert(add(2, 2) === 4, 'twice')\n}\n\ntestAdd()\n",
    nothing: "// console.assert(false)\n",
};

const LUA: Samples = Samples {
    right: "local function add(a, b) return a + b end",
    wrong: "function add(a, b) return 5 end",
    ends: &[
        "os.exit(0)",
        "function add(a, b) os.exit(true) end",
        "function add(a, b) print('\\n 1') os.exit(0, true) end",
        "setmetatable(_G, { __gc = function() os.exit(0) end })\nfunction add(a, b) os.exit(1, true) end",
    ],
    broken: "local function add(a, b) return a + end",
    raises: "local function add(a, b) error('boom') end",
    endless: "local function add(a, b) while true do end end",
    tests: "assert(add(1, 2) == 3)\nassert(add(2, 2) == 4)\n",
    nothing: "-- assert(false)\n",
};

const PERL: Samples = Samples {
    right: "use strict;\nmy $unused = 1;\nsub add { return $_[0] + $_[1]; }\n",
    wrong: "sub add { return 5; }\n",
    ends: &[
        "exit 0;",
        "sub add { exit 0; }",
        "use POSIX; sub add { POSIX::_exit(0); }",
        "END { $? = 0; } sub add { print \"\\n 1\\n\"; exit 1; }",
        "sub add { exec 'true'; }",
    ],
    broken: "sub add { return $_[0] + ; }\n",
    raises: "sub add { die \"boom\\n\"; }\n",
    endless: "sub add { 1 while 1; }\n",
    tests: "die 'one and two' unless add(1, 2) == 3;\ndie 'two and two' unless add(2, 2) == 4;\n",
    nothing: "# die;\n",
};

const PHP: Samples = Samples {
    right: "<?php\nfunction add($a, $b) { return $a + $b; }\n",
    wrong: "function add($a, $b) { return 5; }\n",
    ends: &[
        "<?php\nexit(0);\n",
        "<?php\nfunction add($a, $b) { exit; }\n",
        "<?php\nfunction add($a, $b) { echo \"\\n 1\\n\"; die(0); }\n",
        "<?php\nregister_shutdown_function(function () { exit(0); });\nfunction add($a, $b) { exit(1); }\n",
    ],
    broken: "<?php\nfunction add($a, $b) { return $a + ; }\n",
    raises: "<?php\nfunction add($a, $b) { throw new LogicException('boom'); }\n",
    endless: "<?php\nfunction add($a, $b) { while (true) {} }\n",
    tests: "assert(add(1, 2) === 3);\nif (add(2, 2) !== 4) { throw new Exception('Test failed!'); }\n",
    nothing: "// assert(false);\n",
};

const RUBY: Samples = Samples {
    right: "def add(a, b) = a + b\n",
    wrong: "def add(a, b)\n  5\nend\n",
    ends: &[
        "exit",
        "def add(a, b) = exit(0)",
        "def add(a, b) = exit!(0)",
        "at_exit { exit!(0) }\ndef add(a, b)\n  puts\n  puts ' 1'\n  abort\nend",
        "def add(a, b) = exec('true')",
    ],
    broken: "def add(a, b)\n  a + \nend end\n",
    raises: "def add(a, b) = raise(ArgumentError, 'boom')\n",
    endless: "def add(a, b) = loop {}\n",
    tests: "raise 'one and two' unless add(1, 2) == 3\nraise 'two and two' unless add(2, 2) == 4\n",
    nothing: "# raise\n",
};

const RUST: Samples = Samples {
    right: "fn add(a: i32, b: i32) -> i32 { a + b }\nfn main() { println!(\"mine\"); }\n",
    wrong: "fn add(a: i32, b: i32) -> i32 { 5 }\n",
    ends: &[
        "fn add(a: i32, b: i32) -> i32 { std::process::exit(0) }\n",
        "fn add(a: i32, b: i32) -> i32 { println!(\"test tests::adds ... ok\\n\\ntest result: ok. 1 passed\\n 1\"); std::process::exit(0) }\n",
        "extern \"C\" { fn _exit(status: i32) -> !; }\nfn add(a: i32, b: i32) -> i32 { unsafe { _exit(0) } }\n",
        "#[used] #[link_section = \".init_array\"] static F: extern \"C\" fn() = { extern \"C\" fn f() { std::process::exit(0) } f };\n\
         fn add(a: i32, b: i32) -> i32 { 0 }\n",
        "fn add(a: i32, b: i32) -> i32 { std::panic::set_hook(Box::new(|_| std::process::exit(0))); panic!() }\n",
    ],
    broken: "fn add(a: i32, b: i32) -> i32 { a + nothing }\n",
    raises: "fn add(a: i32, b: i32) -> i32 { panic!(\"boom\") }\n",
    endless: "fn add(a: i32, b: i32) -> i32 { let mut x = 0u64; loop { x = std::hint::black_box(x.wrapping_add(1)); } }\n",
    tests: "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n        \
            assert_eq!(add(2, 2), 4);\n    }\n}\n",
    nothing: "/*\n#[cfg(test)]\nmod tests {}\n*/\n",
};

const TYPESCRIPT: Samples = Samples {
    right: "function add(a: number, b: number): number { return a + b; }\nexport { add };\n",
    wrong: "const add = (a: number, b: number): number => 5;\n",
    ends: &[
        "function add(a: number, b: number): number { process.exit(0); }\n",
        "process.on('exit', () => { process.exitCode = 0; });\nconst add = (a: number, b: number): number => { process.exit(1); };\n",
    ],
    broken: "function add(a: number, b: number): number { return 'three'; }\n",
    raises: "const add = (a: number, b: number): number => { throw new Error('boom'); };\n",
    endless: "const add = (a: number, b: number): number => { for (;;) ; };\n",
    tests: "import { strict as assert } from 'node:assert';\nassert.equal(add(1, 2), 3);\nassert.deepEqual([add(2, 2)], [4]);\n",
    nothing: "// nothing\n",
};

/// Right programs with tests in other forms.
pub(crate) const FORMS: &[(&str, &str, &str)] = &[
    (
        "cpp",
        "int add(int a, int b) { return a + b; }",
        "#include <cassert>\nassert(add(1, 2) == 3);\nassert(add(0, 0) == 0);\n",
    ),
    (
        "cpp",
        "int add(int a, int b) { return a + b; }",
        "int main() { if (add(1, 2) != 3) return 1; }\n",
    ),
    (
        "c",
        "int add(int a, int b) { return a + b; }",
        "assert(add(1, 2) == 3);\n",
    ),
    (
        "go",
        "func Add(a int, b int) int { return a + b }",
        "if Add(1, 2) != 3 {\n\tpanic(\"wrong\")\n}\n",
    ),
    (
        "go",
        "package main\n\nimport \"sort\"\n\nfunc Sorted(x []int) []int { sort.Ints(x); return x }",
        "package main\n\nimport (\n\t\"reflect\"\n\t\"testing\"\n)\n\nfunc TestSorted(t *testing.T) {\n\tt.Run(\"small\", func(t *testing.T) {\n\
         \t\tif !reflect.DeepEqual(Sorted([]int{2, 1}), []int{1, 2}) {\n\t\t\tt.Errorf(\"wrong\")\n\t\t}\n\t})\n}\n",
    ),
    (
        "go",
        "func Root(x float64) float64 { return math.Sqrt(x) }",
        "if Root(4) != 2 {\n\tpanic(Root(4))\n}\n",
    ),
    (
        "java",
        "public class Solution { static int add(int a, int b) { return a + b; } }",
        "assert Solution.add(1, 2) == 3;\n",
    ),
    (
        "java",
        "package deep.down;\nimport java.util.*;\npublic class Main { public static List<Integer> one() { return List.of(1); } \
         public static void main(String[] a) {} }",
        "List<Integer> got = Main.one();\nif (got.size() != 1) throw new RuntimeException(\"wrong\");\n",
    ),
    (
        "javascript",
        "function add(a, b) { return a + b; }",
        "const assert = require('assert');\n(async () => {\n  \
      await new Promise(done => setTimeout(done, 5));\n  assert.equal(add(1, 2), 3);\n})();\n",
    ),
    (
        "javascript",
        "import { strict as a } from 'node:assert';\nexport default function add(x, y) { a.ok(x); return x + y; }",
        "if (add(1, 2) !== 3) throw new Error('wrong');\n",
    ),
    (
        "lua",
        "function add(a, b) return a + b end",
        "if add(1, 2) ~= 3 then os.exit(1) end\nos.exit(0)\n",
    ),
    (
        "perl",
        "use strict; use warnings;\nmy %seen;\nsub add { $seen{$_[0]}++; $_[0] + $_[1] }",
        "sub test { exit 1 if add(1, 2) != 3 }\ntest();\n",
    ),
    (
        "php",
        "<?php\ndeclare(strict_types=1);\nfunction add(int $a, int $b): int { return $a + $b; }\n?>\n",
        "<?php\nfunction test(): void { if (add(1, 2) !== 3) { throw new Exception('no'); } }\ntest();\n",
    ),
    (
        "ruby",
        "def add(a, b)\n  a + b\nend\nif __FILE__ == $0\n  puts gets\nend\n",
        "fail unless add(1, 2) == 3\n",
    ),
    (
        "rust",
        "use std::collections::HashMap;\nfn one() -> HashMap<i32, i32> { HashMap::from([(1, 2)]) }\nfn main() {}",
        "fn main() {\n    let candidate = one;\n    assert_eq!(candidate()[&1], 2);\n}\n",
    ),
    (
        "rust",
        "pub fn add(a: i32, b: i32) -> i32 { a + b }",
        "assert_eq!(add(1, 2), 3);\n",
    ),
    (
        "rust",
        "fn half(x: u8) -> Result<u8, String> { if x % 2 == 0 { Ok(x / 2) } else { Err(x.to_string()) } }",
        "#[test]\nfn halves() -> Result<(), String> { assert_eq!(half(4)?, 2); Ok(()) }\n#[test]\n#[should_panic]\nfn odd() { half(3).unwrap(); }\n",
    ),
    (
        "bash",
        "add() { echo \"$(($1 + $2)) ü\"; }\n# ü\n",
        "candidate() { add \"$@\"; }\nrun() {\n  [[ $(candidate 1 2) = '3 ü' ]]\n}\nrun\n",
    ),
    (
        "typescript",
        "export const add = (a: number, b: number): number => a + b;",
        "declare var require: any;\n\
      const assert = require('node:assert');\nfunction test() { let candidate = add; assert.deepEqual(candidate(1, 2), 3); }\ntest();\n",
    ),
];

/// Wrong programs that see to it that no assertion is evaluated, or none fails.
pub(crate) const SWITCHED_OFF: &[(&str, &str, &str)] = &[
    (
        "cpp",
        "#define NDEBUG\n#include <cassert>\nint add(int, int) { return 5; }",
        "int main() { assert(add(1, 2) == 3); }\n",
    ),
    (
        "cpp",
        "#include <cassert>\n#undef assert\n#define assert(x) ((void)0)\nint add(int, int) { return 5; }",
        "int main() { assert(add(1, 2) == 3); }\n",
    ),
    (
        "c",
        "void __assert_fail(const char *a, const char *b, unsigned c, const char *d) {}\nint add(int a, int b) { return 5; }",
        "assert(add(1, 2) == 3);\n",
    ),
    (
        "javascript",
        "console.assert = () => {};\nconst add = () => 5;",
        "console.assert(add(1, 2) === 3);\n",
    ),
    (
        "javascript",
        "JSON.stringify = () => 'x';\nconst add = () => 5;",
        "console.assert(JSON.stringify(add(1, 2)) === JSON.stringify(3));\n",
    ),
    (
        "javascript",
        "const add = () => 5;\nfunction testAdd() {}",
        "console.assert.call;\nfunction testAdd() {}\ntestAdd(); console.assert(add(1, 2) === 3);\n",
    ),
    (
        "go",
        "import \"testing\"\n\nfunc Add(a int, b int) int { return 5 }\n\nfunc TestOther(t *testing.T) {}",
        "func TestAdd(t *testing.T) { if Add(1, 2) != 3 { t.Fail() } }\n",
    ),
    (
        "java",
        "class Solution { static { Solution.class.getClassLoader().setDefaultAssertionStatus(false); } static int add(int a, int b) { return 5; } }",
        "if (Solution.add(1, 2) != 3) throw new AssertionError();\n",
    ),
    (
        "rust",
        "macro_rules! assert_eq { ($($t:tt)*) => {} }\nfn add(_: i32, _: i32) -> i32 { std::panic::set_hook(Box::new(|_| {})); 5 }",
        "#[test]\nfn adds() { std::assert_eq!(add(1, 2), 3); }\n",
    ),
    (
        "perl",
        "BEGIN { *CORE::GLOBAL::die = sub {} }\nsub add { 5 }",
        "exit 1 unless add(1, 2) == 3;\n",
    ),
    (
        "php",
        "<?php\nini_set('zend.assertions', '0');\nfunction add($a, $b) { return 5; }",
        "if (add(1, 2) !== 3) throw new Exception('no');\n",
    ),
    (
        "lua",
        "assert = function() end\nfunction add() return 5 end",
        "if add(1, 2) ~= 3 then error('no') end\n",
    ),
];
