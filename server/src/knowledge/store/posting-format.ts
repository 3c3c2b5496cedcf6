/**
 * Postings as bytes: for every passage that has a word its id, how often the word stands there, and how many words the passage
 * has. Of one width each, so that new ones are simply appended and a search reads them without a look at what stands before.
 */

/** Five bytes of id, one of count, two of length. */
export const POSTING_BYTES = 8;
const MAX_COUNT = 0xff;
const MAX_LENGTH = 0xffff;
const LOW = 2 ** 32;

/** Passages whose postings of one word share a row: at most four kilobytes. */
export const PASSAGES_PER_SEGMENT = 512;

export function writePosting(into: Buffer, at: number, id: number, count: number, length: number): void {
  into.writeUInt8(Math.floor(id / LOW), at);
  into.writeUInt32BE(id % LOW, at + 1);
  into.writeUInt8(Math.min(count, MAX_COUNT), at + 5);
  into.writeUInt16BE(Math.min(length, MAX_LENGTH), at + 6);
}

export function eachPosting(data: Buffer, visit: (id: number, count: number, length: number) => void): void {
  for (let at = 0; at + POSTING_BYTES <= data.length; at += POSTING_BYTES) {
    const high = data[at] as number;
    const id = high * LOW + data.readUInt32BE(at + 1);
    visit(id, data[at + 5] as number, data.readUInt16BE(at + 6));
  }
}
