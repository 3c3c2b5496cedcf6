/** Numbers from the command line: `--rounds 5`. */
export function numberOf(flag, initial) {
  const at = process.argv.indexOf(flag);
  return at < 0 ? initial : Number(process.argv[at + 1]);
}

export function textOf(flag, initial) {
  const at = process.argv.indexOf(flag);
  return at < 0 ? initial : process.argv[at + 1];
}
