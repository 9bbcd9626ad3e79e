// Performs random actions of staff and learners that change codes, through the calls of the API. The seed of the random
// numbers selects the actions.
import { AppError } from '../src/app-error.ts';
import { voidCodes } from '../src/features/codes/void.ts';
import { addUpTally, recountTally } from '../src/features/dashboard/tally.sql.ts';
import { expireNow, inDays } from './code-world.ts';
import type { TestApp } from './open-test-app.ts';

// Number of different codes that staff add to each product. It is small, so that uploads often contain a code that is
// free, held or void.
const TEXTS = 24;
// Products that exist at most, so that all codes fit into one page of a list.
const MOST_PRODUCTS = 16;

type Learner = { email: string; token: string };
type CodeRow = { id: string; batch_id: string };

/**
 * Returns `step`, which performs one random action and returns its name and the status of the response; null if the
 * action was not possible. `token` belongs to an owner.
 */
export function createCodeActs(
  portal: TestApp,
  { token, learners, random }: { token: string; learners: Learner[]; random: (below: number) => number },
) {
  const { db } = portal;
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const post = async (url: string, body: unknown, caller = token) =>
    (await portal.call('POST', url, { token: caller, body })).status;
  const pickText = () => `TEXT-${random(TEXTS)}`;
  const pickTexts = (count: number) => [...new Set(Array.from({ length: count }, pickText))];
  const pickDay = () => pick(['', '', inDays(-1), inDays(0), inDays(1), inDays(40)]);
  const pickRow = async <Row>(statement: string): Promise<Row | null> => {
    const { rows } = await db.query<Row & Record<string, unknown>>(statement);
    return rows.length === 0 ? null : (pick(rows) as Row);
  };
  const pickProduct = async () => {
    const statement = 'select product_id from product order by created_at, product_id';
    return (await pickRow<{ product_id: string }>(statement))?.product_id ?? '';
  };
  const hasRoom = async () => (await db.query('select 1 from product')).rows.length < MOST_PRODUCTS;
  const free = 'select id, batch_id from coupon where holder is null order by id';
  const held = 'select id, batch_id from coupon where holder is not null order by id';
  const issue = async (call: string) => {
    const body = { email: pick(learners).email, productId: await pickProduct() };
    return post(`/api/admin/${call}`, body);
  };
  const revoke = async (replace: boolean) => {
    const code = await pickRow<CodeRow>(held);
    return code && post(`/api/admin/coupons/${code.id}/revoke`, { reason: 'Does not work', replace });
  };

  // Each function returns the status of a response.
  const acts = {
    addProduct: async () => {
      if (!(await hasRoom())) return null;
      const texts = { name: `Product ${random(1_000_000)}`, description: 'Tool', url: 'tool.example' };
      return post('/api/products', { ...texts, shared_coupon: random(4) === 0 });
    },
    /** An upload of products, which may be undone. The undo archives the products. */
    uploadProducts: async () => {
      if (!(await hasRoom())) return null;
      const csvData = `name,url,description\nUpload ${random(1_000_000)},tool.example,Tool\n`;
      return post('/api/admin/products/bulk', { csvData });
    },
    undoUpload: async () => {
      const statement = "select id from bulk_job where kind in ('products', 'users') order by created_at, id";
      const upload = await pickRow<{ id: string }>(statement);
      return upload && post(`/api/admin/imports/${upload.id}/undo`, { expected: 10 });
    },
    uploadPeople: async () => {
      const csvData = `email,name\n${pick(learners).email},Amara\n`;
      return post('/api/admin/users/bulk', { csvData, product_ids: [await pickProduct()] });
    },
    add: async () =>
      post('/api/admin/coupons/single', {
        product_id: await pickProduct(),
        coupon_code: random(8) ? pickText() : '',
        usage_limit: null,
      }),
    upload: async () => {
      const lines = pickTexts(1 + random(5)).map((text) => `${text},${pickDay()}`);
      const csvData = `coupon_code,use_by\n${lines.join('\n')}\n`;
      return post('/api/admin/coupons/bulk', { productId: await pickProduct(), csvData });
    },
    uploadBlanks: async () => {
      const body = { productId: await pickProduct(), csvData: 'coupon_code\n-\n', blanks: 'generate' };
      return post('/api/admin/coupons/bulk', body);
    },
    redeem: async () => post('/api/redeem-secure', { productId: await pickProduct() }, pick(learners).token),
    generate: () => issue('generate-coupon'),
    regenerate: () => issue('regenerate-coupon'),
    replace: () => revoke(true),
    revoke: () => revoke(false),
    voidCode: async () => {
      const code = await pickRow<CodeRow>(free);
      const body = { reason: pick(['mistake', 'dead']), note: null };
      return code && post(`/api/admin/coupons/${code.id}/void`, body);
    },
    voidUpload: async () => {
      const code = await pickRow<CodeRow>(free);
      const body = { reason: pick(['mistake', 'mistake', 'dead']), note: null, expected: random(12) };
      return code && post(`/api/admin/batches/${code.batch_id}/void`, body);
    },
    lastDay: async () => {
      const code = await pickRow<CodeRow>(free);
      const body = { use_by: pickDay() || null, expected: TEXTS };
      return code && post(`/api/admin/batches/${code.batch_id}/use-by`, body);
    },
    /** The operator makes the free codes void that the partner lists. */
    voidCodes: async () => {
      const csvData = `coupon_code\n${pickTexts(3).join('\n')}\n`;
      const order = { product_id: await pickProduct(), actor: 'operator', csvData };
      return voidCodes(db, order, () => new Date()).then(
        () => 200,
        (error: unknown) => {
          if (error instanceof AppError) return 409;
          throw error;
        },
      );
    },
    status: async () => {
      const status = pick(['live', 'live', 'live', 'paused', 'archived']);
      return post(`/api/admin/products/${await pickProduct()}/status`, { status, note: null });
    },
    defaultDay: async () => {
      const product_id = await pickProduct();
      const { body } = await portal.call('GET', `/api/admin/products/${product_id}`, { token });
      const edited = { ...(body as object), use_by_default: pickDay() || null };
      return post(`/api/admin/products/${product_id}/edit`, edited);
    },
    give: async () => {
      const product_ids = [await pickProduct()];
      return post('/api/admin/grants', { email: pick(learners).email, product_ids });
    },
    withdraw: async () => {
      const live = 'select id from access_grant where withdrawn_at is null order by id';
      const grant = await pickRow<{ id: string }>(live);
      const body = { reason: 'Left', revoke_code: random(2) === 0, expected: 1 };
      return grant && post(`/api/admin/grants/${grant.id}/withdraw`, body);
    },
    expire: async () => {
      await expireNow(portal);
      return 200;
    },
    addUp: async () => {
      await addUpTally(db, new Date());
      return 200;
    },
    recount: async () => ((await recountTally(db, new Date())).wrong === 0 ? 200 : 500),
  };

  // Relative frequency of each kind of action; 1 for kinds that are not listed.
  const often: Partial<Record<keyof typeof acts, number>> = {
    ...{ upload: 6, add: 3, redeem: 12, give: 6, status: 4, generate: 3, regenerate: 2 },
    ...{ replace: 2, revoke: 2, voidCode: 2, voidUpload: 2, lastDay: 2, uploadProducts: 2 },
  };
  const names = (Object.keys(acts) as (keyof typeof acts)[]).flatMap((name) =>
    Array.from({ length: often[name] ?? 1 }, () => name),
  );
  return {
    names: new Set<string>(names),
    step: async (): Promise<{ name: string; status: number | null }> => {
      const name = pick(names);
      return { name, status: await acts[name]() };
    },
  };
}
