-- Runs a program and its tests, which come on stdin behind a secret, and says the secret at the end.
do
  local secret = io.read('l')
  local size = tonumber((io.read('l'):match('^%d+')))
  local input = io.read('a')
  local program, tests = input:sub(1, size), input:sub(size + 1)
  local exit, out, getinfo, traceback = os.exit, io.stdout, debug.getinfo, debug.traceback
  local write, flush, kind_of, text_of = out.write, out.flush, type, tostring
  local function say(what)
    write(out, '\n', secret, what, '\n')
    flush(out)
    exit(0, false)
  end
  local lines = select(2, program:gsub('\n', '')) + 1
  -- A test may end with the status of its own framework; a program that ends itself has not passed.
  os.exit = function(status)
    local caller = getinfo(2, 'Sl')
    if caller and caller.source == '@solution.lua' and caller.currentline > lines then
      local fine = status == nil or status == true or status == 0
      say(fine and ' 1' or '! wrong\nthe test ended with status ' .. text_of(status))
    end
    exit(status)
  end
  local both, broken = load(program .. '\n' .. tests, '@solution.lua')
  if not both then
    say('! syntax\n' .. text_of(broken))
  end
  local fine, problem = xpcall(both, function(raised)
    local message = kind_of(raised) == 'string' and raised or text_of(raised)
    local at = 2
    local caller
    repeat
      caller = getinfo(at, 'Sl')
      at = at + 1
    until not caller or caller.what ~= 'C'
    local kind = caller and caller.source == '@solution.lua' and caller.currentline > lines and 'wrong' or 'error'
    return '! ' .. kind .. '\n' .. traceback(message, 2)
  end)
  if fine then
    say(' 1')
  end
  say(problem)
end
