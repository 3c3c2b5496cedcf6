import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpointAt } from '../../src/http/endpoint-at.ts';
import { openaiChatUpstream } from '../../src/protocols/index.ts';

interface Checker {
  regexesOf(text: string): string[];
  repeatsWithoutBound(regex: string): boolean;
}

const tools = join(import.meta.dirname, '../../../tools');
const { regexesOf, repeatsWithoutBound } = (await import(join(tools, 'check-regexes.mjs'))) as Checker;

describe('the check of regular expressions', () => {
  it('finds them in code and not in texts', () => {
    expect(regexesOf('const a = /x+$/g; const b = "/y+/"; // /z+/')).toEqual(['/x+$/g']);
  });

  it.each([
    ['/\\/+$/', true],
    ['/^a*b/', true],
    ['/a{3,}/', true],
    ['/a{0,5000}/', true],
    ['/[*+{2,}]/', false],
    ['/\\+\\*/', false],
    ['/a{0,20}b?/', false],
  ])('%s: may repeat without bound: %s', (regex, expected) => {
    expect(repeatsWithoutBound(regex)).toBe(expected);
  });

  it('lists no pattern as proved and as reviewed at once, and gives each review a reason', () => {
    const { linear, reviewed } = JSON.parse(readFileSync(join(tools, 'regexes.json'), 'utf8')) as {
      linear: string[];
      reviewed: Record<string, string>;
    };
    expect(linear.filter((regex) => reviewed[regex] !== undefined)).toEqual([]);
    for (const reason of Object.values(reviewed)) expect(reason.length).toBeGreaterThan(20);
  });
});

describe('texts that were slow', () => {
  it('an address of slashes', () => {
    const { endpoint } = endpointAt(`/api/v1/messages${'/'.repeat(2_000_000)}x${'/'.repeat(10)}`);
    expect(endpoint).toBe('messages');
  });

  it('an error page full of titles', () => {
    const page = `<html>${'<title'.repeat(500_000)}`;
    expect(openaiChatUpstream.decodeFailure(502, {}, page)).toMatchObject({ kind: 'server' });
    const told = openaiChatUpstream.decodeFailure(502, {}, '<html><head><TITLE lang="en"> Bad gateway </title>');
    expect(told.message).toBe('Bad gateway');
  });
});
