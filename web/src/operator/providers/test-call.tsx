/** A provider tried step by step: which step fails, and how long each takes. Nothing is generated and nothing costs. */

import type { testProvider } from '@dargah/api/admin/operations.ts';
import type { ReactNode } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Pill } from '../../parts/pill.tsx';
import { dictionary, labelOf } from '../../texts/dictionary.tsx';

const fa = {
  run: 'تست این ارائه‌دهنده',
  running: 'در حال تست…',
  lead: 'DNS، پراکسی، اتصال و کلیدها بررسی می‌شود؛ چیزی ساخته و خرج نمی‌شود.',
  ok: 'همهٔ مرحله‌ها موفق بود.',
  bad: 'یک مرحله ناموفق بود.',
  way: 'راه',
  key: 'کلید',
  ms: 'میلی‌ثانیه',
  steps: {
    dns: 'DNS',
    proxy: 'پراکسی',
    connect: 'اتصال',
    tls: 'TLS',
    auth: 'کلید',
    model: 'مدل‌ها',
  },
  /** What a step found, by its name there. */
  details: {
    'taken; the server has no list of models': 'پذیرفته شد؛ سرور فهرست مدل ندارد',
    'answers inside this process': 'داخل همین برنامه پاسخ می‌دهد',
    'the list is empty': 'فهرست خالی است',
    'the answer could not be read': 'پاسخ خوانده نشد',
  },
};

const en: typeof fa = {
  run: 'Try this provider',
  running: 'Trying…',
  lead: 'The name, the proxies, the connection and the keys are tried; nothing is generated and nothing is charged.',
  ok: 'Every step passed.',
  bad: 'A step failed.',
  way: 'Way',
  key: 'Key',
  ms: 'ms',
  steps: { dns: 'Name', proxy: 'Proxy', connect: 'Connection', tls: 'TLS', auth: 'Key', model: 'Models' },
  details: {
    'taken; the server has no list of models': 'Taken; the server has no list of models',
    'answers inside this process': 'Answers inside this process',
    'the list is empty': 'The list is empty',
    'the answer could not be read': 'The answer could not be read',
  },
};

const useTexts = dictionary(fa, en);
type Steps = Result<typeof testProvider>['ways'][number]['steps'];

export function ProviderTest({ id, keyName }: { id: string; keyName(credential: string): string }) {
  const texts = useTexts();
  const test = useChange<typeof testProvider>('POST /api/admin/providers/:id/test', {
    stale: ['GET /api/admin/providers'],
  });
  return (
    <div className="stack gap-m">
      <div className="row between">
        <p className="mid xs">{texts.lead}</p>
        <button type="button" className="btn" disabled={test.isPending} onClick={() => test.mutate({ params: { id } })}>
          {test.isPending ? texts.running : texts.run}
        </button>
      </div>
      {test.data !== undefined && (
        <div className="stack gap-s" role="status">
          <Pill tone={test.data.ok ? 'ok' : 'bad'}>{test.data.ok ? texts.ok : texts.bad}</Pill>
          {test.data.ways.map(({ via, steps }) => (
            <StepList key={via} name={texts.way} of={<Id value={via} />} steps={steps} />
          ))}
          {test.data.credentials.map(({ id: credential, steps }) => (
            <StepList key={credential} name={texts.key} of={<bdi>{keyName(credential)}</bdi>} steps={steps} />
          ))}
        </div>
      )}
    </div>
  );
}

function StepList({ name, of, steps }: { name: string; of: ReactNode; steps: Steps }) {
  const texts = useTexts();
  const format = useFormat();
  return (
    <div>
      <h4>
        {name} {of}
      </h4>
      <ul className="test-steps">
        {steps.map(({ step, ok, ms, detail }) => (
          <li key={step}>
            <Pill tone={ok ? 'ok' : 'bad'}>{labelOf(texts.steps, step) ?? step}</Pill>
            <span className="xs dim">
              {format.number(ms, 0)} {texts.ms}
            </span>
            <bdi className="xs">{labelOf(texts.details, detail) ?? detail}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
