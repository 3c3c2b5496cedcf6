/** Where the link of a message about a changed way in leads: ends all sessions, without signing in, when somebody says so. */
import type { endSessionsByLink } from '@dargah/api/console/proof.ts';
import { useChange } from '../api/read.ts';
import { useFormat } from '../format.ts';
import { Note } from '../parts/page-frame.tsx';
import { useProofWords } from './proof-words.ts';
import { SignInFrame } from './sign-in-frame.tsx';

/** It stands after `#`, which no server and no log ever sees. Opening the link does nothing by itself: programs open links too. */
function secretOfLink(): string | undefined {
  return /^#(\w{8,128})$/.exec(location.hash)?.[1];
}

export default function EndSessions() {
  const words = useProofWords();
  const format = useFormat();
  const secret = secretOfLink();
  const end = useChange<typeof endSessionsByLink>('POST /api/console/end-sessions', { quiet: true });
  return (
    <SignInFrame title={words.endTitle}>
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
    </SignInFrame>
  );
}
