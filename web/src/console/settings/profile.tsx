import type { changeMe } from '@dargah/api/console/me.ts';
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import { Form, SelectField, TextField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { usePreferences } from '../../preferences.tsx';
import { useMe } from '../../session.tsx';
import { useTexts } from '../../texts/settings-texts.ts';
import { useShared } from '../../texts/shared.ts';

export function Profile() {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const me = useMe();
  const { setLanguage } = usePreferences();
  const [name, setName] = useState(me.person.name);
  const [language, setChosen] = useState<string>(me.person.language);
  const save = useChange<typeof changeMe>('PATCH /api/console/me', {
    stale: ['GET /api/console/me', 'GET /api/console/members'],
    done(answer) {
      setLanguage(answer.person.language);
      toast({ text: shared.saved });
    },
  });
  return (
    <Panel title={texts.tabs['me']}>
      <Form
        className="pad stack gap-m narrow-form"
        onSubmit={() => save.mutate({ body: { name: name.trim(), language: language as 'fa' | 'en' } })}
      >
        <TextField
          label={texts.name}
          value={name}
          onChange={setName}
          dir="auto"
          autoComplete="name"
          error={save.error?.message}
        />
        <SelectField
          label={texts.language}
          value={language}
          onChange={setChosen}
          options={[
            ['fa', texts.fa],
            ['en', texts.en],
          ]}
        />
        <div className="row">
          <button type="submit" className="btn main" disabled={name.trim() === '' || save.isPending}>
            {shared.save}
          </button>
        </div>
      </Form>
    </Panel>
  );
}
