/** Passwords that are guessed first, however they are written. */
import { describe, expect, it } from 'vitest';
import { refuseWeakPassword } from '../../src/people/weak-passwords.ts';

const KNOWN = ['سارا احمدی', 'Sara Ahmadi', '09121234567', 'sara.ahmadi@example.com'];
const refused = (password: string) => {
  try {
    refuseWeakPassword(password, KNOWN);
    return null;
  } catch (error) {
    return (error as { options: { param: string } }).options.param;
  }
};

describe('a password that is refused', () => {
  it.each([
    '1234567890',
    '۱۲۳۴۵۶۷۸۹۰',
    '１２３４５６７８９０',
    'password123',
    'PASSWORD123',
    'p@ssw0rd!23',
    'Password1234567',
    'qwertyuiop',
    'qwerty123456',
    '1q2w3e4r5t',
    'aaaaaaaaaaaa',
    '1212121212',
    'abcabcabcabc',
    'iloveyou2024',
    'persepolis!',
    'استقلال۱۲۳۴',
    'ضصثقفغعهخح',
    'passwordpassword',
  ])('%s: everybody has it', (password) => expect(refused(password)).toBe('password'));

  it.each([
    '09121234567',
    '۰۹۱۲۱۲۳۴۵۶۷',
    '٠٩١٢١٢٣٤٥٦٧',
    '०९१२१२३४५६७',
    '０９１２１２３４５６７',
    '+989121234567',
    '0912-123-4567!',
    '9121234567a',
    'sara.ahmadi@example.com',
    'SaraAhmadi1403',
    'sara-ahmadi-99',
    'سارا احمدی ۹۹',
    'سارااحمدي12',
  ])('%s: it is their own name', (password) => expect(refused(password)).toBe('password'));
});

describe('a password that is taken', () => {
  it.each([
    'the blue bicycle',
    'correct horse battery',
    'Tr4verse-Moss-Lantern',
    'گربهٔ آبی روی دیوار',
    'sunshine-48291736-over',
    'k3J9#mQ2!x',
    'sara likes long walks at night',
    '8301947562',
  ])('%s', (password) => expect(refused(password)).toBeNull());
});
