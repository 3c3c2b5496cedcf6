import { describe, expect, it } from 'vitest';
import { callerOf, networkOf, widestNetworkOf } from '../../src/core/caller-network.ts';

describe('whom limits count', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', '192.0.2.0/24', '192.0.2.0/24'],
    ['2001:db8:7:1::5', '2001:db8:7:1::/64', '2001:db8:7:1::/64', '2001:db8:7::/48'],
    ['2001:0DB8:0007:0001:ffff:ffff:ffff:ffff', '2001:db8:7:1::/64', '2001:db8:7:1::/64', '2001:db8:7::/48'],
    ['::1', '0:0:0:0::/64', '0:0:0:0::/64', '0:0:0::/48'],
    ['fe80::1:2:3:4', 'fe80:0:0:0::/64', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
  ])('%s', (address, caller, network, widest) =>
    expect([callerOf(address), networkOf(address), widestNetworkOf(address)]).toEqual([caller, network, widest]),
  );
});
