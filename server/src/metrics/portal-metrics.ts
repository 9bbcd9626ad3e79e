// What is true of the portal as a whole, whichever process is asked: stock, queues, the database.
import { Gauge, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { measureImports } from '../stores/imports.ts';
import { listStock } from '../stores/stock.ts';

/** Mails waiting to be sent, and for how long the oldest has. */
export type MailQueue = { waiting: number; oldest_seconds: number };

export type PortalFigures = { db: Database; measureMails: (() => Promise<MailQueue>) | null };

/** Shorter than Prometheus waits (ten seconds): a scrape must tell of a database that does not answer. */
const PATIENCE_MS = 2_000;

/**
 * Reads everything anew. Of a database that does not answer in two seconds only that is told, in
 * `portal_database_up`; figures of before would look like figures of now.
 */
export async function readPortalMetrics({ db, measureMails }: PortalFigures): Promise<Registry> {
  const registry = new Registry();
  const add = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const up = add('portal_database_up', 'Whether the database answers.');
  const read = Promise.all([listStock(db), measureImports(db), measureMails?.()]).catch(() => null);
  const figures = await Promise.race([read, endPatience()]);
  up.set(figures === null ? 0 : 1);
  if (figures === null) return registry;

  const [stock, imports, mails] = figures;
  const total = add('portal_product_codes', 'Codes of a product, handed out or not.', [
    'product_id',
    'product',
  ]);
  const free = add('portal_product_codes_free', 'Codes of a product not handed out.', [
    'product_id',
    'product',
  ]);
  for (const { product_id, name: product, total: codes, left } of stock) {
    total.set({ product_id, product }, codes);
    free.set({ product_id, product }, left);
  }
  add('portal_imports_running', 'Imports under way.').set(imports.running);
  add(
    'portal_import_idle_seconds',
    'Since the import that was longest without progress last made some; 0 without imports.',
  ).set(imports.idle_seconds);
  if (mails !== undefined) {
    add('portal_mails_waiting', 'Mails not yet taken by the mail server.').set(mails.waiting);
    add('portal_mail_oldest_seconds', 'Since the oldest of them was asked for; 0 without any.').set(
      mails.oldest_seconds,
    );
  }
  return registry;
}

function endPatience(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, null).unref());
}
