/** Replaces the overview while staff block the account: why, until when, what stays, and how to write to them. */
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useFormat } from '../format.ts';
import { PageHead, Panel } from '../parts/page-frame.tsx';
import { useOwnAccount } from '../session.tsx';
import { useConsoleTexts } from './texts.ts';
import { NewTicket } from './tickets/new-ticket.tsx';

export default function BlockedPage() {
  const texts = useConsoleTexts();
  const format = useFormat();
  const own = useOwnAccount();
  const [, navigate] = useLocation();
  const [writing, setWriting] = useState(false);
  const mayWrite = own !== undefined && own.role !== 'viewer';
  if (own?.blocked == null) return null;
  const { reason, until } = own.blocked;
  return (
    <>
      <PageHead title={texts.blockedTitle} lead={<bdi>{own.name}</bdi>} />
      <Panel label={texts.blockedTitle}>
        <div className="pad stack gap-m">
          <p className="strong" dir="auto">
            {reason}
          </p>
          <ul className="what">
            <li>{texts.blockedKeys}</li>
            <li>{texts.blockedMoney}</li>
            <li>{until === null ? texts.blockedOpen : texts.blockedUntil(format.dateTime(until))}</li>
          </ul>
          <div className="row">
            {mayWrite && (
              <button type="button" className="btn main" onClick={() => setWriting(true)}>
                {texts.blockedWrite}
              </button>
            )}
            <Link className="btn" href="/console/tickets">
              {texts.tickets}
            </Link>
          </div>
        </div>
      </Panel>
      {writing && (
        <NewTicket
          onClose={(id) => {
            setWriting(false);
            if (id !== undefined) navigate(`/console/tickets/${id}`);
          }}
        />
      )}
    </>
  );
}
