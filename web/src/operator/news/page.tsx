/** Announcements for customers, and incidents for the status page. */

import type {
  announce,
  deleteAnnouncement,
  listAnnouncements,
  listIncidents,
  openIncident,
  updateIncident,
} from '@dargah/api/admin/support.ts';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { AskingButton } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, SelectField, TextField } from '../../parts/form.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { BothFields, bodyOf, complete, NOTHING } from './both-fields.tsx';
import { IncidentUpdate } from './incident-update.tsx';
import { useOutageDraft } from './outage-draft.ts';
import { useNewsTexts } from './texts.ts';

const ANNOUNCED = ['GET /api/admin/announcements'];

export default function NewsPage() {
  const texts = useTexts();
  const own = useNewsTexts();
  return (
    <>
      <PageHead title={texts.nav.news} lead={own.noNewsText} />
      <div className="stack">
        <Announcements />
        <Incidents />
      </div>
    </>
  );
}

function Announcements() {
  const texts = useTexts();
  const own = useNewsTexts();
  const { language } = useFormat();
  const mayAdd = useStaffMay<typeof announce>(['owner', 'support']);
  const mayRemove = useStaffMay<typeof deleteAnnouncement>(['owner', 'support']);
  const rows = useRead<typeof listAnnouncements>('GET /api/admin/announcements', {}).data?.data;
  const remove = useChange<typeof deleteAnnouncement>('DELETE /api/admin/announcements/:id', { stale: ANNOUNCED });
  return (
    <Panel title={own.announcements}>
      {mayAdd && <Announce />}
      {rows?.length === 0 && <Empty title={own.noNews} text={own.noNewsText} />}
      {rows?.map((row) => (
        <article key={row.id} className="talk-line">
          <div className="row between">
            <h3 dir="auto">{row.title[language]}</h3>
            {mayRemove && (
              <AskingButton
                title={own.removeTitle(row.title[language])}
                text={own.removeText}
                onConfirm={() => remove.mutate({ params: { id: row.id } })}
              >
                {texts.remove}
              </AskingButton>
            )}
          </div>
          <p dir="auto">{row.text[language]}</p>
          <span className="xs dim">
            <Moment at={row.from} exact />
          </span>
        </article>
      ))}
    </Panel>
  );
}

function Announce() {
  const own = useNewsTexts();
  const [draft, setDraft] = useState(NOTHING);
  const add = useChange<typeof announce>('POST /api/admin/announcements', {
    stale: ANNOUNCED,
    done: () => setDraft(NOTHING),
  });
  return (
    <Form className="pad stack gap-m" label={own.announce} onSubmit={() => add.mutate({ body: bodyOf(draft) })}>
      <BothFields value={draft} onChange={setDraft} />
      <div className="row">
        <button type="submit" className="btn" disabled={!complete(draft) || add.isPending}>
          {own.announce}
        </button>
      </div>
    </Form>
  );
}

function Incidents() {
  const own = useNewsTexts();
  const { language } = useFormat();
  const mayOpen = useStaffMay<typeof openIncident>(['owner', 'support']);
  const mayUpdate = useStaffMay<typeof updateIncident>(['owner', 'support']);
  const rows = useRead<typeof listIncidents>('GET /api/admin/incidents', {}).data?.data;
  return (
    <Panel title={own.incidents}>
      {mayOpen && <OpenIncident />}
      {rows?.map((row) => (
        <article key={row.id} className="talk-line stack gap-s">
          <div className="row between">
            <h3 dir="auto">{row.title[language]}</h3>
            <Pill tone={row.state === 'resolved' ? 'ok' : row.impact === 'major' ? 'bad' : 'warn'}>
              {own.incidentStates[row.state]}
            </Pill>
          </div>
          {row.updates.map((entry) => (
            <p key={entry.at} dir="auto">
              <span className="xs dim">
                <Moment at={entry.at} />
              </span>{' '}
              {entry.text[language]}
            </p>
          ))}
          {mayUpdate && row.state !== 'resolved' && <IncidentUpdate id={row.id} />}
        </article>
      ))}
    </Panel>
  );
}

/** An outage fills in the fields; a person reads them and decides. */
function OpenIncident() {
  const address = useAddress();
  const id = address.get('outage');
  const draft = useOutageDraft(id);
  if (id !== undefined && draft === undefined) return <span className="skel block" />;
  return <IncidentForm key={id ?? ''} filled={draft} />;
}

function IncidentForm({ filled }: { filled: ReturnType<typeof useOutageDraft> }) {
  const own = useNewsTexts();
  const [draft, setDraft] = useState(filled?.texts ?? NOTHING);
  const [impact, setImpact] = useState<string>(filled?.impact ?? 'minor');
  const [vendors, setVendors] = useState(filled?.vendors ?? '');
  const open = useChange<typeof openIncident>('POST /api/admin/incidents', {
    stale: ['GET /api/admin/incidents'],
    done: () => setDraft(NOTHING),
  });
  return (
    <Form
      className="pad stack gap-m"
      label={own.openIncident}
      onSubmit={() =>
        open.mutate({
          body: {
            ...bodyOf(draft),
            impact: impact as 'minor' | 'major' | 'maintenance',
            vendors: vendors.split(/[\s,،]+/).filter(Boolean),
          },
        })
      }
    >
      <BothFields value={draft} onChange={setDraft} />
      <SelectField label={own.impact} value={impact} onChange={setImpact} options={Object.entries(own.impacts)} />
      <TextField label={own.vendors} hint={own.vendorsHint} value={vendors} onChange={setVendors} dir="ltr" />
      <div className="row">
        <button type="submit" className="btn" disabled={!complete(draft) || open.isPending}>
          {own.openIncident}
        </button>
      </div>
    </Form>
  );
}
