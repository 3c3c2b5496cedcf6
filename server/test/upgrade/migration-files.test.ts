/** Released migrations are frozen and new ones only add: the files as they lie there, and the check that says so. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Files = Map<string, string>;
type Released = Record<string, Record<string, string>>;
interface Checker {
  faultsOf(sql: string, released: { tables: Set<string>; functions: Set<string> }): string[];
  folderFaults(files: Files, released: Released): string[];
  readFolder(): Files;
  readReleased(): Released;
  digest(sql: string): string;
}

const tools = join(import.meta.dirname, '../../../tools');
const { faultsOf, folderFaults, readFolder, readReleased, digest } = (await import(
  join(tools, 'check-migrations.mjs')
)) as Checker;

/** The files of 0.1.0 and their hashes, as others run them: this list is a second witness beside released.json. */
const FILES_OF_0_1_0 = 26;
const DIGEST_OF_0_1_0 = 'e0d4f7d26f06296e0d3759de4ece0798b10f75d000fbb5dce9e38eb84748a9dc';

describe('released migrations', () => {
  it('are as they were released, all there, and before every new one', () => {
    expect(folderFaults(readFolder(), readReleased())).toEqual([]);
  });

  it('of 0.1.0 are those that others run, whatever released.json says today', () => {
    const files = Object.entries(readReleased()['0.1.0'] ?? {});
    expect(files).toHaveLength(FILES_OF_0_1_0);
    expect(digest(JSON.stringify(files))).toBe(DIGEST_OF_0_1_0);
  });

  const files: Files = new Map([
    ['0001_a.sql', 'create table a (id int)'],
    ['0005_b.sql', 'create table b (id int)'],
  ]);
  const released = { '0.1.0': Object.fromEntries([...files].map(([name, sql]) => [name, digest(sql)])) };

  it('are refused when one changed', () => {
    const changed = new Map([...files, ['0001_a.sql', 'create table a (id bigint)']] as const);
    expect(folderFaults(changed, released)).toEqual(['0001_a.sql was released with 0.1.0 and has changed since']);
  });

  it('are refused when one vanished', () => {
    const fewer = new Map([...files].slice(1));
    expect(folderFaults(fewer, released)).toEqual(['0001_a.sql was released with 0.1.0 and is gone']);
  });

  it('are refused when a new one sorts before the last of them', () => {
    const early = new Map([...files, ['0004_early.sql', 'create table c (id int)']] as const);
    expect(folderFaults(early, released)).toEqual([
      '0004_early.sql sorts before 0005_b.sql, which is released: give it a higher number',
    ]);
  });

  it('leave room for new ones behind them', () => {
    const more = new Map([...files, ['0006_c.sql', 'create table c (id int)']] as const);
    expect(folderFaults(more, released)).toEqual([]);
  });
});

describe('a new migration', () => {
  const released = { tables: new Set(['wallet', 'log']), functions: new Set(['sums']) };

  it.each([
    ['drop table log', 'drops'],
    ['drop index if exists log_by_day', 'drops'],
    ['alter table log drop column day', 'drops'],
    ['alter table log drop day', 'drops a column'],
    ['alter table fresh drop column day', 'drops'],
    ['alter table log rename column day to date', 'renames'],
    ['alter table log rename to log_old', 'renames'],
    ['alter table log alter column day type text', 'type'],
    ['ALTER TABLE log ALTER day\n SET DATA TYPE text', 'type'],
    ['alter table log alter column day set not null', 'forbids null'],
    ['alter table log alter column day drop default', 'default'],
    ['alter table log add column place text not null', 'does not fill'],
    ['alter table log add column a text, add column b int not null', 'does not fill'],
    ['alter table log add column place uuid default gen_random_uuid()', 'rewritten'],
    ['alter table log add column place bigserial', 'rewritten'],
    ['alter table log add column twice int generated always as (day * 2) stored', 'rewritten'],
    ['alter table log add constraint small check (day < 10)', 'forbids rows'],
    ['alter table log add check (day < 10)', 'forbids rows'],
    ['alter table log add constraint one unique (day)', 'forbids rows'],
    ['alter table log drop constraint log_day_check', 'does not add a looser one'],
    ['create unique index on log (day)', 'forbids rows'],
    ['update log set day = 1', 'only what is null may be filled'],
    ['delete from log where day < 3', 'deletes'],
    ['truncate log', 'empties'],
    ['do $$ begin alter table log drop column day; end $$', 'drops'],
    ['create or replace function sums() returns int language sql as $$ select 2 $$', 'changes a function'],
    ['create index concurrently log_day on log (day)', 'transaction'],
  ])('is refused: %s', (sql, reason) => {
    expect(faultsOf(sql, released).join('\n')).toContain(reason);
  });

  it.each([
    ["create table fresh (id int primary key, name text not null unique check (name <> 'drop table log'))"],
    ['alter table log add column place text'],
    ["alter table log add column place text not null default '', add column n numeric(39) not null default 0"],
    ["alter table log add column place text check (place in ('a', 'b'))"],
    ['alter table log alter column day drop not null'],
    ['alter table log drop constraint log_kind_check, add constraint log_kind_check check (kind in (1, 2, 3))'],
    ['create index log_day on log (day) where day is not null'],
    ['alter table log add column document text; create unique index log_document on log (document)'],
    ['update log set place = 1 where place is null'],
    ['create table fresh (id int); alter table fresh alter column id set not null; delete from fresh'],
    ['-- drop table log\ninsert into wallet values (1) on conflict do nothing'],
    ['create function more() returns trigger language plpgsql as $$ begin delete from log; return null; end $$'],
    ['create trigger t before update or delete or truncate on fresh for each row execute function more()'],
  ])('is taken: %s', (sql) => {
    expect(faultsOf(sql, released)).toEqual([]);
  });
});
