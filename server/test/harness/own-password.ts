/** What the operator does after the first start: signs in with the password that was shown and chooses another. */

const OWN_PASSWORD = 'the operator chose this one';

export async function chooseOwnPassword(origin: string, first: string): Promise<string> {
  const headers = { origin, 'content-type': 'application/json' };
  const entered = await fetch(`${origin}/api/admin/sign-in`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ password: first }),
  });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const changed = await fetch(`${origin}/api/console/me/password`, {
    method: 'PUT',
    headers: { ...headers, cookie },
    body: JSON.stringify({ current: first, password: OWN_PASSWORD }),
  });
  if (!changed.ok) throw new Error(`the first password was not replaced: ${await changed.text()}`);
  return OWN_PASSWORD;
}
