// Tells the administrators, once, when a product falls under a tenth of its codes, and once when it is empty.
import type { Database } from '../db/database.ts';
import {
  claimStockNotice,
  clearStockNotices,
  deleteStockNotice,
  listAdminEmails,
  listShortages,
  type Shortage,
} from '../stores/stock.ts';

/** A mail as a mailer takes it. */
type Mail = { to: string; subject: string; text: string };
export type WarnTools = { now: () => Date; publicUrl: string; sendMail: (mail: Mail) => Promise<void> };

/** Answers how many products were told of. A mail that could not be sent is tried again at the next call. */
export async function warnOfShortages(
  db: Database,
  { now, publicUrl, sendMail }: WarnTools,
): Promise<number> {
  const shortages = await listShortages(db);
  await clearStockNotices(db, shortages);
  const admins = shortages.length > 0 ? await listAdminEmails(db) : [];
  let told = 0;
  for (const shortage of admins.length > 0 ? shortages : []) {
    if (!(await claimStockNotice(db, shortage, now()))) continue;
    try {
      for (const to of admins) await sendMail({ to, ...writeNotice(shortage, publicUrl) });
    } catch (error) {
      await deleteStockNotice(db, shortage.product_id);
      throw error;
    }
    told += 1;
  }
  return told;
}

function writeNotice({ name, level, left, total }: Shortage, publicUrl: string): Omit<Mail, 'to'> {
  const figure = (value: number) => value.toLocaleString('en');
  const subject = level === 'empty' ? `No codes left: ${name}` : `Few codes left: ${name}`;
  const fact =
    level === 'empty'
      ? `All ${figure(total)} codes of ${name} have been handed out. Learners who redeem now are told that none is left.`
      : `${figure(left)} of ${figure(total)} codes of ${name} are left.`;
  const text = `${fact}\n\nAdd codes here:\n${publicUrl}/admin/coupons\n`;
  return { subject, text };
}
