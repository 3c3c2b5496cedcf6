/** Alerts: rules and channels, notices, webhook targets, and what was sent. */
import type { listNotices, readNotices } from '../../../../server/src/http/console/routes/alerts.ts';
import { useAddress } from '../../address.ts';
import { useChange, usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Moment } from '../../parts/figures.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { MoreButton } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMe } from '../../session.tsx';
import { AlertRules } from './rules.tsx';
import { Sent, Targets } from './targets.tsx';
import { useTexts } from './texts.ts';

type Tab = 'rules' | 'notices' | 'targets' | 'sent';

export default function AlertsPage() {
  const texts = useTexts();
  const address = useAddress();
  const tab = (address.get('tab') ?? 'rules') as Tab;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Segments
          label={texts.title}
          value={tab}
          onChange={(next) => address.set({ tab: next === 'rules' ? undefined : next })}
          options={(Object.keys(texts.tabs) as Tab[]).map((id) => [id, texts.tabs[id]] as const)}
        />
      </PageHead>
      {tab === 'rules' && <AlertRules />}
      {tab === 'notices' && <Notices />}
      {tab === 'targets' && <Targets />}
      {tab === 'sent' && <Sent />}
    </>
  );
}

function Notices() {
  const texts = useTexts();
  const me = useMe();
  const { language } = useFormat();
  const list = usePages<typeof listNotices>('GET /api/console/notices', { query: { limit: 50 } });
  const mark = useChange<typeof readNotices>('POST /api/console/notices/read', { stale: ['GET /api/console/notices'] });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <section className="panel" aria-label={texts.tabs['notices']}>
      <div className="head ruled">
        <h2>{texts.tabs['notices']}</h2>
        <div className="end">
          {me.viewing === null && list.rows?.some(({ read }) => !read) === true && (
            <button type="button" className="btn small" disabled={mark.isPending} onClick={() => mark.mutate({})}>
              {texts.markRead}
            </button>
          )}
        </div>
      </div>
      {list.rows?.length === 0 && <Empty title={texts.noNotices} text={texts.noNoticesText} />}
      {list.rows?.map((notice) => (
        <article key={notice.id} className={notice.read ? 'talk-line' : 'talk-line mine'}>
          <div className="row between">
            <h3>{notice.title[language]}</h3>
            <span className="xs dim">
              <Moment at={notice.created_at} />
            </span>
          </div>
          <p>{notice.link === null ? notice.text[language] : <a href={notice.link}>{notice.text[language]}</a>}</p>
        </article>
      ))}
      <div className="foot">
        <MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />
      </div>
    </section>
  );
}
