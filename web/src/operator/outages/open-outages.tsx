/** What is out now, on top of whatever page shows it: what customers meet, since when, and what can be done. */

import type { acknowledgeOutage } from '@dargah/api/admin/outages.ts';
import type { openIncident } from '@dargah/api/admin/support.ts';
import { Link } from 'wouter';
import { useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { useOutageTexts } from './texts.ts';
import { WhoWasTold } from './told.tsx';
import { OUTAGES, type Outage, useOpenOutages } from './use-open-outages.ts';

const SEVERITY_TONES: Record<Outage['severity'], Tone> = { warning: 'warn', major: 'bad', critical: 'bad' };
/** More at once hide what else is on the page. */
const SHOWN = 3;

export function OpenOutages({ all = false }: { all?: boolean }) {
  const texts = useOutageTexts();
  const format = useFormat();
  const open = useOpenOutages() ?? [];
  const shown = all ? open : open.slice(0, SHOWN);
  return (
    <>
      {shown.map((outage) => (
        <OpenOutage key={outage.id} outage={outage} />
      ))}
      {open.length > shown.length && (
        <p>
          <Link href="/operator/outages">{texts.more(format.number(open.length - shown.length))}</Link>
        </p>
      )}
    </>
  );
}

function OpenOutage({ outage }: { outage: Outage }) {
  const texts = useOutageTexts();
  const { language } = useFormat();
  const grave = outage.severity !== 'warning';
  return (
    <section
      className={grave ? 'panel alarm' : 'panel alarm mild'}
      aria-label={`${outage.title[language]} ${outage.subject}`}
    >
      <div className="top">
        <div>
          <h2>{outage.title[language]}</h2>
          <p>{outage.text[language]}</p>
        </div>
        <div className="row">
          <Pill tone={SEVERITY_TONES[outage.severity]}>{texts.severities[outage.severity]}</Pill>
          <Acts outage={outage} />
        </div>
      </div>
      {outage.kind === 'model.failing' && <Met outage={outage} />}
      <Foot outage={outage} />
    </section>
  );
}

function Acts({ outage }: { outage: Outage }) {
  const texts = useOutageTexts();
  const maySee = useStaffMay<typeof acknowledgeOutage>(['owner', 'finance', 'support']);
  const mayWrite = useStaffMay<typeof openIncident>(['owner', 'support']);
  const see = useChange<typeof acknowledgeOutage>('POST /api/admin/outages/:id/acknowledge', { stale: [OUTAGES] });
  return (
    <>
      <WhoWasTold id={outage.id} />
      {maySee && outage.acknowledged_at === null && (
        <button
          type="button"
          className="btn"
          disabled={see.isPending}
          onClick={() => see.mutate({ params: { id: outage.id } })}
        >
          {texts.see}
        </button>
      )}
      {mayWrite && outage.kind === 'model.failing' && (
        <Link href={`/operator/news?outage=${outage.id}`} className="btn main">
          {texts.incident}
        </Link>
      )}
    </>
  );
}

function Met({ outage }: { outage: Outage }) {
  const own = useOutageTexts();
  const texts = useTexts();
  const format = useFormat();
  const { failed, answered, accounts, peak_share: peak, cause, provider, link } = outage;
  return (
    <div className="strip">
      <div className="stat">
        <div className="stat-name">{own.failed}</div>
        <div className="stat-value bad">
          <Link href={link} className="bad">
            {format.number(failed)}
          </Link>{' '}
          <span className="unit">{own.of(format.number(failed + answered))}</span>
        </div>
      </div>
      <div className="stat">
        <div className="stat-name">{own.accounts}</div>
        <div className="stat-value">{format.number(accounts)}</div>
      </div>
      <div className="stat">
        <div className="stat-name">{own.peak}</div>
        <div className="stat-value">{format.percent(peak, 0)}</div>
      </div>
      <div className="stat">
        <div className="stat-name">{texts.provider}</div>
        <div className="stat-value">{provider === null ? '—' : <Id value={provider} />}</div>
        <div className="stat-note">{cause === null ? own.unknownCause : <Id value={cause} />}</div>
      </div>
    </div>
  );
}

function Foot({ outage }: { outage: Outage }) {
  const texts = useOutageTexts();
  const format = useFormat();
  const { kind, acknowledged_by: by, failed, link, opened_at: at } = outage;
  const closes =
    kind === 'model.failing' || kind === 'provider.rescued'
      ? texts.closesModel
      : kind === 'provider.credential_dead' || kind === 'provider.balance_out'
        ? texts.closesCredential
        : texts.closesOwn;
  return (
    <div className="foot">
      <span>
        {by !== null && <>{texts.seenBy(by)}. </>}
        {closes}
      </span>
      {kind === 'model.failing' ? (
        <Link href={link}>{texts.failedLink(format.number(failed))}</Link>
      ) : (
        <span className="dim xs">
          <Moment at={at} />
        </span>
      )}
    </div>
  );
}
