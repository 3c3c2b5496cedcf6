/**
 * Provider secrets at rest: AES-256-GCM under one master key, from the environment or a file beside the data.
 * Sealed form: `v1.<id of the master key>.<base64url of nonce, ciphertext, tag>`. The id tells "another master key" apart
 * from "tampered with", which need different cures.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

export interface SecretBox {
  seal(text: string): string;
  /** Throws SecretRefused. */
  open(sealed: string): string;
  /** A secret of its own for each purpose, the same on every start with the same key. */
  derive(purpose: string): string;
  /** The prefix of every text that is sealed with the current key. */
  readonly label: string;
  /** Replaces the keys: the first one seals, all of them open. */
  adopt(masterKeys: string): void;
}

export class SecretRefused extends Error {
  readonly reason: 'format' | 'other-master-key' | 'tampered';
  constructor(reason: SecretRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface SecretBoxOptions {
  /** DARGAH_MASTER_KEY: 32 bytes in base64, former keys behind it. Replicas that share a database must share it. */
  masterKey: string | undefined;
  dataDir: string;
}

export async function openSecretBox({ masterKey, dataDir }: SecretBoxOptions): Promise<SecretBox> {
  if (masterKey !== undefined) return createSecretBox(...decodeKeys(masterKey, 'DARGAH_MASTER_KEY'));
  return createSecretBox(...decodeKeys(await localMasterKey(dataDir), keyFile(dataDir)));
}

/** The key beside the data, made when there is none. */
export async function localMasterKey(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = keyFile(dataDir);
  return ((await readIfPresent(path)) ?? (await makeKeyFile(path))).trim();
}

export async function keepMasterKey(dataDir: string, masterKey: string): Promise<void> {
  const path = keyFile(dataDir);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${masterKey}\n`, { mode: 0o600 });
  await rename(draft, path);
}

function keyFile(dataDir: string): string {
  return join(dataDir, 'master.key');
}

/** The first key seals; all of them open. */
export function createSecretBox(...keys: readonly Buffer[]): SecretBox {
  let [current, ...others] = keys.map(sealOf);
  const inUse = () => {
    if (!current) throw new Error('a secret box needs a key');
    return current;
  };
  return {
    derive: (purpose) => createHmac('sha256', inUse().key).update(purpose).digest('base64url'),
    seal: (text) => sealWith(inUse(), text),
    open: (sealed) => openWith([inUse(), ...others], sealed),
    get label() {
      return inUse().label.toString();
    },
    adopt(masterKeys) {
      [current, ...others] = decodeKeys(masterKeys, 'the master key').map(sealOf);
    },
  };
}

interface Seal {
  key: Buffer;
  /** Authenticated with the text, so that a sealed value cannot be relabelled. */
  label: Buffer;
}

function sealOf(key: Buffer): Seal {
  const keyId = createHash('sha256').update('dargah master key').update(key).digest('hex').slice(0, 8);
  return { key, label: Buffer.from(`${VERSION}.${keyId}`) };
}

function sealWith({ key, label }: Seal, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(label);
  const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${label}.${body.toString('base64url')}`;
}

function openWith(seals: readonly Seal[], sealed: string): string {
  const match = /^(v1\.[0-9a-f]{8})\.([A-Za-z0-9_-]+)$/.exec(sealed);
  const body = Buffer.from(match?.[2] ?? '', 'base64url');
  if (!match || body.length < NONCE_BYTES + TAG_BYTES) throw new SecretRefused('format', 'not a sealed secret');
  const seal = seals.find(({ label }) => label.toString() === match[1]);
  if (!seal) throw new SecretRefused('other-master-key', 'the secret was sealed with another master key');
  const decipher = createDecipheriv('aes-256-gcm', seal.key, body.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(seal.label).setAuthTag(body.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    throw new SecretRefused('tampered', 'the sealed secret was changed');
  }
}

/** Several keys are written one after the other, with a comma or a space between them. */
function decodeKeys(text: string, origin: string): Buffer[] {
  const keys = text
    .trim()
    .split(/[\s,]+/)
    .map((part) => Buffer.from(part, 'base64'));
  if (keys.some((key) => key.length !== KEY_BYTES)) throw new Error(`${origin} must hold ${KEY_BYTES} bytes in base64`);
  return keys;
}

export function newMasterKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Two processes may do this at once: the first to link its file wins, and both use that one. */
async function makeKeyFile(path: string): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${newMasterKey()}\n`, { mode: 0o600 });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, 'utf8');
}
