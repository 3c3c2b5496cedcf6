/** Where the link of a message about a changed way in leads: ends all sessions, without signing in, when somebody says so. */
import type { endSessionsByLink } from '../../../server/src/http/console/routes/proof.ts';
import { useChange } from '../api/read.ts';
import { BrandMark, useBrandName } from '../brand.tsx';
import { useFormat } from '../format.ts';
import { Note } from '../parts/page-frame.tsx';
import { LanguageButton, ThemeMenu } from '../shell/shell.tsx';
import { useProofWords } from './proof-words.ts';

/** It stands after `#`, which no server and no log ever sees. Opening the link does nothing by itself: programs open links too. */
function secretOfLink(): string | undefined {
  return /^#(\w{8,128})$/.exec(location.hash)?.[1];
}

export default function EndSessions() {
  const words = useProofWords();
  const brand = useBrandName();
  const format = useFormat();
  const secret = secretOfLink();
  const end = useChange<typeof endSessionsByLink>('POST /api/console/end-sessions', { quiet: true });
  return (
    <div className="gate-page">
      <header className="bar">
        <a className="brand shown" href="/">
          <BrandMark />
          {brand}
        </a>
        <div className="end">
          <ThemeMenu />
          <LanguageButton />
        </div>
      </header>
      <main id="main">
        <div className="panel gate-card">
          <h1>{words.endTitle}</h1>
          {end.data === undefined ? (
            <>
              <p className="text">{words.endText}</p>
              {secret === undefined && <Note tone="warn">{words.endBroken}</Note>}
              {end.error !== null && <Note tone="warn">{end.error.message}</Note>}
              <button
                type="button"
                className="btn stop"
                disabled={secret === undefined || end.isPending}
                onClick={() => secret !== undefined && end.mutate({ body: { secret } })}
              >
                {words.endAct}
              </button>
            </>
          ) : (
            <>
              <Note tone="info">{words.ended(format.number(end.data.ended))}</Note>
              <p className="text">{words.endedText}</p>
              <a className="btn main" href="/console">
                {words.toSignIn}
              </a>
            </>
          )}
        </div>
      </main>
    </div>
  );
}
