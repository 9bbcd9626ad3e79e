// Low-stock alert: mails each administrator when less than a tenth of a product's codes are left, and again when none
// is left.
import type { Database } from '../../db/database.ts';
import type { Job } from '../../jobs/jobs.sql.ts';
import { enqueueMailJob } from '../../mail/mail-log.ts';
import { listAdminEmails } from '../people/people.sql.ts';
import { claimStockNotice, clearStockNotices, type LowStock, listLowStock } from './codes.sql.ts';

/**
 * Enqueues the alerts that are due, one mail job for each administrator and product. `today` is the day in the portal's
 * time zone. Returns the number of mails.
 */
export async function sendLowStockAlerts(
  db: Database,
  { now, today }: { now: Date; today: string },
): Promise<number> {
  const lowStock = await listLowStock(db, today);
  await clearStockNotices(db, lowStock);
  let mails = 0;
  for (const product of lowStock) {
    await db.transaction(async (tx) => {
      const admins = await listAdminEmails(tx);
      if (admins.length === 0 || !(await claimStockNotice(tx, product, now))) return;
      for (const about of admins) {
        const key = `${product.product_id} ${product.level} ${about}`;
        const job = { kind: 'stock-mail' as const, key, data: { ...product, about } };
        await enqueueMailJob(tx, job, { actor: 'portal', now });
      }
      mails += admins.length;
    });
  }
  return mails;
}

/** Returns the mail of a job that `sendLowStockAlerts` enqueued. */
export function writeLowStockMail({ data }: Job, publicUrl: string) {
  const { about: to, name, level, left, total } = data as LowStock & { about: string };
  const format = (value: number) => value.toLocaleString('en');
  const subject = level === 'empty' ? `No codes left: ${name}` : `Few codes left: ${name}`;
  const fact =
    level === 'empty'
      ? `All ${format(total)} codes of ${name} have been handed out. Learners who redeem now are told that none is left.`
      : `${format(left)} of ${format(total)} codes of ${name} are left.`;
  return { to, subject, text: `${fact}\n\nAdd codes here:\n${publicUrl}/admin/coupons\n` };
}
