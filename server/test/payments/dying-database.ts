/** A database whose caller dies now and then: before a statement or a transaction, or after its commit. */
import type { Database } from '../../src/platform/db/index.ts';

export class ProcessDied extends Error {}

export function dyingDatabase(db: Database, dies: () => boolean): Database {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dies()) throw new ProcessDied('before');
    const result = await work();
    if (dies()) throw new ProcessDied('after');
    return result;
  };
  return {
    kind: db.kind,
    query: (text, values, options) => around(() => db.query(text, values, options)),
    transaction: (work) => around(() => db.transaction(work)),
    report: (work, options) => around(() => db.report(work, options)),
    session: (work) => around(() => db.session(work)),
    publish: (tx, topic, id) => db.publish(tx, topic, id),
    subscribe: (topic, onChange, lost) => db.subscribe(topic, onChange, lost),
    healthy: () => db.healthy(),
    close: () => db.close(),
  };
}
