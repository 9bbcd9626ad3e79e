// Tests that the hash that is stored for an unknown address matches none of the million possible codes. The test takes
// long, and its result does not depend on the engine, so it runs on one engine only.
import { expect, test } from 'vitest';
import { keepTestSignIn } from '../../test/keep-test-sign-in.ts';
import { createEmail, SECRET_KEY } from '../../test/open-test-sign-in.ts';
import { deriveSecrets, hashCode } from './secrets.ts';

const { db, signIn } = keepTestSignIn();

test('requesting a mail for an unknown address stores a hash that matches no code', async () => {
  const email = createEmail();
  await signIn.call('/otp', { body: { email, create_user: false } });
  const stored = async () => {
    const { rows } = await db.query<{ code_hash: string }>(
      'select code_hash from auth_one_time_token where email = $1 and not mailed',
      [email],
    );
    return rows[0]?.code_hash;
  };
  await expect.poll(stored).toMatch(/^[0-9a-f]{64}$/);
  const code_hash = await stored();
  const secrets = deriveSecrets(SECRET_KEY);
  for (let code = 0; code < 1_000_000; code += 1) {
    if (hashCode(secrets, email, String(code).padStart(6, '0')) === code_hash) expect.fail(String(code));
  }
});
