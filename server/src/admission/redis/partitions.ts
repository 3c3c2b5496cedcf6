/**
 * Where counters live in a cluster of Redis. A script runs on one node and over keys of one slot, so everything that one reservation
 * takes has one hash tag: that of its account. There are as many tags as partitions, each in its own part of the slots, and an
 * account has the tag of the part in which its own name lies. Accounts share a tag because a script must know which replicas live:
 * that is one key beside the counters, and a heartbeat into every account would grow with the accounts (ADR 0082).
 */
import type { Home } from '../admission.ts';

/** Part of the layout: all replicas must go by the same number. */
export const PARTITIONS = 64;
const SLOTS = 16_384;
const SLOTS_PER_PARTITION = SLOTS / PARTITIONS;
const CRC16: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc & 0xffff;
});

export function partitionOf(home: Home): number {
  return Math.floor(slotOf(home) / SLOTS_PER_PARTITION);
}

/** The hash tag of each partition: the first name whose slot belongs to it. */
export const PARTITION_TAGS: readonly string[] = findTags();

function findTags(): string[] {
  const tags = new Map<number, string>();
  for (let n = 0; tags.size < PARTITIONS; n++) {
    const tag = `dargah-${n}`;
    const partition = partitionOf(tag);
    if (!tags.has(partition)) tags.set(partition, tag);
  }
  return Array.from({ length: PARTITIONS }, (_, partition) => tags.get(partition) ?? '');
}

/** The slot of a key as Redis Cluster computes it: CRC16 (XMODEM) of the text between the braces. */
export function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) crc = ((crc << 8) ^ (CRC16[((crc >> 8) ^ byte) & 0xff] ?? 0)) & 0xffff;
  return crc % SLOTS;
}
