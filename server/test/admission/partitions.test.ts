/** The partitions of a cluster are part of the layout: replicas that went by others would count apart. */
import { expect, it } from 'vitest';
import { PARTITION_TAGS, PARTITIONS, partitionOf, slotOf } from '../../src/admission/redis/partitions.ts';

it('slots are those of Redis Cluster', () => {
  // The check value of CRC16 (XMODEM), 0x31C3.
  expect(slotOf('123456789')).toBe(12_739);
});

it('every partition has one tag, in its own part of the slots', () => {
  expect(PARTITION_TAGS.map((tag) => partitionOf(tag))).toEqual(Array.from({ length: PARTITIONS }, (_, n) => n));
  expect(new Set(PARTITION_TAGS).size).toBe(64);
});
