/** The columns of an account's transfers, as its people and as staff see them. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Id } from './copyable.tsx';
import { AmountCell, Moment } from './figures.tsx';
import type { Column } from './table.tsx';

interface AccountTransfer {
  id: string;
  kind: string;
  amount: string;
  note: string | null;
  request_id: string | null;
  created_at: string;
}

const GIFT = 'gift-code ';

export function transferColumns({
  heads,
  kindName,
  giftName,
  requestsAt,
}: {
  heads: { time: string; kind: string; note: string; amount: string };
  kindName(kind: string): ReactNode;
  /** What a transfer by a gift code is called; without it, by its kind. */
  giftName?: string;
  /** `/console/requests`: where a request's receipt is. */
  requestsAt: string;
}): Column<AccountTransfer>[] {
  return [
    {
      id: 'created_at',
      head: heads.time,
      fold: 'c3',
      className: 'mid nowrap',
      cell: ({ created_at: at }) => <Moment at={at} />,
    },
    {
      id: 'kind',
      head: heads.kind,
      fold: 'c1',
      cell: ({ kind, note }) =>
        (note?.startsWith(GIFT) ? giftName : undefined) ?? kindName(kind) ?? <Id value={kind} />,
    },
    {
      id: 'note',
      head: heads.note,
      fold: 'c4',
      cell: ({ note, request_id: request }) =>
        request === null ? (
          note !== null && <NoteOf note={note.startsWith(GIFT) ? note.slice(GIFT.length) : note} />
        ) : (
          <Link href={`${requestsAt}/${request}`}>
            <Id value={request} />
          </Link>
        ),
    },
    {
      id: 'amount',
      head: heads.amount,
      number: true,
      fold: 'c2',
      cell: ({ amount }) => <AmountCell value={amount} tone={amount.startsWith('-') ? '' : 'good'} />,
    },
  ];
}

/** A code or the number of an order is one word; what a person wrote as a reason is text. */
function NoteOf({ note }: { note: string }) {
  return note.includes(' ') ? <bdi>{note}</bdi> : <Id value={note} />;
}
