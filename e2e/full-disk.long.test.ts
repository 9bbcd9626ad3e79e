// Tests a full or read-only disk with the embedded database: the portal reports the error and loses no issued code.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getStats, importCoupons, type Product, redeemCoupon } from '@portal/contract';
import { expect, inject, onTestFinished, type TestContext, test } from 'vitest';
import { findFreePort } from '../server/test/postgres.ts';
import { callApi, openAdmin, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, type Portal, startPortal } from './harness/portal.ts';
import { waitForProgress } from './harness/progress.ts';
import { SHORT_WAITS } from './harness/short-waits.ts';

const run = promisify(execFile);
const DISK_MEGABYTES = 200;
const PRODUCTS = 160;
// Number of codes in one uploaded file. So many codes need more than one segment of the write-ahead log.
const BULK_CODES = 40_000;
/**
 * Maximum number of uploads until the write-ahead log fails. Even a failed upload fills most of a segment of this log,
 * so a few uploads reach the end of a segment.
 */
const UPLOADS = 6;
const LEARNER = 'lea@learner.example';
// Free space on the disk during the uploads: too little for the next segment of the write-ahead log.
const TOO_LITTLE_BYTES = 5 * 2 ** 20;

/** Mounts a small in-memory disk and returns its path, or null if this machine does not allow mounting. */
async function mountDisk(): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-disk-'));
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );
  if (!mounted) {
    await rm(folder, { recursive: true });
    return null;
  }
  onTestFinished(async () => {
    await run('umount', ['-l', folder]);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

test('full disk: redemptions get 503 with Retry-After until there is space, and every issued code is kept', async (context) => {
  const { portal, disk, token, products } = await openOnDisk(context);
  const issued = await redeemAll(portal, token, products.slice(0, PRODUCTS / 2));
  const makeRoom = await fillUp(disk, 0);
  const answers = await Promise.all(products.map((id) => redeem(portal, token, id)));
  expect(answers.map(({ status }) => status)).toContain(503);
  for (const { status, productId, code, retryAfter } of answers) {
    if (status === 200) issued.set(productId, code);
    else expect([status, retryAfter]).toEqual([503, '2']);
  }
  expect(portal.output()).toContain('No space left on device');
  await makeRoom();
  await expectIssued(portal, token, issued);
  expect((await redeemAll(portal, token, products)).size).toBe(PRODUCTS);
});

test('no space for the write-ahead log: the engine stops, the process does not, and works again when there is space', async (context) => {
  const { portal, disk, token, staff, products } = await openOnDisk(context);
  const issued = await redeemAll(portal, token, products);
  const csvData = `coupon_code\n${Array.from({ length: BULK_CODES }, (_, row) => `BULK-${row}`).join('\n')}\n`;
  const isReady = async () => (await fetch(`${portal.url}/readyz`)).ok;
  let makeRoom = async () => {};
  // Repeats the upload until the write-ahead log fails. In some uploads the tables run out of space first: this depends
  // on how full the log's current segment is.
  for (let upload = 0; upload < UPLOADS && (await isReady()); upload += 1) {
    await makeRoom();
    makeRoom = await fillUp(disk, TOO_LITTLE_BYTES);
    const imported = await post(portal, importCoupons.path, staff, { productId: products[0], csvData });
    expect(imported.status).toBe(503);
  }
  expect(await isReady()).toBe(false);
  expect((await fetch(`${portal.url}/healthz`)).status).toBe(200);
  expect((await redeem(portal, token, products[0] ?? '')).status).toBe(503);
  expect(portal.output()).toContain('PANIC');

  await makeRoom();
  await expect.poll(isReady).toBe(true);
  await expectIssued(portal, token, issued);
  await waitForProgress(() => countCodes(portal, staff), PRODUCTS + BULK_CODES);
  expect(await countCodes(portal, staff)).toBe(PRODUCTS + BULK_CODES);
});

test('read-only disk: the start fails with one line that says so', async (context) => {
  const { portal, disk, place, mailbox } = await openOnDisk(context);
  await portal.stop();
  await run('mount', ['-o', 'remount,ro', disk]);
  await expect(startPortal({ mailbox, place })).rejects.toThrow(
    /cannot be written \(.*(EROFS|Read-only).*\)\. /,
  );
  await run('mount', ['-o', 'remount,rw', disk]);
  await (await startPortal({ mailbox, place })).stop();
});

test('no space for a new database: the first start fails with one line that names the folder', async (context) => {
  const disk = await mountDisk();
  if (disk === null) return context.skip('this machine lets nobody mount a disk');
  const mailbox = await openMailbox();
  onTestFinished(mailbox.close);
  for (const [free, reason] of [
    [20e6, /^The database in \S+\/pg cannot be made: only \d+ MB are free there.* Make room.*\n$/],
    [0, /^(The data folder \S+|DATA_DIR \S+) cannot be written \(.*\)\. Make room.*\n$/],
  ] as const) {
    const dataDir = join(disk, `data-${free}`);
    await mkdir(dataDir);
    const makeRoom = await fillUp(disk, free);
    const place = { port: await findFreePort(), dataDir };
    const started = startPortal({ mailbox, place });
    const message = await started.then(String, (error: Error) => error.message);
    expect(message.replace('the portal did not start:\n', '')).toMatch(reason);
    await makeRoom();
  }
});

/** Starts a portal on a small disk, with many products that have one code each, and one learner with access to all. */
async function openOnDisk(context: TestContext) {
  const disk = await mountDisk();
  if (disk === null) return context.skip('this machine lets nobody mount a disk');
  const place = { port: await findFreePort(), dataDir: join(disk, 'data') };
  await cp(join(inject('templateFolder'), 'pg'), join(place.dataDir, 'pg'), { recursive: true });
  const mailbox = await openMailbox();
  const portal = await startPortal({ mailbox, place, program: SHORT_WAITS });
  onTestFinished(async () => {
    await portal.kill();
    await mailbox.close();
  });
  const admin = await openAdmin(portal);
  const made: Product[] = [];
  for (let index = 0; index < PRODUCTS; index += 1) {
    const product = await admin.addProduct({ name: `Product ${index}` });
    await admin.addCodes(product, `CODE-${index}`);
    made.push(product);
  }
  await admin.addLearner(LEARNER, ...made);
  const { access_token: token } = await signIn(portal, LEARNER);
  const { access_token: staff } = await signIn(portal, ADMIN_EMAIL);
  return { portal, disk, place, mailbox, token, staff, products: made.map(({ product_id }) => product_id) };
}

/** Fills the disk until `bytes` are free. Returns a function that frees the space again. */
async function fillUp(disk: string, bytes: number): Promise<() => Promise<void>> {
  const filler = join(disk, 'filler');
  const { bavail, bsize } = await statfs(disk);
  await writeFile(filler, Buffer.alloc(bavail * bsize - bytes)).catch((error: NodeJS.ErrnoException) => {
    // The portal has written to the disk after `statfs` read the free space. So the filler file no longer fits. The
    // disk is full now, as intended.
    if (error.code !== 'ENOSPC') throw error;
  });
  return () => rm(filler);
}

async function post(portal: Portal, path: string, token: string, body: unknown, signal?: AbortSignal) {
  return fetch(portal.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

async function redeem(portal: Portal, token: string, productId: string) {
  const response = await post(portal, redeemCoupon.path, token, { productId }, AbortSignal.timeout(30_000));
  const { coupon } = (await response.json()) as { coupon?: { couponCode: string } };
  const retryAfter = response.headers.get('retry-after');
  return { productId, status: response.status, code: coupon?.couponCode ?? '', retryAfter };
}

/** Redeems each product and returns the codes by product id. */
async function redeemAll(portal: Portal, token: string, products: string[]): Promise<Map<string, string>> {
  const issued = new Map<string, string>();
  for (const productId of products) {
    const { status, code } = await redeem(portal, token, productId);
    expect(status).toBe(200);
    issued.set(productId, code);
  }
  return issued;
}

async function expectIssued(portal: Portal, token: string, issued: Map<string, string>): Promise<void> {
  expect(await redeemAll(portal, token, [...issued.keys()])).toEqual(issued);
}

async function countCodes(portal: Portal, token: string): Promise<number> {
  const { stock } = await callApi(portal.url, getStats, { token });
  return stock.reduce((sum, { total }) => sum + total, 0);
}
