/** What every way of signing in answers. */
import type { signInWithCode } from '@dargah/api/console/sign-in.ts';
import type { Result } from '../api/call.ts';

export type SignedIn = Result<typeof signInWithCode>;
