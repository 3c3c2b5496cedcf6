/** The version of package.json, where the bundled server can read it; a test holds the two together. */
export const VERSION = '0.2.0';

/**
 * How far another version is ahead, in minors: 0 for the same minor or an older one. Infinity where it is a major ahead, or is
 * no version at all: nothing is promised between those.
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
