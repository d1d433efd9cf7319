<?php
// Runs a program and its tests, which come on stdin behind a secret, and says the secret at the end.
(function () {
    $input = stream_get_contents(STDIN);
    [$secret, $sizes, $rest] = explode("\n", $input, 3);
    $size = (int) explode(' ', $sizes)[0];
    $program = substr($rest, 0, $size);
    $tests = substr($rest, $size);
    unset($input, $rest);
    $say = function (string $what) use ($secret) {
        while (ob_get_level() > 0) {
            ob_end_flush();
        }
        fwrite(STDOUT, "\n$secret$what\n");
        fflush(STDOUT);
        exit(0);
    };
    $run = static function (string $code) {
        $begun = preg_replace('/^\s*<\?php\b/', '', $code, 1, $count);
        eval($count === 0 && preg_match('/^\s*<\?/', $code) ? '?>' . $code : $begun);
    };
    try {
        try {
            $run($program);
        } catch (ParseError $error) {
            $say("! syntax\nPHP Parse error: {$error->getMessage()} on line {$error->getLine()}");
        }
        $run($tests);
        $say(' 1');
    } catch (Throwable $error) {
        $own = get_class($error) === 'Exception' || $error instanceof AssertionError;
        $say('! ' . ($own ? 'wrong' : 'error') . "\n" . get_class($error) . ": {$error->getMessage()}");
    }
})();
