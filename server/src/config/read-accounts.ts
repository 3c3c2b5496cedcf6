/**
 * `accounts:` in the file: who pays, with which keys. Rules are read by the same code as the operator's API, field by
 * field.
 */
import {
  describe,
  type Environment,
  type Fields,
  isSlug,
  mistakes,
  pathText,
  readSecret,
  readToman,
  suggestion,
  UniqueIds,
} from '../catalog/reading/index.ts';
import { GatewayError } from '../core/errors.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import type { Money } from '../core/money.ts';
import {
  type AccountRules,
  isPlausibleKeyText,
  parseAccountRules,
  parseCalendar,
  parseKeyRules,
  UNLIMITED_ACCOUNT,
  UNLIMITED_KEY,
} from '../keys/index.ts';

interface DeclaredKey {
  id: string;
  name: string | undefined;
  text: string;
  /** The rules as the file has them, already validated. */
  rules: Json | undefined;
}

export interface DeclaredAccount {
  id: string;
  name: string;
  /** Opening credit, posted once. */
  balance: Money | undefined;
  rules: Json | undefined;
  calendar: Json | undefined;
  keys: DeclaredKey[];
}

export interface AccountTerms {
  env: Environment;
  modelIds: ReadonlySet<string>;
  groupIds: ReadonlySet<string>;
}

export function readAccounts(sections: Fields[], terms: AccountTerms): DeclaredAccount[] {
  const ids = new UniqueIds('account');
  const keyTexts = new Map<string, string>();
  return sections.flatMap((fields) => {
    const account = readAccount(fields, terms, ids, keyTexts);
    fields.finish();
    return account ? [account] : [];
  });
}

function readAccount(
  fields: Fields,
  terms: AccountTerms,
  ids: UniqueIds,
  keyTexts: Map<string, string>,
): DeclaredAccount | undefined {
  const id = fields.needText('id');
  if (id !== undefined && !isSlug(id)) fields.mistake('id', mistakes.slug);
  if (id !== undefined) ids.reserve(id, fields);
  const name = fields.text('name') ?? id ?? '';
  const balance = readToman(fields, 'balance');
  const rules = readRules(fields, UNLIMITED_ACCOUNT, (input) => parseAccountRules(input), terms);
  const calendar = fields.raw('calendar');
  if (calendar !== undefined) relay(fields, 'calendar', () => parseCalendar(calendar));
  const keyIds = new UniqueIds('key');
  const keys = fields.children('keys').flatMap((section) => {
    const key = readKey(section, rules.parsed, terms, keyIds, keyTexts);
    section.finish();
    return key ? [key] : [];
  });
  return id === undefined ? undefined : { id, name, balance, rules: rules.raw, calendar, keys };
}

function readKey(
  fields: Fields,
  account: AccountRules,
  terms: AccountTerms,
  ids: UniqueIds,
  keyTexts: Map<string, string>,
): DeclaredKey | undefined {
  const id = fields.needText('id');
  if (id !== undefined && !isSlug(id)) fields.mistake('id', mistakes.slug);
  if (id !== undefined) ids.reserve(id, fields);
  const { named, value: text } = readSecret(fields, 'key', terms.env);
  if (!named) fields.mistake('key', 'is required (or key_env)');
  if (text !== undefined && !isPlausibleKeyText(text))
    fields.mistake('key', 'is not an acceptable key text, or its checksum is wrong');
  if (text !== undefined && keyTexts.has(text)) fields.mistake('key', `is the same as at ${keyTexts.get(text)}`);
  if (text !== undefined) keyTexts.set(text, pathText(fields.at('key')));
  const { raw: rules } = readRules(fields, UNLIMITED_KEY, (input) => parseKeyRules(input, account), terms);
  const name = fields.text('name');
  return id === undefined || text === undefined ? undefined : { id, name, text, rules };
}

/** Parsed one field at a time, so that two wrong fields give two mistakes; then as a whole. */
function readRules<R>(
  fields: Fields,
  fallback: R,
  parse: (input: Json) => R,
  terms: AccountTerms,
): { raw: Json | undefined; parsed: R } {
  const raw = fields.raw('rules');
  if (raw === undefined) return { raw, parsed: fallback };
  if (!isJsonObject(raw)) {
    fields.mistake('rules', `must be a mapping, but is ${describe(raw)}`);
    return { raw: undefined, parsed: fallback };
  }
  let sound = true;
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined) continue;
    sound = relay(fields, 'rules', () => parse({ [name]: value })) && sound;
  }
  if (!sound) return { raw: undefined, parsed: fallback };
  warnAboutUnknownModels(fields, raw['models'], raw['default_model'], terms);
  return { raw, parsed: parse(raw) };
}

/** Turns a refusal of the rules' own reader into a mistake at its line of this file. */
function relay(fields: Fields, root: string, parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const steps = (error.options.param ?? root).split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const text = error.options.reason?.en ?? error.text('en');
    fields.report.mistake([...fields.path, ...steps], text.replace(/^'[^']*' /, '').replace(/\.$/, ''));
    return false;
  }
}

/** Only a warning: the operator may have made the model in the console. */
function warnAboutUnknownModels(
  fields: Fields,
  models: Json | undefined,
  defaultModel: Json | undefined,
  terms: AccountTerms,
): void {
  const check = (reference: Json | undefined, path: (string | number)[]) => {
    if (typeof reference !== 'string') return;
    const group = reference.startsWith('group:');
    const known = group ? terms.groupIds : terms.modelIds;
    const id = group ? reference.slice('group:'.length) : reference;
    if (known.has(id)) return;
    const message = `no ${group ? 'group' : 'model'} has the id "${id}" here${suggestion(id, known)}`;
    fields.report.warning([...fields.at('rules'), ...path], message);
  };
  check(defaultModel, ['default_model']);
  if (!Array.isArray(models)) return;
  for (const [index, reference] of models.entries()) check(reference, ['models', index]);
}
