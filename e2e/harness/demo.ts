// Starts the portal with sample data, as `script/start --demo` does, for benchmarks and screenshots.
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

/** Users of the sample data. */
export const DEMO_LEARNER = 'jonas@example.org';
export const DEMO_ADMIN = 'admin@example.org';

export type Demo = {
  url: string;
  /**
   * Signs in at the first call for an address. Later calls for this address return the same session, because the demo
   * sends only one mail a minute to an address.
   */
  signIn(email: string): Promise<Session>;
  /** Returns the products that the owner of the session may redeem. */
  listProducts(session: Session): Promise<MyProduct[]>;
  stop(): Promise<void>;
};

/** Starts the demo on a free port and returns when it is ready. The pages must have been built. */
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
    // Skips mails without a code: administrators also get low-stock mails.
    for (const { to, text, links } of mails) {
      const code = /^\d{6}$/m.exec(text)?.[0];
      if (to === email && code) return { to, link: links[0] ?? '', code };
    }
    await delay(POLL_MS);
  }
}

type OutboxMail = { to: string; text: string; links: string[] };
