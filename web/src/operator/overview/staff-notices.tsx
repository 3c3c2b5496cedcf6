/** What staff must hear of without looking for it, newest first. */

import type { listStaffNotices } from '@dargah/api/admin/support.ts';
import { Link } from 'wouter';
import { usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Moment } from '../../parts/figures.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { MoreButton } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useOpenOutages } from '../outages/use-open-outages.ts';
import { useOverviewTexts } from './texts.ts';

/** The first look is short: money and routes stand on the same page. */
const AT_ONCE = 5;

export function StaffNotices() {
  const texts = useOverviewTexts();
  const { language } = useFormat();
  const open = useOpenOutages();
  const list = usePages<typeof listStaffNotices>('GET /api/admin/notices', { query: { limit: AT_ONCE } });
  return (
    <Panel title={texts.notices}>
      {list.error !== null && list.rows === undefined && (
        <Trouble error={list.error} again={() => void list.refetch()} />
      )}
      {list.rows?.length === 0 && open?.length === 0 && <Empty title={texts.noNotices} text={texts.noNoticesText} />}
      {list.rows?.length === 0 && open !== undefined && open.length > 0 && (
        <p className="pad bad">{texts.outageAbove}</p>
      )}
      {list.rows?.map(({ id, title, text, link, created_at: at }) => (
        <article key={id} className="talk-line">
          <div className="row between">
            <h3>{title[language]}</h3>
            <span className="xs dim">
              <Moment at={at} />
            </span>
          </div>
          <p>
            {/* A subject in the other script keeps its order, and the line begins where lines begin here. */}
            <bdi>{link === null ? text[language] : <Link href={link}>{text[language]}</Link>}</bdi>
          </p>
        </article>
      ))}
      {list.more && (
        <div className="foot">
          <MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />
        </div>
      )}
    </Panel>
  );
}
