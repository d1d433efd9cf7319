# Runs a program and its tests, which come on stdin behind a secret, and says the secret at the end.
exec 8<&0 9>&1 </dev/null
IFS= read -r -u 8 redraft_KEY_secret
read -r -u 8 REPLY REPLY redraft_KEY_size
IFS= read -r -u 8 -N "$redraft_KEY_size" redraft_KEY_program
IFS= read -r -u 8 -d '' redraft_KEY_tests
exec 8<&-
redraft_KEY_say() {
  printf '\n%s%s\n' "$redraft_KEY_secret" "$1" >&9
  kill -KILL $$
}
REPLY=$("$BASH" -n <<< "$redraft_KEY_program" 2>&1) || redraft_KEY_say "! syntax"$'\n'"$REPLY"
eval "$redraft_KEY_program"
# In the tests' own lines, not in functions that they call.
trap 'redraft_KEY_say "! wrong"$'"'\\n'"'"failed: $BASH_COMMAND"' ERR
eval "$redraft_KEY_tests"
trap - ERR
redraft_KEY_say ' 1'
