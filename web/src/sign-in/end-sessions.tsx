/** Where the link of a message about a changed way in leads: ends all sessions, without signing in, when somebody says so. */
import type { endSessionsByLink } from '../../../server/src/http/console/routes/proof.ts';
import { useChange } from '../api/read.ts';
import { useFormat } from '../format.ts';
import { Note } from '../parts/page-frame.tsx';
import { useProofTexts } from './proof-texts.ts';
import { SignInFrame } from './sign-in-frame.tsx';

/** It stands after `#`, which no server and no log ever sees. Opening the link does nothing by itself: programs open links too. */
function secretOfLink(): string | undefined {
  return /^#(\w{8,128})$/.exec(location.hash)?.[1];
}

export default function EndSessions() {
  const texts = useProofTexts();
  const format = useFormat();
  const secret = secretOfLink();
  const end = useChange<typeof endSessionsByLink>('POST /api/console/end-sessions', { quiet: true });
  return (
    <SignInFrame title={texts.endTitle}>
      {end.data === undefined ? (
        <>
          <p className="text">{texts.endText}</p>
          {secret === undefined && <Note tone="warn">{texts.endBroken}</Note>}
          {end.error !== null && <Note tone="warn">{end.error.message}</Note>}
          <button
            type="button"
            className="btn stop"
            disabled={secret === undefined || end.isPending}
            onClick={() => secret !== undefined && end.mutate({ body: { secret } })}
          >
            {texts.endAct}
          </button>
        </>
      ) : (
        <>
          <Note tone="info">{texts.ended(format.number(end.data.ended))}</Note>
          <p className="text">{texts.endedText}</p>
          <a className="btn main" href="/console">
            {texts.toSignIn}
          </a>
        </>
      )}
    </SignInFrame>
  );
}
