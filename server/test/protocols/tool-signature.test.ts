import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinToolSignature, splitToolSignature } from '../../src/protocols/tool-signature.ts';
import { identifier } from './arbitraries.ts';

describe('a signature that rides in a tool id', () => {
  it('comes back byte for byte, within the alphabet of ids', () => {
    const signature = fc.oneof(fc.base64String({ minLength: 4 }), fc.string({ unit: 'binary', minLength: 1 }));
    fc.assert(
      fc.property(identifier, signature, (id, text) => {
        const joined = joinToolSignature(id, text);
        expect(joined).toMatch(/^[a-zA-Z0-9_-]+$/);
        expect(splitToolSignature(joined)).toEqual({ id, signature: text });
      }),
    );
  });

  it('does not double the length of base64', () => {
    const signature = 'A'.repeat(4000);
    expect(joinToolSignature('call_1', signature).length).toBeLessThan(4020);
  });

  it('leaves ids without a signature alone', () => {
    expect(joinToolSignature('call_1', undefined)).toBe('call_1');
    for (const id of ['call_1', '__sig_bQUJD', 'x__sig_', 'x__sig_zQUJD', 'x__sig_bQ', 'x__sig_b!!!!', 'x__sig_t_w']) {
      expect(splitToolSignature(id)).toEqual({ id });
    }
  });
});
