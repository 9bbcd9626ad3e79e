// The portal on its sample data, as `script/start --demo` starts it: for what measures pages and takes pictures of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listMyProducts, type MyProduct } from '@portal/contract';
import { findFreePort } from '../../server/test/postgres.ts';
import { callApi, type Session, signIn } from './api.ts';
import type { SignInMail } from './mailbox.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const POLL_MS = 50;

/** People of the sample data. */
export const DEMO_LEARNER = 'jonas@example.org';
export const DEMO_ADMIN = 'admin@example.org';

export type Demo = {
  url: string;
  /** Each person signs in once: the demo sends one mail a minute to an address. */
  signIn(email: string): Promise<Session>;
  /** What this person may redeem. */
  listProducts(session: Session): Promise<MyProduct[]>;
  stop(): Promise<void>;
};

/** Starts it on a free port and waits until it is ready. The pages must be built. */
export async function startDemo(): Promise<Demo> {
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const portal = spawn(process.execPath, ['server/src/main.ts', '--demo'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) await delay(POLL_MS);
  const takeMailOf = (to: string) => takeMail(url, to);
  const mailbox = { url: '', refused: new Set<string>(), takeMail: takeMailOf, close: async () => {} };
  const sessions = new Map<string, Promise<Session>>();
  return {
    url,
    signIn: (email) => {
      const session = sessions.get(email) ?? signIn({ url, mailbox }, email);
      sessions.set(email, session);
      return session;
    },
    listProducts: ({ access_token: token }) => callApi(url, listMyProducts, { token }),
    stop: async () => {
      portal.kill('SIGTERM');
      await once(portal, 'exit');
    },
  };
}

async function takeMail(url: string, email: string): Promise<SignInMail> {
  for (;;) {
    const mails = (await (await fetch(`${url}/dev/outbox.json`)).json()) as OutboxMail[];
    // Administrators are told of stock that runs low as well.
    for (const { to, text, links } of mails) {
      const code = /^\d{6}$/m.exec(text)?.[0];
      if (to === email && code) return { to, link: links[0] ?? '', code };
    }
    await delay(POLL_MS);
  }
}

type OutboxMail = { to: string; text: string; links: string[] };
