/** The first-run guide, from the first password to the first sold answer: each step tests itself. */
import type { dismissSetup, getSetup } from '@dargah/api/admin/setup.ts';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AskingButton } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useStaffMay } from '../may.ts';
import { BackupLine, StepActs } from './acts.tsx';
import { useSetupTexts } from './texts.ts';

type SetupState = Result<typeof getSetup>;
type Step = SetupState['steps'][number];

export default function SetupPage() {
  const texts = useSetupTexts();
  const read = useRead<typeof getSetup>('GET /api/admin/setup', {});
  const mayDismiss = useStaffMay<typeof dismissSetup>(['owner']);
  const dismiss = useChange<typeof dismissSetup>('POST /api/admin/setup/dismiss', {
    stale: ['GET /api/admin/setup'],
  });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  const setup = read.data;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <button type="button" className="btn" disabled={read.isFetching} onClick={() => void read.refetch()}>
          {texts.testAgain}
        </button>
        {mayDismiss && setup !== undefined && setup.dismissed === null && (
          <AskingButton
            className="btn"
            title={texts.dismiss}
            text={texts.dismissText}
            danger={false}
            onConfirm={() => dismiss.mutate({ body: { dismissed: true } })}
          >
            {texts.dismiss}
          </AskingButton>
        )}
      </PageHead>
      <div className="aside guide-page">
        <div className="panel">
          <ol className="gates guide">
            {setup?.steps.map((step, index) => (
              <GuideStep key={step.id} step={step} number={index + 1} isNow={step.id === firstOpen(setup)?.id} />
            )) ?? <span className="skel block" />}
          </ol>
        </div>
        {setup !== undefined && <Progress setup={setup} />}
      </div>
    </>
  );
}

function firstOpen({ steps }: SetupState): Step | undefined {
  return steps.find(({ state }) => state !== 'done');
}

function GuideStep({ step, number, isNow }: { step: Step; number: number; isNow: boolean }) {
  const texts = useSetupTexts();
  const format = useFormat();
  const [name, why, done] = texts.steps[step.id];
  const isDone = step.state === 'done';
  const kind = isDone ? 'pass' : step.state === 'failed' ? 'halt' : isNow ? 'now' : 'idle';
  return (
    <li className={kind} data-step={step.id} data-state={step.state}>
      <span className="mark">
        {isDone ? <Icon name="check" /> : step.state === 'failed' ? <Icon name="x" /> : format.number(number)}
      </span>
      <div>
        <h2>{name}</h2>
        {isDone ? (
          <p>
            {done} <Seen step={step} />
          </p>
        ) : (
          <>
            <p>{why}</p>
            <p className={step.state === 'failed' ? 'why' : isNow ? 'lacks strong' : 'lacks'}>
              {step.lacks.map((lack) => texts.lacks[lack]).join(' ')}
            </p>
            {step.id === 'backup' && <BackupLine />}
          </>
        )}
      </div>
      <div className="ctl">
        <StepActs step={step} />
      </div>
    </li>
  );
}

/** What the test saw, and when. */
function Seen({ step }: { step: Step }) {
  const format = useFormat();
  if (step.id === 'password' || step.id === 'identity' || step.id === 'vat' || step.id === 'second_owner') return null;
  return (
    <>
      {step.seen !== null &&
        (step.id === 'models' || step.id === 'pricing' ? format.money(step.seen) : <Id value={step.seen} />)}
      {step.at !== null && (
        <span className="dim">
          {' · '}
          <Moment at={step.at} />
        </span>
      )}
    </>
  );
}

function Progress({ setup }: { setup: SetupState }) {
  const texts = useSetupTexts();
  const format = useFormat();
  const done = setup.steps.filter(({ state }) => state === 'done').length;
  const isClosed = setup.steps.some(({ id, state }) => id === 'pricing' && state !== 'done');
  return (
    <Panel label={texts.title}>
      <div className="pad stack gap-m">
        <p className="strong">
          {setup.done ? texts.allDone : texts.ready(format.number(done), format.number(setup.steps.length))}
        </p>
        <progress className="progress" aria-label={texts.title} max={setup.steps.length} value={done} />
        {!setup.done && (
          <div>
            <h2>{texts.later}</h2>
            <p className="mid">{texts.laterText}</p>
          </div>
        )}
      </div>
      {isClosed && <Note tone="warn">{texts.closed}</Note>}
    </Panel>
  );
}
