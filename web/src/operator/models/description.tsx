/** What customers read about a model: the operator's own words, or those we ship. */

import type { setModelDescription } from '@dargah/api/admin/models.ts';
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import { AreaField, Form } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { dictionary } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import type { Model } from './managed-model.ts';
import { partsOf, STALE } from './money-fields.ts';

const fa = {
  title: 'توضیح برای مشتری‌ها',
  persian: 'به فارسی',
  english: 'به انگلیسی',
  empty: 'خالی یعنی متن آماده‌ای که همراه فهرست مدل‌ها می‌آید.',
  none: 'برای این مدل متن آماده‌ای نیست.',
};

const en: typeof fa = {
  title: 'Description for customers',
  persian: 'In Persian',
  english: 'In English',
  empty: 'Empty means the words that come with the list of models.',
  none: 'There are no shipped words for this model.',
};

const useDescriptionTexts = dictionary(fa, en);

export function ModelDescription({ model }: { model: Model }) {
  const texts = useDescriptionTexts();
  const shared = useShared();
  const toast = useToast();
  const [persian, setPersian] = useState(model.description_fa ?? '');
  const [english, setEnglish] = useState(model.description_en ?? '');
  const save = useChange<typeof setModelDescription>('PUT /api/admin/models/:vendor/:model/description', {
    stale: STALE,
    done: () => toast({ text: shared.saved }),
  });
  const words = (typed: string) => (typed.trim() === '' ? null : typed.trim());
  const shipped = model.shipped_description;
  return (
    <section className="stack gap-m" aria-label={texts.title}>
      <h3>{texts.title}</h3>
      <ChangedBy<typeof setModelDescription> roles={['owner']}>
        <Form
          className="stack gap-m"
          label={texts.title}
          onSubmit={() => save.mutate({ params: partsOf(model.id), body: { fa: words(persian), en: words(english) } })}
        >
          <AreaField
            label={texts.persian}
            hint={shipped === null ? texts.none : texts.empty}
            placeholder={shipped?.fa}
            maxLength={1_000}
            value={persian}
            onChange={setPersian}
          />
          <AreaField
            label={texts.english}
            placeholder={shipped?.en}
            maxLength={1_000}
            dir="ltr"
            value={english}
            onChange={setEnglish}
          />
          <div className="row">
            <button type="submit" className="btn" disabled={save.isPending}>
              {shared.save}
            </button>
          </div>
        </Form>
      </ChangedBy>
    </section>
  );
}
