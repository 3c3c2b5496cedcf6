/**
 * Postings as bytes: for every passage that contains a word its id, how often it contains the word, and how many words
 * it has. All have the same width, so that new ones are simply appended and a search reads them without parsing.
 */

/** Five bytes of id, one of count, two of length. */
export const POSTING_BYTES = 8;
const MAX_COUNT = 0xff;
const MAX_LENGTH = 0xffff;
const LOW = 2 ** 32;

/** The passages whose postings of one word share a row: at most four kilobytes. */
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
