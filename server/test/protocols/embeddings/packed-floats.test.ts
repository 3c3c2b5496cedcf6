import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packFloats, unpackBytes, unpackFloats } from '../../../src/protocols/embeddings/packed-floats.ts';

const vector = fc.array(fc.float({ noNaN: true }), { minLength: 1, maxLength: 64 });

describe('packed floats', () => {
  it('come back exactly', () => {
    fc.assert(
      fc.property(vector, (numbers) => {
        expect(unpackFloats(packFloats(numbers))).toEqual(new Float32Array(numbers));
      }),
    );
  });

  it('are what the platform itself calls little-endian floats, long vectors too', () => {
    const numbers = Array.from({ length: 5000 }, (_, at) => Math.fround(Math.sin(at)));
    const bytes = Buffer.alloc(numbers.length * 4);
    for (const [at, number] of numbers.entries()) bytes.writeFloatLE(number, at * 4);
    expect(packFloats(numbers)).toBe(bytes.toString('base64'));
  });

  it('are refused when they are no base64, nothing, or no whole number of floats', () => {
    for (const broken of ['', '***', btoa('abc')]) expect(unpackFloats(broken)).toBeUndefined();
  });

  it('may be signed bytes', () => {
    expect(unpackBytes(Buffer.from([1, 255, 128]).toString('base64'), true)).toEqual([1, -1, -128]);
  });
});
