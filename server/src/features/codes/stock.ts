// Stock alerts: mails each administrator when less than a tenth of a product's codes are left, again when none is left,
// and when the codes last less than 14 days at the present pace (R-FUN-08).

import { randomUUID } from 'node:crypto';
import { formatDay } from '../../day.ts';
import type { Database, Db } from '../../db/database.ts';
import type { Job } from '../../jobs/jobs.sql.ts';
import type { MailBrand } from '../../mail/mail-frame.ts';
import { enqueueMailJob } from '../../mail/mail-log.ts';
import { composeStaffMail, type StaffMail } from '../../mail/staff-mail.ts';
import { createAuditLine, setLogGroup } from '../log/audit.sql.ts';
import { listAdminEmails } from '../people/people.sql.ts';
import { claimStockNotice, clearStockNotices, type LowStock, listLowStock } from './codes.sql.ts';
import { claimDaysAlert, clearDaysAlerts } from './forecast.sql.ts';

/** An alert is due below ALERT_DAYS, and the next one only after the codes lasted more than CALM_DAYS. */
const ALERT_DAYS = 14;
const CALM_DAYS = 21;

/**
 * Enqueues the alerts that are due, one mail job for each administrator and product. `today` is the day in the portal's
 * time zone. Returns the number of mails.
 */
export async function sendLowStockAlerts(
  db: Database,
  { now, today }: { now: Date; today: string },
): Promise<number> {
  const lowStock = await listLowStock(db, { today, days: ALERT_DAYS });
  await clearStockNotices(
    db,
    lowStock.filter(({ level }) => level !== 'days'),
  );
  await clearDaysAlerts(db, { today, days: CALM_DAYS });
  let mails = 0;
  for (const product of lowStock) {
    await db.transaction(async (tx) => {
      const admins = await listAdminEmails(tx);
      if (admins.length === 0) return;
      const level = await claimAlert(tx, product, now);
      if (level === null) return;
      const { product_id } = product;
      // The mails to all members are one entry of the log (R-DAY-40).
      const group_id = admins.length > 1 ? randomUUID() : null;
      await setLogGroup(tx, group_id);
      let count = 0;
      for (const about of admins) {
        const key = `${product_id} ${level} ${about}`;
        const job = { kind: 'stock-mail' as const, key, data: { ...product, level, about, group_id } };
        if (await enqueueMailJob(tx, job, { actor: 'portal', now })) count += 1;
      }
      const detail = { kind: 'stock', count };
      if (group_id !== null && count > 0)
        await createAuditLine(tx, {
          actor: 'portal',
          action: 'mail.queue',
          ...{ product_id, detail, summary_of: ['mail'] },
        });
      mails += count;
    });
  }
  return mails;
}

/**
 * Records the alerts about the product. Returns the level of the mail that is due, or null if each alert was recorded
 * before. One mail is enough for both alerts, because each mail says how long the codes last.
 */
async function claimAlert(tx: Db, product: LowStock, now: Date): Promise<LowStock['level'] | null> {
  const { product_id, level, left, days_left } = product;
  const isNewLevel = level !== 'days' && (await claimStockNotice(tx, { product_id, level }, now));
  const hasFewDays = left > 0 && days_left !== null && days_left < ALERT_DAYS;
  const isNewDays = hasFewDays && (await claimDaysAlert(tx, product_id, now));
  if (isNewLevel) return level;
  return isNewDays ? 'days' : null;
}

/** Returns the mail of a job that `sendLowStockAlerts` enqueued. Its link opens the upload of codes for the product. */
export function writeLowStockMail(
  { data }: Job,
  { publicUrl, brand }: { publicUrl: string; brand: MailBrand },
): StaffMail {
  // A process of the version before enqueues mails without a forecast.
  const stock = { ...NO_FORECAST, ...(data as Partial<Forecast> & Omit<LowStock, keyof Forecast>) };
  const { about: to } = data as { about: string };
  const link = new URL('/admin/coupons', publicUrl);
  link.search = new URLSearchParams({ open: 'upload', product: stock.product_id }).toString();
  return composeStaffMail({
    ...{ to, brand, subject: formatSubject(stock), paragraphs: [formatLevel(stock), formatForecast(stock)] },
    ...{ linkLabel: 'Add codes here:', button: 'Add codes', link: link.href },
  });
}

type Forecast = Pick<LowStock, 'days_left' | 'pace' | 'short' | 'expiring_first' | 'expires_on'>;

const NO_FORECAST: Forecast = {
  ...{ days_left: null, pace: null, short: null, expiring_first: null, expires_on: null },
};

const format = (value: number) => value.toLocaleString('en');

function formatDays(days: number): string {
  if (days === 0) return 'less than a day';
  return days === 1 ? 'about 1 day' : `about ${format(days)} days`;
}

function formatSubject({ name, level, days_left }: LowStock): string {
  if (level === 'empty') return `No codes left: ${name}`;
  return level === 'low' ? `Few codes left: ${name}` : `Codes last ${formatDays(days_left ?? 0)}: ${name}`;
}

function formatLevel({ name, level, left, total }: LowStock): string {
  if (level !== 'empty')
    return `${format(left)} of ${format(total)} ${total === 1 ? 'code' : 'codes'} of ${name} ${left === 1 ? 'is' : 'are'} left.`;
  const all =
    total === 1
      ? `The only code of ${name} has been handed out.`
      : `All ${format(total)} codes of ${name} have been handed out.`;
  return `${all} Learners who redeem now are told that none is left.`;
}

/** '' if no code is left, or nothing is known. */
function formatForecast({ left, days_left, pace, short, expiring_first, expires_on }: LowStock): string {
  if (left === 0 || days_left === null || pace === null) return '';
  const sentences = [
    `At the pace of the last 14 days (${format(pace)} a day), the codes last ${formatDays(days_left)}.`,
  ];
  if (expiring_first !== null && expiring_first > 0 && expires_on !== null)
    sentences.push(
      `${format(expiring_first)} of them will expire first, beginning on ${formatDay(expires_on)}.`,
    );
  if (short === 0) sentences.push('They are enough for all who have access today.');
  else if (short !== null)
    sentences.push(`${format(short)} ${short === 1 ? 'code is' : 'codes are'} short if everybody claims.`);
  return sentences.join(' ');
}
