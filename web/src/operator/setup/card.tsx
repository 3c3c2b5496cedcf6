/** On the overview until every step is done or the owner closed the guide: how far it is, and the next step. */
import type { getSetup } from '@dargah/api/admin/setup.ts';
import { Link } from 'wouter';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Panel } from '../../parts/page-frame.tsx';
import { useSetupTexts } from './texts.ts';

/** Undefined while it is not known, and once nobody has to see it. */
export function useOpenSetup() {
  const setup = useRead<typeof getSetup>('GET /api/admin/setup', {}).data;
  return setup === undefined || setup.done || setup.dismissed !== null ? undefined : setup;
}

export function SetupCard() {
  const texts = useSetupTexts();
  const format = useFormat();
  const setup = useOpenSetup();
  if (setup === undefined) return null;
  const done = setup.steps.filter(({ state }) => state === 'done').length;
  const next = setup.steps.find(({ state }) => state !== 'done');
  const [name, why] = next === undefined ? ['', ''] : texts.steps[next.id];
  return (
    <Panel
      title={texts.title}
      aside={<span className="dim">{texts.ready(format.number(done), format.number(setup.steps.length))}</span>}
    >
      <div className="pad row between">
        <div>
          <p className="strong">
            {texts.next}: {name}
          </p>
          <p className="mid">{why}</p>
        </div>
        <Link href="/operator/setup" className="btn">
          {texts.open}
        </Link>
      </div>
    </Panel>
  );
}
