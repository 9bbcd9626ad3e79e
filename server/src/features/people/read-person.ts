// The full record of a person, and of a code (R-TRAIL-06).
import { type CouponRecord, findHint, type PersonMail, type PersonRecord } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Db } from '../../db/database.ts';
import { isRowId } from '../../db/is-row-id.ts';
import { mailKindOf } from '../../mail/mail-log.ts';
import { listGrants } from '../access/grants.sql.ts';
import { requirePerson } from './find-person.ts';
import * as people from './people.sql.ts';
import { listMailEvents, listWaitingMails, type MailEvent, type WaitingMail } from './person-mails.sql.ts';
import { findLastSignIn } from './users.sql.ts';

const RECENT = 10;
// A mail has at most four lines, unless staff retry it again and again.
const EVENTS = 100;

/**
 * Returns the record of the person. `named` is a `user_id` or an address. `today` decides the states of the grants.
 * @throws AppError user_not_found.
 */
export async function readPerson(db: Db, named: string, today: string): Promise<PersonRecord> {
  const { mail_refused_at, mail_refused_reason, ...user } = await requirePerson(db, named);
  const coupons = await people.listCouponsOf(db, user.id);
  // The queue is read first. A mail that is sent after this moment is in the log then.
  const waiting = await listWaitingMails(db, user.email);
  const events = await listMailEvents(db, user.id, EVENTS);
  const mails = listMails(events, waiting);
  return {
    user,
    cohorts: await people.listCohortsOf(db, user.id),
    grants: await listGrants(db, { user_id: user.id }, today),
    coupons: coupons.map(({ coupon_code, ...coupon }) => ({ ...coupon, hint: findHint(coupon_code) })),
    mail: {
      refused_at: mail_refused_at,
      reason: mail_refused_reason,
      queued: mails.filter(({ state }) => state === 'queued'),
      recent: mails.slice(0, RECENT),
    },
    last_sign_in_at: await findLastSignIn(db, user.email),
    waiting: [],
  };
}

/** Returns the record of the code, with its state on the day `today`. @throws AppError not_found. */
export async function readCoupon(db: Db, id: string, today: string): Promise<CouponRecord> {
  const coupon = isRowId(id) ? await people.findCoupon(db, id, today) : null;
  if (coupon === null) throw new AppError('not_found', 'Coupon not found');
  const { coupon_code, ...record } = coupon;
  return { ...record, hint: findHint(coupon_code) };
}

const STATES: Record<string, PersonMail['state']> = {
  'mail.queue': 'queued',
  'mail.retry': 'queued',
  'mail.send': 'sent',
  'mail.fail': 'failed',
  'mail.bounce': 'bounced',
};
const NOT_SENT = 'The mail was not sent: it was cancelled, or a newer mail took its place.';

/** Returns the mails, the newest first. The latest line of a mail decides its state (R-TRAIL-31). */
function listMails(events: readonly MailEvent[], waiting: readonly WaitingMail[]): PersonMail[] {
  const jobs = new Map(waiting.map((job) => [job.id, job]));
  const mails = new Map<string, PersonMail>();
  for (const event of events) {
    const { job, id, action, actor, at, kind, words } = event;
    const key = job ?? `line ${id}`;
    const known = mails.get(key);
    const by = action === 'mail.queue' && actor.includes('@') ? actor : null;
    if (known !== undefined) known.by ??= by;
    else
      mails.set(key, { kind, product: productOf(event), state: STATES[action] ?? 'queued', at, by, words });
  }
  for (const [key, mail] of mails) {
    const job = jobs.get(key);
    jobs.delete(key);
    // The job also tells of a later try, and of a failed mail that staff have put back in the queue.
    if (job !== undefined) Object.assign(mail, { state: 'queued', words: job.reason });
    else if (mail.state === 'queued' && !key.startsWith('line '))
      Object.assign(mail, { state: 'failed', words: NOT_SENT });
  }
  const others = [...jobs.values()].map(
    (job): PersonMail => ({
      kind: mailKindOf(job.kind),
      product: productOf(job),
      state: 'queued',
      at: job.created_at,
      by: null,
      words: job.reason,
    }),
  );
  return [...mails.values(), ...others].sort((a, b) => b.at.localeCompare(a.at));
}

function productOf({ product_id, product_name }: Pick<MailEvent, 'product_id' | 'product_name'>) {
  return product_id === null || product_name === null ? null : { product_id, name: product_name };
}
