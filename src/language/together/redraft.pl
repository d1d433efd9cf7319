# Runs a program and its tests, which come on stdin behind a secret, and says the secret at the end.
use POSIX ();
{
    my ($secret, $sizes, $program, $tests);
    sub redraft_run {
        # In a scope of its own: nothing of ours has a name in there.
        package main;
        eval $_[0];
    }
    {
        local $/;
        my $input = <STDIN>;
        ($secret, $sizes, $input) = split /\n/, $input, 3;
        my ($size) = split / /, $sizes;
        $program = substr $input, 0, $size;
        $tests = substr $input, $size;
    }
    open my $out, '>&', \*STDOUT or die;
    my $say = sub {
        $| = 1;
        print {*STDOUT} '';
        syswrite $out, "\n$secret$_[0]\n";
        POSIX::_exit(0);
    };
    my $both = "#line 1 \"solution.pl\"\n$program\n#line 1 \"tests.pl\"\n$tests\n;1;";
    my $done = redraft_run($both);
    if ($done) {
        $say->(' 1');
    }
    my $error = "$@";
    my $kind = $error =~ / at tests\.pl line \d+/ ? 'wrong' : $error =~ /syntax error at/ ? 'syntax' : 'error';
    $say->("! $kind\n$error");
}
