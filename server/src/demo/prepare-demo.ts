// Prepares the demo: creates a temporary data folder, and returns settings for a portal that sends no mails.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../db/database.ts';
import { DEMO_ADMIN, DEMO_LEARNERS } from './demo-data.ts';
import { fillDemo } from './fill-demo.ts';

export type Demo = {
  env: Record<string, string | undefined>;
  /** Fills the empty database, and returns a text that lists the addresses to sign in with. */
  fill(db: Database, publicUrl: string): Promise<string>;
  close(): Promise<void>;
};

/**
 * Returns the settings of the demo. Takes only PORT, HOST, LOG_LEVEL and BRAND_FILE from the environment. Other
 * variables could connect the demo to real data or to a mail server.
 */
export async function prepareDemo({
  PORT,
  HOST,
  LOG_LEVEL = 'warn',
  BRAND_FILE,
}: Record<string, string | undefined>): Promise<Demo> {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'portal-demo-'));
  return {
    env: { PORT, HOST, LOG_LEVEL, BRAND_FILE, DATA_DIR, AUTH_MAIL_INTERVAL_SECONDS: '5' },
    fill: async (db, publicUrl) => {
      await fillDemo(db, new Date());
      return describeSignIn(publicUrl);
    },
    close: () => rm(DATA_DIR, { recursive: true, force: true }),
  };
}

function describeSignIn(publicUrl: string): string {
  const people = [...DEMO_LEARNERS, { email: DEMO_ADMIN, state: 'administrator' }];
  const lines = people.map(({ email, state }) => `  ${email.padEnd(28)} ${state}`);
  return [
    'This is a demo: everything in it is invented, and gone when it stops.',
    `Press Login, give one of these addresses, and open the link in ${publicUrl}/dev/outbox`,
    '',
    ...lines,
    '',
  ].join('\n');
}
