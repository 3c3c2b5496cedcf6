import { CALENDAR_FIELDS, KEY_RULE_FIELDS } from '@dargah/core/fields/index.ts';
import { describe, expect, it } from 'vitest';
import { Options } from '../../src/cli/arguments.ts';
import { optionsHelp, typedFields } from '../../src/cli/field-options.ts';
import { parseKeyRules, UNLIMITED_ACCOUNT, UNLIMITED_KEY } from '../../src/keys/index.ts';

const typed = (line: string, table: Parameters<typeof typedFields>[0] = KEY_RULE_FIELDS) => {
  const words = line.split(' ');
  const options = new Options(
    new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word.slice(2), words[at + 1] ?? '']] : []))),
  );
  const given = typedFields(table, options);
  options.refuseUnread();
  return given;
};

describe('declared fields as options', () => {
  it('are read by their kinds, and only those that were typed', () => {
    expect(typed('--rpm 60 --daily 1_000 --monthly none --models a/b,group:x --paused true --expires none')).toEqual({
      rpm: 60,
      caps: { daily: '1000', monthly: null },
      models: ['a/b', 'group:x'],
      paused: true,
      expires_at: null,
    });
    expect(typed('--default-model none --tpm 0')).toEqual({ default_model: null, tpm: 0 });
    expect(typed('--time-zone Asia/Tehran --month gregorian', CALENDAR_FIELDS)).toEqual({
      time_zone: 'Asia/Tehran',
      month: 'gregorian',
    });
    expect(typedFields(KEY_RULE_FIELDS, new Options(new Map()))).toBeUndefined();
  });

  it('name no option twice, and what the help shows of them is understood', () => {
    const options = optionsHelp(KEY_RULE_FIELDS).split('  ');
    const names = options.map((option) => option.split(' ')[0] ?? '');
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('--daily');
    const lifted = options.map((option) => option.replace('true|false', 'false').replace(/ (?!false).*$/, ' none'));
    expect(parseKeyRules(typed(lifted.join(' ')) as never, UNLIMITED_ACCOUNT)).toEqual(UNLIMITED_KEY);
  });
});
