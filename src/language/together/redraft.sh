# Runs a program and its tests, which come on stdin behind a secret, and says the secret at the end.
exec 8<&0 9>&1 </dev/null
IFS= read -r -u 8 redraft_KEY_secret
read -r -u 8 REPLY REPLY redraft_KEY_size
IFS= read -r -u 8 -N "$redraft_KEY_size" redraft_KEY_program
IFS= read -r -u 8 -d '' redraft_KEY_tests
exec 8<&-
redraft_KEY_failed() {
  printf '\n%s! wrong\n%s\n' "$redraft_KEY_secret" "line $2 of the tests failed: $1" >&9
  kill -KILL $$
}
eval "$redraft_KEY_program"
# In the tests' own lines, not in functions that they call.
trap 'redraft_KEY_failed "$BASH_COMMAND" "$LINENO"' ERR
eval "$redraft_KEY_tests"
trap - ERR
printf '\n%s 1\n' "$redraft_KEY_secret" >&9
kill -KILL $$
