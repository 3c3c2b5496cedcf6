/** What staff write down about an account for each other. */
import type { addNote, changeNote, listNotes } from '@dargah/api/admin/desk.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, usePages } from '../../api/read.ts';
import { Actor } from '../../parts/audit-log-table.tsx';
import { Id } from '../../parts/copyable.tsx';
import { Moment } from '../../parts/figures.tsx';
import { AreaField, Check, Form, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { MoreButton } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMe } from '../../session.tsx';
import { useStaffMay } from '../may.ts';
import { useDeskTexts } from './desk-texts.ts';

type Note = Result<typeof listNotes>['data'][number];

const STALE = ['GET /api/admin/accounts/:id/notes', 'GET /api/admin/accounts/:id/history'];

/** On a phone the notes are below everything else, so pinned ones are repeated above. */
export function PinnedNotes({ id }: { id: string }) {
  const list = useNotes(id);
  return list.rows
    ?.filter(({ pinned }) => pinned)
    .map((note) => (
      <p key={note.id} className="note is-quiet under only-s">
        <Icon name="pin" />
        <span dir="auto">{note.text}</span>
      </p>
    ));
}

function useNotes(id: string) {
  return usePages<typeof listNotes>('GET /api/admin/accounts/:id/notes', { params: { id }, query: { limit: 20 } });
}

export function Notes({ id }: { id: string }) {
  const texts = useDeskTexts();
  const mayWrite = useStaffMay<typeof addNote>(['owner', 'support', 'finance']);
  const list = useNotes(id);
  return (
    <Panel title={texts.notes} aside={<span className="xs dim">{texts.notSeen}</span>}>
      {list.error !== null && list.rows === undefined && <Trouble error={list.error} />}
      {list.rows?.length === 0 && <p className="pad dim">{texts.noNotes}</p>}
      {list.rows !== undefined && list.rows.length > 0 && (
        <ul className="notes">
          {list.rows.map((note) => (
            <OneNote key={note.id} account={id} note={note} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
      {list.more && (
        <div className="foot">
          <MoreButton more busy={list.loadingMore} onMore={list.onMore} />
        </div>
      )}
      {mayWrite && <NewNote id={id} />}
    </Panel>
  );
}

function OneNote({ account, note, mayWrite }: { account: string; note: Note; mayWrite: boolean }) {
  const texts = useDeskTexts();
  const { staff, person } = useMe();
  const change = useChange<typeof changeNote>('POST /api/admin/accounts/:id/notes/:note', { stale: STALE });
  const act = (name: 'pin' | 'unpin' | 'withdraw') =>
    change.mutate({ params: { id: account, note: note.id }, body: { act: name } });
  const isGone = note.withdrawn_at !== null;
  const mayWithdraw = staff?.role === 'owner' || note.author === `staff:${person.id}`;
  return (
    <li className={isGone ? 'gone' : note.pinned ? 'pinned' : undefined}>
      {/* Shown as plain text, so that a note can contain no markup. */}
      <p dir="auto">{note.text}</p>
      <div className="by">
        {note.pinned && <Icon name="pin" />}
        <span>
          {isGone && <>{texts.withdrawn} · </>}
          <Actor actor={note.author} name={note.author_name} forCustomer={false} /> · <Moment at={note.created_at} />
        </span>
        {note.request_id !== null && (
          <Link href={`/operator/requests/${note.request_id}`}>
            <Id value={note.request_id} />
          </Link>
        )}
        {mayWrite && !isGone && (
          <Menu
            label={texts.noteActs}
            items={[
              note.pinned
                ? { name: texts.doUnpin, run: () => act('unpin') }
                : { name: texts.doPin, run: () => act('pin') },
              ...(mayWithdraw ? [{ name: texts.withdraw, danger: true, run: () => act('withdraw') }] : []),
            ]}
          />
        )}
      </div>
    </li>
  );
}

function NewNote({ id }: { id: string }) {
  const texts = useDeskTexts();
  const [text, setText] = useState('');
  const [request, setRequest] = useState('');
  const [pinned, setPinned] = useState(false);
  const add = useChange<typeof addNote>('POST /api/admin/accounts/:id/notes', {
    quiet: true,
    stale: STALE,
    done() {
      setText('');
      setRequest('');
      setPinned(false);
    },
  });
  const inRequest = errorAt(add.error, 'request_id');
  const submit = () =>
    add.mutate({
      params: { id },
      body: { text: text.trim(), pinned, ...(request.trim() === '' ? {} : { request_id: request.trim() }) },
    });
  return (
    <Form className="pad under stack gap-s" label={texts.newNote} onSubmit={submit}>
      <AreaField
        label={texts.newNote}
        placeholder={texts.notePlaceholder}
        name="note"
        rows={2}
        maxLength={2000}
        value={text}
        onChange={setText}
        error={inRequest === undefined ? add.error?.message : undefined}
      />
      {text !== '' && (
        <TextField
          label={texts.ofRequest}
          name="request"
          dir="ltr"
          value={request}
          onChange={setRequest}
          error={inRequest}
        />
      )}
      <div className="row between">
        <Check checked={pinned} onChange={setPinned}>
          {texts.pin}
        </Check>
        <button type="submit" className="btn small" disabled={text.trim() === '' || add.isPending}>
          {texts.write}
        </button>
      </div>
    </Form>
  );
}
