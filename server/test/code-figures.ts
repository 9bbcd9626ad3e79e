// Reads every number of codes that the API shows, and compares it with the number of rows.
import { expect } from 'vitest';
import type { Database } from '../src/db/database.ts';
import type { TestApp } from './open-test-app.ts';

type Reader = { call: TestApp['call']; db: Database; token: string; today: string };
type Figures = Record<'free' | 'held' | 'revoked' | 'void' | 'expired', number>;
type CodeRow = {
  product_id: string;
  batch_id: string;
  is_archived: boolean;
  state: keyof Figures;
  /** Day in UTC on which a learner redeemed the code; null if staff assigned it, or nobody holds it. */
  redeemed_on: string | null;
};
type ListedRow = { product_id: string; shared_coupon: boolean };

/** Maps the filter `status` of lists to the state of the codes that it selects. */
const STATUSES = {
  available: 'free',
  assigned: 'held',
  revoked: 'revoked',
  void: 'void',
  expired: 'expired',
} as const;
const NAMES = Object.fromEntries(Object.entries(STATUSES).map(([status, state]) => [state, status]));

/** Number of uploads that are compared: those with the most codes. */
const BATCHES = 30;

/** Returns all codes with their state, computed from the rows of the table alone. */
async function readRows({ db, today }: Reader): Promise<CodeRow[]> {
  const { rows } = await db.query<CodeRow>(
    `select c.product_id, c.batch_id, p.archived_at is not null as is_archived,
       case when c.revoked_at is not null then 'revoked' when c.holder is not null then 'held'
            when c.void_reason = 'expired' then 'expired' when c.voided_at is not null then 'void'
            when c.use_by <= $1::date then 'expired' else 'free' end as state,
       case when c.assigned_by = 'learner' then to_char(c.assigned_at at time zone 'utc', 'YYYY-MM-DD') end as redeemed_on
     from coupon c join product p on p.product_id = c.product_id`,
    [today],
  );
  return rows;
}

function countStates(rows: { state: string }[]): Figures {
  const figures: Figures = { free: 0, held: 0, revoked: 0, void: 0, expired: 0 };
  for (const { state } of rows) figures[state as keyof Figures] += 1;
  return figures;
}

async function read({ call, token }: Reader, url: string) {
  const response = await call('GET', url, { token });
  expect(response.status, url).toBe(200);
  return response;
}

/** Compares the redemptions of the last 30 days: of each day on the dashboard, and of each product in its list. */
async function expectRedemptionsAgree(reader: Reader, rows: readonly CodeRow[]): Promise<void> {
  const { body } = await read(reader, '/api/admin/stats');
  const { redemptions } = body as { redemptions: { day: string; count: number }[] };
  const onDays = redemptions.map(({ day }) => ({
    day,
    count: rows.filter(({ redeemed_on }) => redeemed_on === day).length,
  }));
  expect(redemptions).toEqual(onDays);
  expect(redemptions.map(({ day }) => day).at(-1)).toBe(reader.today);
  const isRecent = (day: string | null) => redemptions.some((each) => each.day === day);
  const { rows: products } = await reader.db.query<{ product_id: string; is_archived: boolean }>(
    'select product_id, archived_at is not null as is_archived from product order by product_id',
  );
  for (const archived of [false, true]) {
    const list = (await read(reader, `/api/products?archived=${archived}`)).body as ListedRow[];
    const ids = products.filter(({ is_archived }) => is_archived === archived).map((row) => row.product_id);
    expect(list.map(({ product_id }) => product_id).toSorted()).toEqual(ids);
    for (const { product_id, shared_coupon, ...row } of list) {
      const own = rows.filter((code) => code.product_id === product_id);
      const { free, held } = countStates(own);
      const redeemed_30 = own.filter(({ redeemed_on }) => isRecent(redeemed_on)).length;
      expect(row).toMatchObject({ left: shared_coupon ? null : free, held, redeemed_30 });
    }
  }
}

/** Reads a list in each way: as a whole, by status with its total, and as CSV. */
async function readList(reader: Reader, filter: Record<string, string>) {
  const query = (more: Record<string, string> = {}) => `${new URLSearchParams({ ...filter, ...more })}`;
  const ofList = countStates((await read(reader, `/api/coupons?${query()}`)).body as CodeRow[]);
  const paged: Record<string, number>[] = [];
  const totals: Record<string, number> = {};
  for (const [status, state] of Object.entries(STATUSES)) {
    const { body, headers } = await read(reader, `/api/coupons?${query({ status, limit: '500' })}`);
    totals[state] = Number(headers['x-total-count']);
    paged.push(countStates(body as CodeRow[]));
  }
  const { headers, body } = await read(reader, `/api/coupons?${query({ limit: '500' })}`);
  const csv = `${(await read(reader, `/api/admin/export/codes.csv?${query()}`)).body}`;
  const states = csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => ({ state: STATUSES[line.split(',')[2] as keyof typeof STATUSES] }));
  const ofStatus: Record<string, number> = {};
  for (const [status, state] of Object.entries(STATUSES)) {
    const part = `${(await read(reader, `/api/admin/export/codes.csv?${query({ status })}`)).body}`;
    ofStatus[state] = part.trim().split('\r\n').length - 1;
  }
  return {
    ...{ ofList, totals, whole: countStates(body as CodeRow[]), all: Number(headers['x-total-count']) },
    ofStatuses: paged,
    exported: countStates(states),
    exportedByStatus: ofStatus,
  };
}

function listOf(rows: CodeRow[]) {
  const figures = countStates(rows);
  const alone = (state: string) => countStates(rows.filter((row) => row.state === state));
  return {
    ...{ ofList: figures, totals: figures, whole: figures, all: rows.length },
    ofStatuses: Object.values(STATUSES).map(alone),
    ...{ exported: figures, exportedByStatus: figures },
  };
}

/**
 * R-DAY-20: expects that all numbers of codes agree: dashboard, lists with their totals, exports, the list and the pages
 * of products, uploads and search. Returns the numbers of all products that are not archived. A list may have at most 500
 * codes.
 */
export async function expectFiguresAgree(reader: Reader): Promise<Figures> {
  const rows = await readRows(reader);
  const current = rows.filter(({ is_archived }) => !is_archived);
  const figures = countStates(current);

  const stats = (await read(reader, '/api/admin/stats')).body as {
    coupons: Record<string, number>;
    stock: ({ product_id: string; shared_coupon: boolean } & Record<string, unknown>)[];
  };
  const byStatus = Object.fromEntries(Object.entries(figures).map(([state, count]) => [NAMES[state], count]));
  expect(stats.coupons).toEqual({ total: current.length, ...byStatus });
  expect(await readList(reader, {})).toEqual(listOf(current));
  expect(await readList(reader, { archived: 'true' })).toEqual(
    listOf(rows.filter(({ is_archived }) => is_archived)),
  );

  const { rows: products } = await reader.db.query<{ product_id: string; name: string; shared: boolean }>(
    'select product_id, name, shared_coupon as shared from product order by product_id',
  );
  for (const { product_id, name, shared } of products) {
    const own = rows.filter((row) => row.product_id === product_id);
    const counted = countStates(own);
    const { free: left, ...others } = counted;
    const usable = counted.free + counted.held + counted.revoked;
    expect(await readList(reader, { product_id }), name).toEqual(listOf(own));
    const record = (await read(reader, `/api/admin/products/${product_id}`)).body;
    expect(record, name).toMatchObject({ left, ...others });
    const stock = stats.stock.find((row) => row.product_id === product_id);
    const isArchived = (record as { archived_at: string | null }).archived_at !== null;
    if (isArchived) expect(stock, name).toBeUndefined();
    else
      expect(stock, name).toMatchObject({
        ...{ codes: own.length, ...counted },
        ...{ total: usable, left: shared ? null : left },
      });
    const found = (await read(reader, `/api/admin/find?q=${encodeURIComponent(name)}`)).body as {
      products: { product_id: string }[];
    };
    const searched = found.products.find((row) => row.product_id === product_id);
    if (searched) expect(searched, name).toMatchObject({ total: usable, left: shared ? null : left });
  }

  const ofBatches = Map.groupBy(rows, ({ batch_id }) => batch_id);
  const largest = [...ofBatches].sort(([, a], [, b]) => b.length - a.length).slice(0, BATCHES);
  for (const [batch_id, own] of largest) {
    const batch = (await read(reader, `/api/admin/batches/${batch_id}`)).body;
    expect(batch).toMatchObject(countStates(own));
    const exported = `${(await read(reader, `/api/admin/export/codes.csv?batch_id=${batch_id}`)).body}`;
    expect(exported.trim().split('\r\n').length - 1).toBe(own.length);
  }

  await expectRedemptionsAgree(reader, rows);
  const redemptions = `${(await read(reader, '/api/admin/export/redemptions.csv')).body}`;
  expect(redemptions.trim().split('\r\n').length - 1).toBe(
    rows.filter(({ state }) => state === 'held' || state === 'revoked').length,
  );
  return figures;
}
