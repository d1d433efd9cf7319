# Runs a program and its tests, which come on stdin behind a secret, and says the secret at the end.
lambda do
  out = $stdout.dup
  input = $stdin.binmode.read.force_encoding('UTF-8')
  secret, sizes, rest = input.split("\n", 3)
  size = sizes.split(' ').first.to_i
  program = rest.byteslice(0, size)
  tests = rest.byteslice(size..)
  say = lambda do |what|
    $stdout.flush
    out.write("\n#{secret}#{what}\n")
    out.flush
    exit!(0)
  end
  begin
    begin
      eval(program, TOPLEVEL_BINDING, 'solution.rb')
    rescue SyntaxError => e
      say.call("! syntax\n#{e.message}")
    end
    eval(tests, TOPLEVEL_BINDING, 'tests.rb')
    if defined?(Test::Unit::AutoRunner)
      Test::Unit::AutoRunner.need_auto_run = false
      say.call("! wrong\na test failed") unless Test::Unit::AutoRunner.run(false, nil, [])
    end
    say.call(' 1')
  rescue SystemExit
    raise
  rescue Exception => e
    memory = e.is_a?(NoMemoryError)
    kind = memory ? 'memory' : e.backtrace&.first.to_s.start_with?('tests.rb') && e.instance_of?(RuntimeError) ? 'wrong' : 'error'
    say.call("! #{kind}\n#{e.full_message(highlight: false, order: :top)}")
  end
end.call
