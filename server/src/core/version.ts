/** The version of package.json, for the bundled server, which cannot read that file; a test keeps the two equal. */
export const VERSION = '0.2.0';

/**
 * By how many minor versions another version is ahead: 0 for the same minor or an older one. Infinity where it is a
 * major ahead, or is not a version, because no compatibility is promised between those.
 */
export function minorsAhead(other: string, own: string = VERSION): number {
  const [theirs, ours] = [numbersOf(other), numbersOf(own)];
  if (!theirs || !ours || theirs.major > ours.major) return Number.POSITIVE_INFINITY;
  return theirs.major < ours.major ? 0 : Math.max(0, theirs.minor - ours.minor);
}

function numbersOf(version: string): { major: number; minor: number } | undefined {
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})\.\d{1,6}\b/.exec(version) ?? [];
  return major === undefined || minor === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}
