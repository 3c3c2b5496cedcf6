/**
 * Fails on a migration that would lose somebody in an upgrade. Files of a released version never change, and new ones only add:
 * the version before runs beside this one on the same tables, and starts on them again after a way back.
 * server/migrations/released.json says which files are released; tools/release.mjs writes it.
 *
 *   node tools/check-migrations.mjs     what `npm run check` does
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('../server/migrations', import.meta.url));
const NAME = `(?:if (?:not )?exists )?(?:only )?"?([a-z0-9_]+)"?`;

/** Refused on every table: the version before still reads what would be gone. */
const NEVER = [
  [
    /\bdrop (table|column|index|function|view|materialized view|type|schema|sequence|trigger|extension|domain)\b/,
    'drops',
  ],
  [
    /\bdrop (?!not null|constraint|table|column|index|function|view|materialized|type|schema|sequence|trigger|extension|domain|default)(if exists )?[a-z_"]+/,
    'drops a column',
    'alter table',
  ],
  [/\bdrop default\b/, 'drops a default, and the version before relies on it'],
  [/\brename\b/, 'renames'],
  [/(?<!\bor )\btruncate\b/, 'empties a table'],
  [/\balter (column )?[a-z0-9_"]+ (set data )?type\b/, 'changes the type of a column'],
  [/\b(set schema|owner to|revoke|disable trigger|detach partition|inherit)\b/, 'takes away'],
  [/\bcluster\b|\bvacuum full\b/, 'rewrites a table'],
  [/\bconcurrently\b/, 'cannot be part of a transaction'],
];

/** On tables that a released version writes to. */
const NOT_ON_RELEASED = [
  [/\bset not null\b/, 'forbids null in a column that has been nullable'],
  [/\bset default\b/, 'changes what the version before leaves out'],
  [/\bdelete from\b/, 'deletes rows'],
  [/\badd (constraint [a-z0-9_"]+ )?(unique|primary key|foreign key|exclude)\b/, 'forbids rows that were allowed'],
  [/\badd check\b/, 'forbids rows that were allowed'],
];

const VOLATILE = /\b(gen_random_uuid|uuid_generate_v4|random|clock_timestamp|nextval)\s*\(/;

/** Statements in lower case with single spaces, without comments, texts and the bodies of functions. */
export function statementsOf(sql) {
  const plain = sql
    .replace(/--[^\n]*/g, ' ')
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .toLowerCase();
  // The body of a `do` is run now; that of a function later, by whoever calls it.
  const flat = plain.replace(/\$(\w*)\$([\s\S]*?)\$\1\$/g, (_whole, _tag, body, at) =>
    /\bdo\s+(language \w+\s+)?$/.test(plain.slice(0, at)) ? ` ${body} ` : "''",
  );
  return flat
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}

export function namesMadeBy(sql, kind) {
  const made = new RegExp(String.raw`\bcreate (?:or replace )?(?:unlogged )?${kind} ${NAME}`);
  return statementsOf(sql).flatMap((statement) => made.exec(statement)?.[1] ?? []);
}

/** What is wrong with a new migration, as sentences. `released`: names of tables and functions that released files made. */
export function faultsOf(sql, released) {
  const statements = statementsOf(sql);
  const added = new Set(statements.flatMap((one) => columnsAdded(one)));
  const readded = new Set(statements.flatMap((one) => namesAdded(one)));
  return statements.flatMap((statement) => {
    const say = (what) => `${what}: ${statement.slice(0, 100)}`;
    const faults = NEVER.filter(([word, , within = '']) => statement.startsWith(within) && word.test(statement));
    const table = tableOf(statement);
    if (table !== undefined && released.tables.has(table))
      faults.push(...NOT_ON_RELEASED.filter(([word]) => word.test(statement)));
    const more = [
      ...columnFaults(statement, table, released),
      ...constraintFaults(statement, table, released, readded),
      ...writeFaults(statement, table, released),
      ...uniqueFaults(statement, table, released, added),
    ];
    return [...faults.map(([, what]) => say(what)), ...more.map(say)];
  });
}

/** An index can be begun again after a kill; anything else could be done twice. */
function onlineFaults(sql) {
  return statementsOf(sql)
    .filter((statement) => !/^create index concurrently if not exists [a-z0-9_]+ on [a-z0-9_]+ \(/.test(statement))
    .map((statement) => `is online, and only indexes can be: ${statement.slice(0, 100)}`);
}

function tableOf(statement) {
  const on = new RegExp(`^(?:alter table|update|delete from|insert into) ${NAME}`).exec(statement);
  const indexed = /^create (?:unique )?index (?:.*? )?on (?:only )?"?([a-z0-9_]+)"?/.exec(statement);
  return on?.[1] ?? indexed?.[1];
}

function columnFaults(statement, table, { tables }) {
  if (!statement.startsWith('alter table') || !tables.has(table)) return [];
  return clausesOf(statement).flatMap((clause) => {
    if (!/\badd (column )?(if not exists )?(?!constraint|check|unique|primary|foreign|exclude)/.test(clause)) return [];
    const faults = [];
    const given = /\bdefault (?!null\b)/.test(clause);
    if (/\bnot null\b/.test(clause) && !given) faults.push('adds a column that the version before does not fill');
    if (VOLATILE.test(clause) || /\b(big|small)?serial\b|\bgenerated\b/.test(clause))
      faults.push('adds a column whose value is worked out for every row: the table is rewritten');
    if (/\bprimary key\b/.test(clause) || (/\bunique\b/.test(clause) && given))
      faults.push('adds a column that must differ in every row');
    return faults;
  });
}

/** A check may be loosened: dropped and added again under its name, in one file. That it is looser is compared by a test. */
function constraintFaults(statement, table, { tables }, readded) {
  if (!tables.has(table)) return [];
  const dropped = [...statement.matchAll(new RegExp(String.raw`\bdrop constraint ${NAME}`, 'g'))].map(
    ([, name]) => name,
  );
  const added = /\badd constraint "?([a-z0-9_]+)"? check\b/.exec(statement)?.[1];
  return [
    ...dropped
      .filter((name) => !readded.has(name))
      .map(() => 'drops a constraint and does not add a looser one of its name'),
    ...(added !== undefined && !readded.has(added) ? ['forbids rows that were allowed'] : []),
  ];
}

/** Constraints that a statement drops and adds again. */
function namesAdded(statement) {
  const names = (verb) =>
    new Set([...statement.matchAll(new RegExp(String.raw`\b${verb} constraint ${NAME}`, 'g'))].map(([, name]) => name));
  const added = names('add');
  return [...names('drop')].filter((name) => added.has(name));
}

function writeFaults(statement, table, { tables, functions }) {
  const replaced = new RegExp(`^create or replace function ${NAME}`).exec(statement)?.[1];
  if (replaced !== undefined && functions.has(replaced)) return ['changes a function that the version before calls'];
  if (statement.startsWith('update ') && tables.has(table) && !/\bwhere\b.*\bis null\b/.test(statement))
    return ['changes written values; only what is null may be filled'];
  return [];
}

/** Rows of the version before have null in a new column, and nulls differ from each other. */
function uniqueFaults(statement, table, { tables }, added) {
  const columns = /^create unique index (?:.*? )?on [^(]*\(([^)]*)\)/.exec(statement)?.[1];
  if (columns === undefined || !tables.has(table)) return [];
  const isNew = columns.split(',').some((column) => added.has(`${table}.${column.trim().split(' ')[0]}`));
  return isNew ? [] : ['forbids rows that were allowed'];
}

function columnsAdded(statement) {
  const table = tableOf(statement);
  if (table === undefined || !statement.startsWith('alter table')) return [];
  return [...statement.matchAll(/\badd column (?:if not exists )?"?([a-z0-9_]+)"?/g)].map(
    ([, name]) => `${table}.${name}`,
  );
}

/** The clauses of one statement: split at commas outside of brackets. */
function clausesOf(statement) {
  const clauses = [''];
  let depth = 0;
  for (const letter of statement) {
    if (letter === '(') depth++;
    if (letter === ')') depth--;
    if (letter === ',' && depth === 0) clauses.push('');
    else clauses[clauses.length - 1] += letter;
  }
  return clauses;
}

/** What is wrong with a folder of migrations. */
export function folderFaults(files, released) {
  const hashes = new Map();
  for (const [version, listed] of Object.entries(released))
    for (const [name, hash] of Object.entries(listed)) hashes.set(name, { version, hash });
  const faults = [];
  for (const [name, { version, hash }] of hashes) {
    const sql = files.get(name);
    if (sql === undefined) faults.push(`${name} was released with ${version} and is gone`);
    else if (digest(sql) !== hash) faults.push(`${name} was released with ${version} and has changed since`);
  }
  const last = [...hashes.keys()].sort().at(-1) ?? '';
  const old = [...hashes.keys()].map((name) => files.get(name) ?? '');
  const names = {
    tables: new Set(old.flatMap((sql) => namesMadeBy(sql, 'table'))),
    functions: new Set(old.flatMap((sql) => namesMadeBy(sql, 'function'))),
  };
  for (const [name, sql] of files) {
    if (hashes.has(name)) continue;
    if (name < last) faults.push(`${name} sorts before ${last}, which is released: give it a higher number`);
    const found = name.endsWith('.online.sql') ? onlineFaults(sql) : faultsOf(sql, names);
    faults.push(...found.map((fault) => `${name} ${fault}`));
  }
  return faults;
}

export function digest(sql) {
  return createHash('sha256').update(sql).digest('hex');
}

export function readFolder(path = folder) {
  const names = readdirSync(path).filter((name) => name.endsWith('.sql'));
  return new Map(names.sort().map((name) => [name, readFileSync(join(path, name), 'utf8')]));
}

export function readReleased(path = folder) {
  return JSON.parse(readFileSync(join(path, 'released.json'), 'utf8'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const faults = folderFaults(readFolder(), readReleased());
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error('Migrations only add (docs/operations/upgrade.md, CONTRIBUTING.md).');
    process.exit(1);
  }
}
