/** The statements on documents and the files attached to them. */
import { column, command, orNull, statement } from '../platform/db/index.ts';

const documentFile = {
  id: column.text,
  name: column.text,
  type: column.text,
  bytes: column.int,
  createdBy: column.text,
  createdAt: column.timestamp,
};

export const FILES_OF_DOCUMENT = statement(
  documentFile,
  `select id, name, type, octet_length(data) as bytes, created_by as "createdBy", created_at as "createdAt"
   from document_file where document_id = $1 order by created_at, id`,
);

export const DOCUMENT_THERE = statement({}, `select from document where id = $1`);

export const DIGESTS_OF_FILES = statement(
  { digest: column.text },
  `select digest from document_file where document_id = $1`,
);

export const INSERT_FILE =
  command(`insert into document_file (id, document_id, name, type, digest, data, created_by, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`);

export const FILE_OF_DOCUMENT = statement(
  { name: column.text, data: column.bytes },
  `select name, data from document_file where document_id = $1 and id = $2`,
);

export const DOCUMENTS = statement(
  {
    id: column.text,
    kind: column.text,
    datedOn: column.text,
    number: orNull(column.text),
    party: orNull(column.text),
    note: orNull(column.text),
    createdBy: column.text,
    createdAt: column.timestamp,
    createdByName: orNull(column.text),
    amount: column.text,
  },
  `select found.*, person.name as "createdByName",
     (select coalesce(sum(amount), 0)::text from ledger_transfer where document_id = found.id) as amount
   from (
     select id, kind, to_char(dated_on, 'YYYY-MM-DD') as "datedOn", number, party, note, created_by as "createdBy", created_at as "createdAt"
     from document
     where ($1::text is null or kind = $1) and ($2::text is null or party = $2) and ($3::text is null or number = $3)
       and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
       and ($6::timestamptz is null or (created_at, id) < ($6, $7))
     order by created_at desc, id desc limit $8
   ) as found left join person on 'staff:' || person.id = found."createdBy"
   order by found."createdAt" desc, found.id desc`,
);

export const POSTED_OF_BOOK = statement(
  { posted: column.text },
  'select posted::text as posted from ledger_account where id = $1',
);
