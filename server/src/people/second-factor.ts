/** A second factor: codes of an authenticator app, each valid once, and recovery codes. */

import { latinDigits } from '@dargah/core/persian-text.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { type RandomBytes, randomBase62 } from '../core/ids.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { Attempts } from './attempts.ts';
import { updateTotp } from './person-rows.ts';
import { selectPerson } from './persons.ts';
import { digestOfSecret } from './secrets-of-people.ts';

const RECOVERY_CODES = 10;
const WRONG_HOURLY = 10;
/** Clocks of phones are not exact. */
const TOLERANCE_S = 30;

/** Loaded with the first code. */
const otp = () => import('otplib');

export interface SecondFactorOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  secrets: SecretBox;
}

export class SecondFactor {
  readonly #options: SecondFactorOptions;
  readonly #attempts: Attempts;
  readonly #changed: RecordChange;

  constructor(options: SecondFactorOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.db, options.clock);
    this.#changed = createChangeRecorder(options, 'person');
  }

  begin(personId: string, label: string): Promise<{ secret: string; uri: string }> {
    const { db, secrets } = this.#options;
    return db.transaction(async (tx) => {
      if ((await selectPerson(tx, personId, true)).totpConfirmed) throw new GatewayError('conflict');
      const { generateSecret, generateURI } = await otp();
      const secret = generateSecret();
      await updateTotp(tx, personId, {
        totpSecret: secrets.seal(secret),
        totpConfirmed: false,
        totpStep: 0n,
        recovery: [],
      });
      return { secret, uri: generateURI({ issuer: 'Dargah', label, secret }) };
    });
  }

  /** Returns the recovery codes; only their digests are stored. */
  async confirm(personId: string, code: string): Promise<string[]> {
    const { randomBytes } = this.#options;
    const fresh = Array.from({ length: RECOVERY_CODES }, () => randomBase62(12, randomBytes));
    await this.#guarded(personId, async (tx) => {
      const person = await selectPerson(tx, personId, true);
      if (person.totpConfirmed || person.totpSecret === null) throw new GatewayError('conflict');
      const step = await this.#stepOf(person.totpSecret, code, 0n);
      if (step === undefined) return false;
      const recovery = fresh.map(recoveryDigest);
      await updateTotp(tx, personId, { totpSecret: person.totpSecret, totpConfirmed: true, totpStep: step, recovery });
      await this.#changed(tx, `person:${personId}`, 'second_factor.on', personId, {});
      return true;
    });
    return fresh;
  }

  /** Checks a code of the app, or a recovery code, which is then used up. */
  check(personId: string, code: string): Promise<void> {
    return this.#guarded(personId, async (tx) => {
      const person = await selectPerson(tx, personId, true);
      if (!person.totpConfirmed || person.totpSecret === null) throw new GatewayError('conflict');
      const { totpSecret, totpStep, recovery } = person;
      const step = await this.#stepOf(totpSecret, code, totpStep);
      if (step !== undefined) {
        await updateTotp(tx, personId, { totpSecret, totpConfirmed: true, totpStep: step, recovery });
        return true;
      }
      const digest = recoveryDigest(code.trim());
      if (!recovery.includes(digest)) return false;
      const left = recovery.filter((one) => one !== digest);
      await updateTotp(tx, personId, { totpSecret, totpConfirmed: true, totpStep, recovery: left });
      return true;
    });
  }

  async remove(personId: string, code: string): Promise<void> {
    await this.check(personId, code);
    await this.#options.db.transaction(async (tx) => {
      await updateTotp(tx, personId, { totpSecret: null, totpConfirmed: false, totpStep: 0n, recovery: [] });
      await this.#changed(tx, `person:${personId}`, 'second_factor.off', personId, {});
    });
  }

  async #stepOf(sealed: string, code: string, after: bigint): Promise<bigint | undefined> {
    const token = latinDigits(code).trim();
    if (!/^\d{6}$/.test(token)) return undefined;
    const { verifySync } = await otp();
    const result = verifySync({
      secret: this.#options.secrets.open(sealed),
      token,
      epoch: Math.floor(this.#options.clock.now() / 1000),
      epochTolerance: TOLERANCE_S,
      ...(after > 0n ? { afterTimeStep: Number(after) } : {}),
    });
    return result.valid && 'timeStep' in result ? BigInt(result.timeStep) : undefined;
  }

  async #guarded(personId: string, judge: (tx: Queryable) => Promise<boolean>): Promise<void> {
    const wrong = [{ counter: `second-wrong:${personId}`, max: WRONG_HOURLY, spanMs: HOUR_MS }];
    if (await this.#attempts.guess(wrong, () => this.#options.db.transaction(judge))) return;
    throw new GatewayError('wrong_code', { param: 'code' });
  }
}

function recoveryDigest(code: string): string {
  return digestOfSecret(`recovery ${code}`).toString('base64');
}
