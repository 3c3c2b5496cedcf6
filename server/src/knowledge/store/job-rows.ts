/** The queue of documents to read. A lease records who works on what; it runs out when its holder dies. */
import type { Text } from '@dargah/core/text.ts';
import { column, command, orNull, type Queryable, type RowOf, statement } from '../../platform/db/index.ts';

const jobRow = {
  documentId: column.text,
  baseId: column.text,
  accountId: column.text,
  embeddingModel: orNull(column.text),
  name: column.text,
  url: orNull(column.text),
  mediaType: orNull(column.text),
  /** 0 for an address that is still to be fetched. */
  bytes: column.float,
  revision: column.int,
  drafted: column.boolean,
  /** Including this one. */
  attempts: column.int,
};
export type Job = RowOf<typeof jobRow>;

export const DOCUMENTS_WAITING = statement({}, 'select from knowledge_job where run_after <= now()');
const LEASE_JOB = statement(
  jobRow,
  `with next as (
     select document_id from knowledge_job
      where run_after <= now() and (leased_until is null or leased_until < now())
      order by seq for update skip locked limit 1),
   taken as (
     update knowledge_job j set leased_by = $1, leased_until = now() + $2 * interval '1 millisecond', attempts = attempts + 1
       from next where j.document_id = next.document_id returning j.*)
   select t.document_id as "documentId", d.base_id as "baseId", b.account_id as "accountId",
          b.embedding_model as "embeddingModel", d.name, d.url, d.media_type as "mediaType",
          d.bytes::float8 as bytes, t.revision, t.drafted, t.attempts
     from taken t join knowledge_document d on d.id = t.document_id join knowledge_base b on b.id = d.base_id`,
);

/** The oldest job that nobody holds. Times are the database's, because the clocks of replicas differ. */
export async function leaseJob(db: Queryable, holder: string, leaseMs: number): Promise<Job | undefined> {
  return LEASE_JOB.first(db, [holder, leaseMs]);
}

const RENEW_LEASE = statement(
  { document_id: column.text },
  `update knowledge_job set leased_until = now() + $4 * interval '1 millisecond'
    where document_id = $1 and revision = $2 and leased_by = $3 returning document_id`,
);

/** False when the job is no longer ours: the document was deleted or replaced, or the lease ran out and another took it. */
export async function renewLease(db: Queryable, job: Job, holder: string, leaseMs: number): Promise<boolean> {
  const rows = await RENEW_LEASE.rows(db, [job.documentId, job.revision, holder, leaseMs]);
  return rows.length === 1;
}

const MARK_DRAFTED = statement(
  { document_id: column.text },
  'update knowledge_job set drafted = true where document_id = $1 and revision = $2 and leased_by = $3 returning document_id',
);

export async function markDrafted(tx: Queryable, job: Job, holder: string): Promise<boolean> {
  const rows = await MARK_DRAFTED.rows(tx, [job.documentId, job.revision, holder]);
  return rows.length === 1;
}

const FINISH_JOB = statement(
  { document_id: column.text },
  'delete from knowledge_job where document_id = $1 and revision = $2 and leased_by = $3 returning document_id',
);

export async function finishJob(tx: Queryable, job: Job, holder: string): Promise<boolean> {
  const rows = await FINISH_JOB.rows(tx, [job.documentId, job.revision, holder]);
  return rows.length === 1;
}

const POSTPONE_JOB = command(
  `update knowledge_job set leased_by = null, leased_until = null, run_after = now() + $4 * interval '1 millisecond'
    where document_id = $1 and revision = $2 and leased_by = $3`,
);

export async function postponeJob(db: Queryable, job: Job, holder: string, delayMs: number): Promise<void> {
  await POSTPONE_JOB.run(db, [job.documentId, job.revision, holder, delayMs]);
}

const FAIL_DOCUMENT = command(
  `update knowledge_document set state = 'failed', reason = $3, updated_at = now() where id = $1 and revision = $2`,
);
const DELETE_DRAFTS_OF_JOB = command('delete from knowledge_passage where document_id = $1 and not live');
const DELETE_CONTENT_OF_JOB = command('delete from knowledge_content where document_id = $1');

/** The document keeps the passages of its former content, if it had any. */
export async function failDocument(tx: Queryable, job: Job, reason: Text): Promise<void> {
  await FAIL_DOCUMENT.run(tx, [job.documentId, job.revision, JSON.stringify(reason)]);
  await DELETE_DRAFTS_OF_JOB.run(tx, [job.documentId]);
  await DELETE_CONTENT_OF_JOB.run(tx, [job.documentId]);
}

const RELEASE_ALL_LEASES = command(
  'update knowledge_job set leased_by = null, leased_until = null where leased_by is not null',
);

/** Call this only when no other process can be alive: an embedded database belongs to one process. */
export async function releaseAllLeases(db: Queryable): Promise<void> {
  await RELEASE_ALL_LEASES.run(db);
}
