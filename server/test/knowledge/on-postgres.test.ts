/** On a PostgreSQL server: exact vector search where pgvector is missing, and one queue for several replicas. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/knowledge/index.ts';
import { createGate } from '../fake-vendor/index.ts';
import { eventually } from '../services/eventually.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { type KnowledgeReplica, OWNER, prepareDatabase, startReplica, textDocument } from './knowledge-replica.ts';

/** What a replica that hangs holds up; a busy machine must not hang for as long. */
const LEASE_MS = 6_000;

describe.skipIf(postgresMissing())('knowledge on PostgreSQL without pgvector', () => {
  let postgres: PostgresService;
  let databaseUrl: string;
  const replicas: KnowledgeReplica[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
    databaseUrl = await postgres.createDatabase();
    await prepareDatabase(databaseUrl);
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await postgres?.remove();
  });

  async function start(embed: Embedder['embed'], leaseMs?: number): Promise<KnowledgeReplica> {
    const replica = await startReplica({ databaseUrl, embed, ...(leaseMs === undefined ? {} : { leaseMs }) });
    replicas.push(replica);
    return replica;
  }

  const statesOf = async ({ service }: KnowledgeReplica, base: string) =>
    (await service.listDocuments(OWNER, base, { limit: 50 })).items.map(({ state }) => state);
  const untilReady = (replica: KnowledgeReplica, base: string) =>
    eventually(async () => expect(new Set(await statesOf(replica, base))).toEqual(new Set(['ready'])));

  /** Twice as far along an axis for each word of its meaning: nearness in meaning, where no letters are shared. */
  const MEANINGS = [/car\b|automobile|خودرو/i, /tea\b|drink|چای/i, /leave\b|holiday|مرخصی/i];
  const byMeaning: Embedder['embed'] = async ({ texts }) =>
    texts.map((text) => Float32Array.from(MEANINGS, (meaning) => (meaning.test(text) ? 2 : 0.1)));

  it('finds by meaning what no word finds, by words what no vector tells, and sees a replaced document', async () => {
    const replica = await start(byMeaning);
    const [column] = await replica.db.query<{ type: string }>(
      `select udt_name as type from information_schema.columns where table_name = 'knowledge_vector' and column_name = 'embedding'`,
    );
    expect(column?.type).toBe('bytea');
    await replica.start();
    const { id } = await replica.service.createBase(OWNER, { name: 'Meaning', embeddingModel: 'any' });
    const add = (name: string, text: string) => replica.service.addDocument(OWNER, id, textDocument(name, text));
    await add('1.txt', 'Every car stands behind the house.');
    await add('2.txt', 'We serve tea at four.');
    await add('3.txt', 'Annual leave is granted by Zarrin.');
    await add('4.txt', 'Unpaid leave is granted by Parviz.');
    await untilReady(replica, id);
    const ask = async (question: string) =>
      (await replica.service.search(OWNER, id, question, 4)).map(({ text }) => text);
    expect((await ask('automobile'))[0]).toContain('car stands');
    expect((await ask('خودرو'))[0]).toContain('car stands');
    // Both leaves mean the same to the vectors; the name decides.
    expect((await ask('holiday Parviz'))[0]).toContain('Parviz');
    await add('1.txt', 'Bicycles stand behind the house.');
    await add('2.txt', 'We serve tea at four, and a car brings it.');
    await untilReady(replica, id);
    expect((await ask('automobile'))[0]).toContain('a car brings it');
    const [stored] = await replica.db.query<{ vectors: number; passages: number }>(
      `select (select count(*)::int from knowledge_vector where base_id = $1) as vectors,
              (select count(*)::int from knowledge_passage where base_id = $1) as passages`,
      [id],
    );
    expect(stored).toEqual({ vectors: 4, passages: 4 });
    await replica.close();
    replicas.length = 0;
  });

  it('is read by two replicas together, and what one of them left lying by the other, once', async () => {
    const embedded: { by: string; text: string }[] = [];
    const here = { a: createGate(), b: createGate() };
    const hang = createGate();
    let hanging = false;
    const embedder =
      (by: 'a' | 'b'): Embedder['embed'] =>
      async ({ texts }) => {
        // Each waits for the other: both work, or neither gets on.
        here[by].open();
        await Promise.all([here.a.pass(), here.b.pass()]);
        for (const text of texts) embedded.push({ by, text });
        if (hanging) await (by === 'a' ? hang.pass() : hang.reached);
        return texts.map(() => Float32Array.of(1, 0));
      };
    const [a, b] = [await start(embedder('a'), LEASE_MS), await start(embedder('b'), LEASE_MS)];
    const { id: base } = await a.service.createBase(OWNER, { name: 'Shared', embeddingModel: 'any' });
    const add = (at: number) => a.service.addDocument(OWNER, base, textDocument(`${at}.txt`, `Document number ${at}.`));
    for (let at = 0; at < 6; at++) await add(at);
    await Promise.all([a.start(), b.start()]);
    await untilReady(b, base);
    expect(embedded).toHaveLength(6);
    expect(new Set(embedded.map(({ text }) => text)).size).toBe(6);
    expect(new Set(embedded.map(({ by }) => by))).toEqual(new Set(['a', 'b']));

    hanging = true;
    embedded.length = 0;
    for (let at = 6; at < 10; at++) await add(at);
    await hang.reached;
    a.freeze();
    await untilReady(b, base);
    const left = embedded.filter(({ by }) => by === 'a');
    expect(left).toHaveLength(1);
    expect(embedded.filter(({ by }) => by === 'b')).toHaveLength(4);
    expect(embedded.filter(({ text }) => text === left[0]?.text).map(({ by }) => by)).toEqual(['a', 'b']);

    // The lost one comes back and goes on where it was: it must find that the document is no longer its own. It does one
    // after the other, so once it has read the next one, alone, it is done with that.
    a.thaw();
    b.stop();
    hang.open();
    await add(10);
    await untilReady(a, base);
    const [count] = await b.db.query<{ passages: number; vectors: number; jobs: number; counted: number }>(
      `select (select count(*)::int from knowledge_passage where base_id = $1 and live) as passages,
              (select count(*)::int from knowledge_vector where base_id = $1) as vectors,
              (select count(*)::int from knowledge_job) as jobs,
              (select passages::int from knowledge_base where id = $1) as counted`,
      [base],
    );
    expect(count).toEqual({ passages: 11, vectors: 11, jobs: 0, counted: 11 });
  });
});
