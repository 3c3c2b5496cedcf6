/** A security key in software: makes a credential for a site, and signs in with it (WebAuthn, ES256, no attestation). */
import { createHash, createPrivateKey, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

const sha256 = (data) => createHash('sha256').update(data).digest();
const base64url = (data) => Buffer.from(data).toString('base64url');
const USER_PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;

export function makePasskey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id: base64url(randomBytes(16)), key: privateKey.export({ format: 'jwk' }), counter: 0 };
}

/** The answer of a browser to the options of a registration. */
export function register({ id, key }, { challenge }, origin) {
  const client = clientData('webauthn.create', challenge, origin);
  const rawId = Buffer.from(id, 'base64url');
  const data = Buffer.concat([
    authenticatorData(origin, USER_PRESENT_AND_VERIFIED | HAS_CREDENTIAL, 0),
    Buffer.alloc(16),
    Buffer.from([rawId.length >> 8, rawId.length & 255]),
    rawId,
    coseKey(key),
  ]);
  const attestation = Buffer.concat([
    Buffer.from([0xa3]),
    ...['fmt', 'none', 'attStmt'].map(cborText),
    Buffer.from([0xa0]),
    cborText('authData'),
    cborBytes(data),
  ]);
  const response = {
    clientDataJSON: base64url(client),
    attestationObject: base64url(attestation),
    transports: ['internal'],
  };
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
}

/** The answer of a browser to the options of a sign-in. */
export function signIn({ id, key, counter }, { challenge }, origin, userHandle) {
  const client = clientData('webauthn.get', challenge, origin);
  const data = authenticatorData(origin, USER_PRESENT_AND_VERIFIED, counter + 1);
  const signature = createSign('sha256')
    .update(Buffer.concat([data, sha256(client)]))
    .sign(createPrivateKey({ key, format: 'jwk' }));
  const response = {
    clientDataJSON: base64url(client),
    authenticatorData: base64url(data),
    signature: base64url(signature),
    userHandle: base64url(userHandle),
  };
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
}

const clientData = (type, challenge, origin) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function authenticatorData(origin, flags, counter) {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([flags]), count]);
}

/** {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y} */
function coseKey({ x, y }) {
  const at = (name) => cborBytes(Buffer.from(name, 'base64url'));
  return Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]), at(x), Buffer.from([0x22]), at(y)]);
}

const cborText = (text) => Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)]);
const cborBytes = (data) =>
  Buffer.concat([
    data.length < 256 ? Buffer.from([0x58, data.length]) : Buffer.from([0x59, data.length >> 8, data.length & 255]),
    data,
  ]);
