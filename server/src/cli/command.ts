/** Defines a command: its arguments, its options, and what it does with the operator API. */
import { readFile } from 'node:fs/promises';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { type Options, UsageError } from './arguments.ts';
import type { AdminClient } from './client.ts';
import { renderRecord, renderTable, type TableColumn } from './table.ts';

export interface Context {
  api: AdminClient;
  words: readonly string[];
  options: Options;
  json: boolean;
  print(text: string): void;
  /** Standard input, for secrets that must not appear in the process list. */
  readInput(): Promise<string>;
}

export interface Command {
  /** After `dargah <noun>`: `create --name NAME`. */
  usage: string;
  summary: string;
  /** Returns the exit code; undefined is 0. */
  run(context: Context): Promise<number | undefined>;
}

export interface Noun {
  summary: string;
  /** Explains options that several verbs share. */
  notes?: readonly string[];
  verbs: Record<string, Command>;
}

function word(context: Context, index: number, name: string): string {
  const value = context.words[index];
  if (value === undefined) throw new UsageError(`${name} is missing`);
  return value;
}

/** Encodes a value as one segment of a path. */
export function step(context: Context, index: number, name: string): string {
  return encodeURIComponent(word(context, index, name));
}

/** A model's id keeps its slash, because it fills two segments of the path. */
export function modelSteps(context: Context, index: number): string {
  return word(context, index, 'MODEL').split('/').map(encodeURIComponent).join('/');
}

export function showRecord(context: Context, record: JsonObject): undefined {
  context.print(context.json ? JSON.stringify(record, null, 2) : renderRecord(record));
}

export function showList(context: Context, list: JsonObject, columns: readonly TableColumn[]): undefined {
  if (context.json) {
    context.print(JSON.stringify(list, null, 2));
    return;
  }
  context.print(renderTable((list['data'] ?? []) as JsonObject[], columns));
  if (typeof list['next'] === 'string') context.print(`more: --after ${list['next']}`);
}

/** `--limit`, `--after` and the named options as a query string. */
export function query({ options }: Context, ...names: string[]): string {
  const query = new URLSearchParams();
  for (const name of ['limit', 'after', ...names]) {
    const value = options.text(name);
    if (value !== undefined) query.set(name.replace(/-/g, '_'), value);
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** `--body` contains JSON, or names a file of it as `@path`. */
export async function bodyOption({ options }: Context): Promise<JsonObject> {
  const option = options.text('body');
  if (option === undefined) return {};
  const text = option.startsWith('@') ? await readFile(option.slice(1), 'utf8') : option;
  const body = parseTrustedJson(text);
  if (!isJsonObject(body)) throw new UsageError('--body must be a JSON object, or @file with one');
  return body;
}

/** A secret as given, or from standard input when it is `-`. */
export async function secretOption(context: Context, name: string): Promise<string | undefined> {
  const value = context.options.text(name);
  return value === '-' ? (await context.readInput()).trim() : value;
}
