//! The same small programs in every language.

/// Programs in one language.
pub(crate) struct Samples {
    /// Prints `hello`.
    pub(crate) hello: &'static str,
    /// Copies stdin to stdout, byte for byte.
    pub(crate) echo: &'static str,
    /// Prints `before`, then fails by an error of the language.
    pub(crate) runtime_error: &'static str,
    /// Prints `before`, then ends with status 3.
    pub(crate) exit_3: &'static str,
    /// Isn't a program of the language.
    pub(crate) compile_error: &'static str,
    pub(crate) endless: &'static str,
    /// Takes memory without end, and uses it.
    pub(crate) memory: &'static str,
    /// Starts a process that outlives it and prints `done`, where that is easily done.
    pub(crate) child_left: Option<&'static str>,
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
            "python" => PYTHON,
            "ruby" => RUBY,
            "rust" => RUST,
            "typescript" => TYPESCRIPT,
            other => panic!("no samples for {other}"),
        }
    }
}

const BASH: Samples = Samples {
    hello: "echo hello",
    echo: "exec cat",
    runtime_error: "echo before\nset -u\necho $nothing\n",
    exit_3: "echo before\nexit 3\n",
    compile_error: "if true; then\necho never\n",
    endless: "while :; do :; done",
    memory: "x=0123456789abcdef\nwhile :; do x=$x$x; done",
    child_left: Some("sleep 100 &\necho done\n"),
};

const C: Samples = Samples {
    hello: "#include <stdio.h>\nint main(void) { puts(\"hello\"); }\n",
    echo: "#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) putchar(c); }\n",
    runtime_error: "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(\"before\"); fflush(stdout); abort(); }\n",
    exit_3: "#include <stdio.h>\nint main(void) { puts(\"before\"); return 3; }\n",
    compile_error: "int main(void) { return nothing; }\n",
    endless: "int main(void) { for (volatile int i = 0;; i++) ; }\n",
    memory: "#include <stdlib.h>\n#include <string.h>\nint main(void) { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }\n",
    child_left: Some(
        "#include <stdio.h>\n#include <unistd.h>\nint main(void) { if (!fork()) { sleep(100); return 0; } puts(\"done\"); }\n",
    ),
};

const CPP: Samples = Samples {
    hello: "#include <bits/stdc++.h>\nusing namespace std;\nint main() { cout << \"hello\" << endl; }\n",
    echo: "#include <iostream>\nint main() { std::cout << std::cin.rdbuf(); }\n",
    runtime_error: "#include <iostream>\n#include <vector>\nint main() { std::cout << \"before\" << std::endl; \
                    std::vector<int> v; return v.at(3); }\n",
    exit_3: "#include <iostream>\n#include <cstdlib>\nint main() { std::cout << \"before\\n\"; exit(3); }\n",
    compile_error: "#include <string>\nint main() { std::string s = 3 + nothing; }\n",
    endless: "int main() { for (volatile int i = 0;; i = i + 1) ; }\n",
    memory: "#include <vector>\nint main() { std::vector<std::vector<int>> v; for (;;) v.emplace_back(1 << 18, 1); }\n",
    child_left: Some(
        "#include <iostream>\n#include <unistd.h>\nint main() { if (!fork()) { sleep(100); return 0; } \
         std::cout << \"done\\n\"; }\n",
    ),
};

const GO: Samples = Samples {
    hello: "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n",
    echo: "package main\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() { io.Copy(os.Stdout, os.Stdin) }\n",
    runtime_error: "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"before\")\n\tvar m map[string]int\n\tm[\"a\"] = 1\n}\n",
    exit_3: "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tfmt.Println(\"before\")\n\tos.Exit(3)\n}\n",
    compile_error: "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(nothing) }\n",
    endless: "package main\n\nfunc main() {\n\tfor {\n\t}\n}\n",
    memory: "package main\n\nvar kept [][]byte\n\nfunc main() {\n\tfor {\n\t\tb := make([]byte, 1<<20)\n\t\tfor i := range b {\n\t\t\tb[i] = 1\n\t\t}\n\t\tkept = append(kept, b)\n\t}\n}\n",
    child_left: None,
};

const JAVA: Samples = Samples {
    hello: "public class Hello { public static void main(String[] args) { System.out.println(\"hello\"); } }\n",
    echo: "import java.io.*;\nclass Echo { public static void main(String[] args) throws IOException { \
           System.in.transferTo(System.out); System.out.flush(); } }\n",
    runtime_error: "public class Main { public static void main(String[] args) { System.out.println(\"before\"); \
                    Object o = null; o.toString(); } }\n",
    exit_3: "public class Main { public static void main(String[] args) { System.out.println(\"before\"); \
             System.exit(3); } }\n",
    compile_error: "public class Main { public static void main(String[] args) { int x = nothing; } }\n",
    endless: "public class Main { public static void main(String[] args) { for (;;) ; } }\n",
    memory: "import java.util.*;\npublic class Main { public static void main(String[] args) { \
             List<long[]> all = new ArrayList<>(); for (;;) all.add(new long[1 << 17]); } }\n",
    child_left: None,
};

const JAVASCRIPT: Samples = Samples {
    hello: "import process from 'process';\nprocess.stdout.write('hello\\n');\n",
    echo: "const fs = require('fs');\nfs.writeSync(1, '');\nprocess.stdout.write(fs.readFileSync('/dev/stdin'));\n",
    runtime_error: "console.log('before');\nnull.x;\n",
    exit_3: "console.log('before');\nprocess.exit(3);\n",
    compile_error: "const a = 1;\nfunction ( {\n",
    endless: "for (;;) ;",
    memory: "const all = [];\nfor (;;) all.push(new Array(1 << 17).fill(1.5));\n",
    child_left: Some(
        "const { spawn } = require('child_process');\n\
         spawn(process.execPath, ['-e', 'setTimeout(() => {}, 100000)'], { stdio: 'inherit', detached: true }).unref();\n\
         console.log('done');\n",
    ),
};

const LUA: Samples = Samples {
    hello: "print('hello')",
    echo: "io.write(io.read('a'))",
    runtime_error: "print('before')\nlocal t = nil\nprint(t.x)\n",
    exit_3: "print('before')\nos.exit(3)\n",
    compile_error: "local x = = 3\n",
    endless: "while true do end",
    memory: "local t = {}\nwhile true do t[#t + 1] = ('x'):rep(1 << 20) .. #t end\n",
    child_left: None,
};

const PERL: Samples = Samples {
    hello: "print \"hello\\n\";",
    echo: "local $/; print scalar <STDIN>;",
    runtime_error: "$| = 1; print \"before\\n\"; my $x; $x->method();\n",
    exit_3: "print \"before\\n\"; exit 3;\n",
    compile_error: "use strict;\n$nothing = 3;\n",
    endless: "1 while 1;",
    memory: "my @all; push @all, 'x' x (1 << 20) . @all while 1;",
    child_left: Some("if (!fork) { sleep 100; exit } print \"done\\n\";"),
};

const PHP: Samples = Samples {
    hello: "<?php\necho \"hello\\n\";\n",
    echo: "<?php\necho stream_get_contents(STDIN);\n",
    runtime_error: "<?php\necho \"before\\n\";\nnothing();\n",
    exit_3: "<?php\necho \"before\\n\";\nexit(3);\n",
    compile_error: "<?php\n$x = = 3;\n",
    endless: "<?php\nwhile (true) {}\n",
    memory: "<?php\n$all = [];\nwhile (true) $all[] = str_repeat('x', 1 << 20) . count($all);\n",
    child_left: None,
};

const PYTHON: Samples = Samples {
    hello: "print('hello')",
    echo: "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())\n",
    runtime_error: "print('before', flush=True)\n[][3]\n",
    exit_3: "print('before')\nraise SystemExit(3)\n",
    compile_error: "x = = 3\n",
    endless: "while True: pass",
    memory: "all = []\nwhile True: all.append(bytearray(b'x' * (1 << 20)))\n",
    child_left: Some(
        "import os, time\nif not os.fork():\n    time.sleep(100)\n    os._exit(0)\nprint('done')\n",
    ),
};

const RUBY: Samples = Samples {
    hello: "puts 'hello'",
    echo: "$stdout.binmode.write($stdin.binmode.read)",
    runtime_error: "puts 'before'\nnil.nothing\n",
    exit_3: "puts 'before'\nexit 3\n",
    compile_error: "def x(\n  3 +\nend end\n",
    endless: "loop {}",
    memory: "all = []\nloop { all << 'x' * (1 << 20) + all.size.to_s }\n",
    child_left: Some("fork { sleep 100 }\nputs 'done'\n"),
};

const RUST: Samples = Samples {
    hello: "fn main() { println!(\"hello\"); }\n",
    echo: "fn main() { std::io::copy(&mut std::io::stdin(), &mut std::io::stdout()).unwrap(); }\n",
    runtime_error: "fn main() { println!(\"before\"); let v: Vec<i32> = Vec::new(); println!(\"{}\", v[std::env::args().count()]); }\n",
    exit_3: "fn main() { println!(\"before\"); std::process::exit(3); }\n",
    compile_error: "fn main() { let x: i32 = \"3\"; }\n",
    endless: "fn main() { let mut x = 0u64; loop { x = std::hint::black_box(x.wrapping_add(1)); } }\n",
    memory: "fn main() { let mut all = Vec::new(); loop { all.push(std::hint::black_box(vec![1u8; 1 << 20])); } }\n",
    child_left: Some(
        "use std::process::Command;\nfn main() { if std::env::args().count() > 1 { \
         std::thread::sleep(std::time::Duration::from_secs(100)); return; } \
         Command::new(std::env::current_exe().unwrap()).arg(\"x\").spawn().unwrap(); println!(\"done\"); }\n",
    ),
};

const TYPESCRIPT: Samples = Samples {
    hello: "const name: string = 'hello';\nconsole.log(name);\n",
    echo: "import * as fs from 'fs';\nconst all: Buffer = fs.readFileSync(0);\nprocess.stdout.write(all);\n",
    runtime_error: "console.log('before');\nconst x: any = null;\nx.y();\n",
    exit_3: "console.log('before');\nprocess.exit(3);\n",
    compile_error: "const x: number = 'three';\n",
    endless: "for (;;) ;",
    memory: "const all: number[][] = [];\nfor (;;) all.push(new Array(1 << 17).fill(1.5));\n",
    child_left: None,
};
