/** What is stored of the account: what, how long, where, who sees it, and the one place where that is set. */
import type { getPrivacy } from '@dargah/api/console/privacy.ts';
import { Link } from 'wouter';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { Panel } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useLanguage } from '../../texts/dictionary.tsx';
import { useTexts } from './privacy-texts.ts';

type Privacy = Result<typeof getPrivacy>;
type Thing = Privacy['data'][number];

export function Privacy() {
  const texts = useTexts();
  const language = useLanguage();
  const read = useRead<typeof getPrivacy>('GET /api/console/privacy', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  const keys = read.data?.keys ?? [];
  return (
    <Panel title={texts.title}>
      <p className="pad mid text">{texts.lead}</p>
      <Table
        label={texts.title}
        rows={read.data?.data}
        idOf={({ id }) => id}
        skeleton={12}
        empty={null}
        columns={[
          {
            id: 'what',
            head: texts.what,
            fold: 'c1',
            className: 'said',
            cell: (thing) => (
              <>
                <span className="strong">{thing.title[language]}</span>
                <span className="sub">{thing.what[language]}</span>
                <span className="only-s">
                  <span className="sub">
                    {texts.readers}: {thing.readers[language]}. {texts.closing}: {texts.closings[thing.at_closing]}.
                  </span>
                </span>
                {thing.id === 'texts' && keys.length > 0 && <Differing keys={keys} />}
              </>
            ),
          },
          {
            id: 'until',
            head: texts.until,
            fold: 'c3',
            cell: ({ until, where }) => (
              <>
                {until[language]}
                {where !== 'nowhere' && <span className="sub">{texts.places[where]}</span>}
              </>
            ),
          },
          { id: 'readers', head: texts.readers, className: 'mid said', cell: ({ readers }) => readers[language] },
          { id: 'closing', head: texts.closing, cell: ({ at_closing: at }) => texts.closings[at] },
          { id: 'decides', head: '', fold: 'c4', cell: (thing) => <Decides value={thing} /> },
        ]}
      />
    </Panel>
  );
}

function Decides({ value: { decides, path } }: { value: Thing }) {
  const texts = useTexts();
  return (
    <>
      <span className="mid">{texts.decides[decides]}</span>
      {path !== null && (
        <span className="sub">
          {path.startsWith('/console') ? (
            <Link href={path}>{decides === 'account' ? texts.change : texts.see}</Link>
          ) : (
            <a href={`${path}#privacy`}>{texts.guide}</a>
          )}
        </span>
      )}
    </>
  );
}

function Differing({ keys }: { keys: Privacy['keys'] }) {
  const texts = useTexts();
  const language = useLanguage();
  return (
    <span className="sub">
      {texts.keysDiffer}{' '}
      {keys.map(({ id, name, until }) => (
        <span key={id} className="tag">
          <Link href={`/console/keys/${id}`}>
            <bdi>{name}</bdi>
          </Link>
          : {until[language]}
        </span>
      ))}
    </span>
  );
}
