// Prepares the demo: a temporary data folder, settings of a portal that sends no mails, and sample data.
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newProduct } from '@portal/contract';
import { addStep, createBulkJob } from '../bulk/bulk-jobs.sql.ts';
import { importCsv } from '../bulk/uploads.ts';
import { createDayOf } from '../day.ts';
import type { Database, Db } from '../db/database.ts';
import { grantAccess } from '../features/access/access.sql.ts';
import { createBatch, createCoupons } from '../features/codes/batches.sql.ts';
import { makeCouponCode } from '../features/codes/codes.ts';
import { countForecasts } from '../features/codes/forecast.ts';
import { generateCoupon } from '../features/codes/issue.ts';
import { createCohort } from '../features/cohorts/cohorts.ts';
import { addMembers } from '../features/cohorts/members.ts';
import { type AuditLine, createAuditLine, setLogGroup } from '../features/log/audit.sql.ts';
import { createUsers } from '../features/people/people.sql.ts';
import { saveUser } from '../features/people/person.ts';
import { setLogo } from '../features/products/logo.ts';
import { createProduct } from '../features/products/products.ts';
import { redeemCoupon } from '../features/redeem/redeem.ts';
import { makeOwners, setRole } from '../features/team/team.ts';
import { createUploadTools } from '../jobs/job-handlers.ts';
import {
  DEMO_ADMIN,
  DEMO_COHORT,
  DEMO_COHORTS,
  DEMO_DAYS,
  DEMO_LEARNERS,
  DEMO_PRODUCTS,
  DEMO_TEAM,
  DEMO_UPLOAD,
  type DemoProduct,
} from './demo-data.ts';
import { createPastRedemptions, type PastRedemption, setTimeOfRows } from './past-redemptions.sql.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;
const YET_TO_REDEEM = 20;
const dayOf = createDayOf('UTC');
/** One element for each redemption: its age in days. */
const DAYS_AGO = DEMO_DAYS.flatMap((count, day) => Array<number>(count).fill(day));

/** Fills `db` with sample data, the same on every start. All times in these data are in the 30 days before `now`. */
export async function fillDemo(db: Database, now: Date): Promise<void> {
  // One transaction, because each commit waits for the disk and the demo should start soon.
  const product_ids = await db.transaction((tx) =>
    fillIn({ ...db, ...tx, transaction: (work) => work(tx) }, now),
  );
  const order = { kind: 'users' as const, product_ids: product_ids.slice(0, 3), actor: DEMO_ADMIN };
  const tools = createUploadTools(db, { now: () => now, dayOf });
  await importCsv(db, { ...DEMO_UPLOAD, ...order }, tools);
  await countForecasts(db, tools, { renew: async () => true });
}

async function fillIn(db: Database, now: Date): Promise<string[]> {
  // The log is sorted by id (R-TRAIL-62), so these lines, which are inserted first, must have the earliest time.
  await setTimeOfRows(db, new Date(now.getTime() - DEMO_DAYS.length * DAY_MS));
  await makeOwners(db, [DEMO_ADMIN]);
  await createUsers(
    db,
    DEMO_TEAM.map(({ email, name }) => ({ email, name, phone_number: null, payment_id: null })),
    { actor: DEMO_ADMIN },
  );
  for (const { email, team_role } of DEMO_TEAM)
    await setRole(db, { actor: DEMO_ADMIN, email, team_role }, { adminEmails: [] });
  // Adds an upload, so that the log and the list of uploads show a file from which DEMO_ADMIN imported the learners.
  const learners = { kind: 'users', file_name: 'learners.csv', rows_total: DEMO_COHORT.length } as const;
  const import_id = await addUpload(db, learners);
  const { kind, file_name, rows_total: count } = learners;
  await writeAsOne(db, {
    write: () => createUsers(db, DEMO_COHORT, { actor: DEMO_ADMIN, import_id }),
    action: 'import.done',
    detail: { import_id, kind, file_name, count, success: count, duplicates: 0, failures: 0 },
    summary_of: ['user'],
  });
  const product_ids: string[] = [];
  const past: PastRedemption[] = [];
  for (const product of DEMO_PRODUCTS) {
    const added = await addProduct(db, product, now);
    product_ids.push(added.product_id);
    past.push(...added.past);
  }
  for (const cohort of DEMO_COHORTS) await addCohort(db, cohort, { product_ids, now });
  // Inserts the redemptions of all products together, sorted by time. The list of codes shows the codes that were
  // inserted last first. With one call for each product, these would all belong to the last product.
  await createPastRedemptions(db, past);
  await setTimeOfRows(db, now);
  const tools = { dayOf, now: () => now, supportEmail: DEMO_ADMIN };
  for (const { email, name, products, redeemed } of DEMO_LEARNERS) {
    if (name === null) continue;
    const ids = products.map((index) => product_ids[index] as string);
    const { id: user_id } = await saveUser(db, {
      actor: DEMO_ADMIN,
      user: { email, name, phone_number: null, product_ids: ids },
      today: dayOf(now),
    });
    for (const productId of ids.slice(0, redeemed))
      await redeemCoupon(db, { caller: { user_id }, productId }, tools);
  }
  await addGeneratedCode(db, product_ids, now);
  await setTimeOfRows(db, null);
  return product_ids;
}

// Adds a product with free codes, and gives some of the sample learners access to the product. Returns the past
// redemptions of the product, which the caller must insert.
async function addProduct(db: Database, demo: DemoProduct, now: Date) {
  const { codes: count, prefix, redeemed, ending = 0, logo, ...fields } = demo;
  const product = newProduct.parse(fields);
  const { product_id } = await createProduct(db, { actor: DEMO_ADMIN, product, today: dayOf(now) });
  const bytes = await readFile(new URL(`logos/${logo}.webp`, import.meta.url));
  await setLogo(db, { product_id, actor: DEMO_ADMIN, bytes, at: now });
  const file_name = `${product.name.toLowerCase().replaceAll(' ', '-')}.csv`;
  const batch_id = await createBatch(db, {
    product_id,
    source: 'file',
    file_name,
    created_by: DEMO_ADMIN,
    codes: count,
  });
  await addUpload(db, { kind: 'coupons', file_name, rows_total: count, product_ids: [product_id], batch_id });
  const batch = { product_id, batch_id, shared: product.shared_coupon };
  // Each product begins with another learner of the list, so that learners have different products.
  const first = DEMO_PRODUCTS.indexOf(demo) * 31;
  const emails = DEMO_COHORT.map((_, at) => pick(DEMO_COHORT, first + at * 7).email);
  await writeAsOne(db, {
    write: () =>
      grantAccess(db, {
        emails: emails.slice(0, redeemed + YET_TO_REDEEM),
        product_ids: [product_id],
        starts_on: dayOf(new Date(now.getTime() - DEMO_DAYS.length * DAY_MS)),
        ends_on: null,
        today: dayOf(now),
        actor: DEMO_ADMIN,
      }),
    action: 'user.act',
    detail: { act: 'grant', count: redeemed + YET_TO_REDEEM, product_ids: [product_id] },
    summary_of: ['grant'],
  });
  const codes = batch.shared ? [prefix] : makeCodes(prefix, count);
  const free = batch.shared ? codes : codes.slice(redeemed);
  const soon = dayOf(new Date(now.getTime() + 9 * DAY_MS));
  const use_by = free.map((_, index) => (index < ending ? soon : 'infinity'));
  await createCoupons(db, { ...batch, codes: free, use_by });
  const past = emails.slice(0, redeemed).map((email, index) => ({
    ...batch,
    email,
    coupon_code: pick(codes, index),
    at: new Date(now.getTime() - pick(DAYS_AGO, (first + index) * 97) * DAY_MS - index * MINUTE_MS),
  }));
  return { product_id, past };
}

/** Adds a cohort with its products and members. */
async function addCohort(
  db: Database,
  demo: (typeof DEMO_COHORTS)[number],
  { product_ids, now }: { product_ids: readonly string[]; now: Date },
): Promise<void> {
  const { name, starts, ends, members } = demo;
  const dayFrom = (days: number) => dayOf(new Date(now.getTime() + days * DAY_MS));
  const cohort = {
    name,
    note: null,
    product_ids: demo.products.map((index) => product_ids[index] as string),
    starts_on: dayFrom(starts),
    ends_on: dayFrom(ends),
  };
  const { cohort_id } = await createCohort(db, { actor: DEMO_ADMIN, cohort }, { now: () => now, dayOf });
  const emails = DEMO_COHORT.slice(...members).map(({ email }) => email);
  await addMembers(db, { cohort_id, actor: DEMO_ADMIN, emails });
}

/** Issues a code that the portal generates, because the partner's codes of this product are all assigned. */
async function addGeneratedCode(db: Database, product_ids: readonly string[], now: Date): Promise<void> {
  const index = DEMO_PRODUCTS.findIndex(({ codes, redeemed }) => codes === redeemed);
  const order = {
    actor: DEMO_TEAM[1].email,
    email: DEMO_LEARNERS[0]?.email ?? '',
    productId: product_ids[index] as string,
  };
  await generateCoupon(db, order, { now: () => now, dayOf, randomBytes: drawBytes('generated') });
}

type OneEntry = Pick<AuditLine, 'action' | 'detail' | 'summary_of'> & { write: () => Promise<unknown> };

/** Calls `write`. The lines that it writes are one entry of the log, with this summary, as those of a job are. */
async function writeAsOne(db: Database, { write, ...summary }: OneEntry): Promise<void> {
  await setLogGroup(db, randomUUID());
  await write();
  await createAuditLine(db, { actor: DEMO_ADMIN, ...summary });
  await setLogGroup(db, null);
}

type Upload = { kind: 'users' | 'coupons'; file_name: string; rows_total: number };

// Adds a finished upload, in which all rows were valid, to the list of uploads. Returns its id.
async function addUpload(
  db: Db,
  upload: Upload & { product_ids?: string[]; batch_id?: string },
): Promise<string> {
  const id = randomUUID();
  const defaults = { product_ids: [], batch_id: null, created_by: DEMO_ADMIN, detail: {} };
  await createBulkJob(db, id, { ...defaults, ...upload });
  await addStep(db, id, { changed: upload.rows_total, ends: 'done', detail: {} });
  return id;
}

function pick<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T;
}

// Returns the same codes on every start, so that screenshots of the demo do not change.
function makeCodes(prefix: string, count: number): string[] {
  const make = (index: number) => makeCouponCode(drawBytes(`${prefix} ${index}`)).slice(5);
  return Array.from({ length: count }, (_, index) => `${prefix}-${make(index)}`);
}

/** Returns a function that returns one byte. A second start of the demo draws the same bytes for `seed`. */
function drawBytes(seed: string) {
  let drawn = 0;
  return () => createHash('sha256').update(`${seed} ${drawn++}`).digest().subarray(0, 1);
}

export type Demo = {
  env: Record<string, string | undefined>;
  /** Fills the empty database, and returns a text with the addresses with which people can sign in. */
  fill(db: Database, publicUrl: string): Promise<string>;
  close(): Promise<void>;
};

/**
 * Returns the settings of the demo. Copies only PORT, HOST, LOG_LEVEL and BRAND_FILE from the environment `env`. Other
 * variables could connect the demo to real data or to a mail server.
 */
export async function prepareDemo(env: Demo['env']): Promise<Demo> {
  const { PORT, HOST, LOG_LEVEL = 'warn', BRAND_FILE } = env;
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
  const people = [
    ...DEMO_LEARNERS,
    { email: DEMO_ADMIN, state: 'administrator' },
    ...DEMO_TEAM.map(({ email, team_role }) => ({ email, state: `staff: ${team_role}` })),
  ];
  const lines = people.map(({ email, state }) => `  ${email.padEnd(28)} ${state}`);
  return [
    'This is a demo: everything in it is invented, and gone when it stops.',
    `Press Login, or open ${publicUrl}/admin-login as the administrator. Give one of these addresses, and open the link`,
    `in ${publicUrl}/dev/outbox`,
    '',
    ...lines,
    '',
  ].join('\n');
}
