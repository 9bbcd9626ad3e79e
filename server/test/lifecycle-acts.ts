// Performs random actions of staff and learners on products, access and codes. Performs each action in the database and
// in a reference model (lifecycle-model.ts), so that a test can compare the two outcomes.
import { AppError } from '../src/app-error.ts';
import type { Database } from '../src/db/database.ts';
import { recordClaimPlaces } from '../src/stores/claims.ts';
import { findProductRecord } from '../src/stores/products.ts';
import { foldTally } from '../src/stores/tally.ts';
import { createGrants, editGrant, withdrawGrant } from '../src/usecases/change-grants.ts';
import { createClaimHints } from '../src/usecases/claim-hints.ts';
import { createCoupon } from '../src/usecases/create-coupon.ts';
import { editProduct, setProductStatus } from '../src/usecases/edit-product.ts';
import { expireCoupons } from '../src/usecases/expire-coupons.ts';
import { importCsv } from '../src/usecases/import-csv.ts';
import { generateCoupon, regenerateCoupon } from '../src/usecases/issue-coupon.ts';
import { redeemCoupon } from '../src/usecases/redeem-coupon.ts';
import { revokeCoupon } from '../src/usecases/revoke-coupon.ts';
import { setBatchUseBy, voidBatch } from '../src/usecases/start-batch-act.ts';
import { voidCoupon } from '../src/usecases/void-coupon.ts';
import { utcDayOf } from './factories.ts';
import { type Learner, STAFF, toolsOn } from './lifecycle.ts';
import type { Code, LifecycleModel } from './lifecycle-model.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from './test-jobs.ts';

const FIRST_DAY_MS = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
// Number of different texts of uploaded codes. The number is small, so an upload often contains a code that exists
// already and is free, held or void.
const TEXTS = 40;

export type World = {
  db: Database;
  model: LifecycleModel;
  random: (below: number) => number;
  product_ids: string[];
  learners: Learner[];
  cohort_id: string;
};

/** Returns the outcome of a call: 'ok', or the error code with which the call was refused. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

export function createActs({ db, model, random, product_ids, learners, cohort_id }: World) {
  let day = 0;
  let steps = 0;
  const today = (ahead = 0) => utcDayOf(new Date(FIRST_DAY_MS + (day + ahead) * DAY_MS));
  // Claim hints of two simulated processes. Each process of the portal has its own claim hints.
  const hints = [createClaimHints(), createClaimHints()];
  const tools = () => ({
    ...TEST_IMPORT_TOOLS,
    ...toolsOn(today()),
    now: () => new Date(FIRST_DAY_MS + day * DAY_MS + steps),
    hints: hints[random(2)] ?? createClaimHints(),
  });
  const uploadTools = () => createUploadTools(db, tools());
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const someDay = () => today(random(9) - 4);
  const dayOrNull = () => (random(2) ? someDay() : null);
  const dayAhead = () => (random(2) ? today(1 + random(5)) : null);
  const someProduct = () => {
    const product = random(product_ids.length);
    return { product, product_id: product_ids[product] as string, state: model.productOf(product) };
  };
  const someCode = async () => {
    const { product, product_id, state } = someProduct();
    if (state.codes.length === 0) return null;
    const code = pick(state.codes);
    const { rows } = await db.query<{ id: string; batch_id: string }>(
      'select id, batch_id from coupon where product_id = $1 and coupon_code = $2',
      [product_id, code.text],
    );
    return { product, product_id, code, ...(rows[0] as { id: string; batch_id: string }) };
  };
  const lastDay = (product: number, use_by: string | null) => use_by ?? model.defaultDay(product, today());
  /**
   * Assigns a code to the person in the model, after the portal has done so in the database. Assigns the next free code
   * of the model. If the model has no free code, adds and assigns the code that the portal generated.
   */
  const issue = async (who: Learner, product: number, product_id: string) => {
    const next = model.nextFree(product, today());
    if (next !== null) return model.give(who.email, product, next);
    const { rows } = await db.query<{ coupon_code: string }>(
      'select coupon_code from coupon where product_id = $1 and holder = $2 and is_current',
      [product_id, who.user_id],
    );
    const made = model.add(product, rows[0]?.coupon_code ?? '', lastDay(product, null)) as Code;
    return model.give(who.email, product, made);
  };

  // Each function performs one kind of action. It returns the outcome in the database, and then the outcome in the
  // model.
  const acts = {
    grant: async () => {
      const who = pick([...learners, null]);
      const given = product_ids.filter(() => random(3) === 0);
      const isAll = given.length === 0;
      const days = { starts_on: someDay(), ends_on: dayOrNull() };
      const to = who === null ? { cohort_id } : { email: who.email };
      const body = { ...to, product_ids: isAll ? ('all' as const) : given, ...days };
      const real = await outcomeOf(createGrants(db, { actor: STAFF, given: body }, tools()));
      if (days.ends_on !== null && days.ends_on < days.starts_on) return [real, 'invalid_request'];
      const indexes = isAll ? [null] : given.map((id) => product_ids.indexOf(id));
      if (indexes.some((index) => index !== null && model.productOf(index).isArchived))
        return [real, 'product_not_found'];
      for (const index of indexes) model.grant(who?.email ?? 'cohort', index, days, today());
      return [real, 'ok'];
    },
    editGrant: async () => {
      const found = await someGrant();
      if (found === null) return ['', ''];
      const starts_on = someDay();
      const ends_on = random(2) ? today(random(5)) : null;
      if (ends_on !== null && ends_on < starts_on) return ['', ''];
      const edited = { id: found.id, actor: STAFF, reason: 'Term', starts_on, ends_on };
      const real = await outcomeOf(editGrant(db, edited, tools()));
      if (found.grant.withdrawn_on !== null) return [real, 'grant_withdrawn'];
      Object.assign(found.grant, { starts_on, ends_on });
      return [real, 'ok'];
    },
    withdraw: async () => {
      const found = await someGrant();
      if (found === null) return ['', ''];
      const { id, grant } = found;
      const revoke_code = random(3) === 0;
      const real = await outcomeOf(
        withdrawGrant(db, { id, actor: STAFF, reason: 'Left', revoke_code }, tools()),
      );
      if (revoke_code && (grant.who === 'cohort' || grant.product === null)) return [real, 'invalid_request'];
      if (grant.withdrawn_on !== null) return [real, 'ok'];
      grant.withdrawn_on = today();
      if (!revoke_code || grant.product === null) return [real, 'ok'];
      const held = model.current(grant.who, grant.product);
      const isOver = !model.hasAccess(grant.who, grant.product, today());
      if (held !== null && !held.isRevoked && isOver) model.revoke(grant.product, held);
      return [real, 'ok'];
    },
    status: async () => {
      const { product_id, state } = someProduct();
      const status = pick(['live', 'live', 'live', 'paused', 'archived'] as const);
      const real = await outcomeOf(
        setProductStatus(db, { product_id, actor: STAFF, status, note: null }, tools()),
      );
      if (status === 'paused' && state.isArchived) return [real, 'product_ended'];
      if (status === 'live') Object.assign(state, { isPaused: false, isArchived: false });
      else state[status === 'paused' ? 'isPaused' : 'isArchived'] = true;
      return [real, 'ok'];
    },
    edit: async () => {
      const { product_id, state } = someProduct();
      const [opens_on, closes_on] = [random(3) ? null : someDay(), random(3) ? null : someDay()];
      if (opens_on !== null && closes_on !== null && closes_on < opens_on) return ['', ''];
      const edited = { opens_on, closes_on, use_by_default: random(3) ? null : dayOrNull() };
      const record = await findProductRecord(db, product_id, today());
      if (record === null) return ['missing', 'ok'];
      const real = await outcomeOf(
        editProduct(db, { product_id, actor: STAFF, edited: { ...record, ...edited } }, tools()),
      );
      if (edited.use_by_default !== null && edited.use_by_default <= today())
        return [real, 'invalid_request'];
      Object.assign(state, edited);
      return [real, 'ok'];
    },
    upload: async () => {
      const { product, product_id, state } = someProduct();
      const texts = new Set(Array.from({ length: 1 + random(4) }, () => `CODE-${random(TEXTS)}`));
      const rows = [...texts].map((text) => ({ text, use_by: random(3) ? null : someDay() }));
      const lines = rows.map(({ text, use_by }) => `${text},${use_by ?? ''}`);
      const csvData = `coupon_code,use_by\n${lines.join('\n')}\n`;
      const upload = { kind: 'coupons' as const, csvData, product_ids: [product_id], actor: STAFF };
      const results: unknown[] = [];
      const importing = importCsv(db, upload, uploadTools()).then((done) => results.push(done.results));
      const real = await outcomeOf(importing);
      if (state.isArchived) return [real, 'product_not_found'];
      const counts = { success: 0, duplicates: 0, failures: 0 };
      const batch = --batches;
      for (const { text, use_by } of rows) {
        const last = use_by ?? state.use_by_default ?? 'infinity';
        if (last <= today()) counts.failures += 1;
        else counts[model.add(product, text, last, batch) === null ? 'duplicates' : 'success'] += 1;
      }
      const { success, duplicates, failures } = results[0] as typeof counts;
      return [JSON.stringify({ success, duplicates, failures }), JSON.stringify(counts)];
    },
    single: async () => {
      const { product, product_id, state } = someProduct();
      const coupon_code = `CODE-${random(TEXTS)}`;
      const coupon = { product_id, coupon_code, usage_limit: null };
      const real = await outcomeOf(createCoupon(db, { actor: STAFF, coupon }, tools()));
      if (state.isArchived) return [real, 'product_not_found'];
      if (state.use_by_default !== null && state.use_by_default <= today()) return [real, 'invalid_request'];
      const added = model.add(product, coupon_code, lastDay(product, null));
      return [real, added === null ? 'duplicate_code' : 'ok'];
    },
    voidOne: async () => {
      const found = await someCode();
      if (found === null) return ['', ''];
      const reason = pick(['mistake', 'dead'] as const);
      const act = { id: found.id, actor: STAFF, reason, note: null };
      const real = await outcomeOf(voidCoupon(db, act, tools()));
      if (found.code.holder !== null) return [real, 'held'];
      model.makeVoid(found.code, reason);
      return [real, 'ok'];
    },
    voidBatch: async () => {
      const found = await someCode();
      if (found === null) return ['', ''];
      const inBatch = model.productOf(found.product).codes.filter(({ batch }) => batch === found.code.batch);
      const free = inBatch.filter(model.isFree);
      const reason = pick(['mistake', 'dead'] as const);
      const expected = random(4) ? free.length : random(4);
      const order = { id: found.batch_id, actor: STAFF, reason, note: null, expected };
      const real = await outcomeOf(voidBatch(db, order, { ...tools(), ...uploadTools() }));
      if (free.length > expected) return [real, 'count_changed'];
      for (const code of inBatch) model.makeVoid(code, reason);
      return [real, 'ok'];
    },
    useBy: async () => {
      const found = await someCode();
      if (found === null) return ['', ''];
      const use_by = random(3) ? dayAhead() : someDay();
      const order = { id: found.batch_id, actor: STAFF, use_by, expected: TEXTS };
      const real = await outcomeOf(setBatchUseBy(db, order, { ...tools(), ...uploadTools() }));
      model.setUseBy(found.product, found.code.batch, use_by ?? 'infinity', today());
      return [real, 'ok'];
    },
    revoke: async () => {
      const found = await someCode();
      if (found === null) return ['', ''];
      const { id, code, product, product_id } = found;
      const replace = random(2) === 0;
      const real = await outcomeOf(revokeCoupon(db, { id, actor: STAFF, reason: 'Lost', replace }, tools()));
      const who = learners.find(({ email }) => email === code.holder);
      if (who === undefined) return [real, 'not_held'];
      const isReplaced = replace && code.isCurrent;
      if (isReplaced) code.isRevoked = true;
      else if (!code.isRevoked && replace) code.isRevoked = true;
      else if (!code.isRevoked) model.revoke(product, code);
      if (isReplaced) await issue(who, product, product_id);
      return [real, 'ok'];
    },
    issue: async () => {
      const { product, product_id, state } = someProduct();
      const who = pick(learners);
      const isNew = random(3) === 0;
      const request = { actor: STAFF, email: who.email, productId: product_id };
      const codes: string[] = [];
      const issuing = (isNew ? regenerateCoupon : generateCoupon)(db, request, tools());
      const real = await outcomeOf(issuing.then(({ coupon }) => codes.push(coupon.coupon_code)));
      const held = isNew ? null : model.current(who.email, product);
      if (held !== null) return [codes[0] ?? real, held.isRevoked ? 'code_revoked' : held.text];
      if (state.isArchived) return [real, 'product_ended'];
      if (!model.hasAccess(who.email, product, today())) return [real, 'product_not_granted'];
      return [codes[0] ?? real, await issue(who, product, product_id)];
    },
    redeem: async () => {
      const { product, product_id: productId } = someProduct();
      const caller = pick(learners);
      const codes: string[] = [];
      const redeeming = redeemCoupon(db, { caller, productId }, tools());
      const real = await outcomeOf(redeeming.then(({ coupon }) => codes.push(coupon.couponCode)));
      return [codes[0] ?? real, model.redeem(caller.email, product, today(), true)];
    },
    nextDay: async () => {
      day += 1;
      return ['', ''];
    },
    expire: async () => {
      await expireCoupons(db, tools());
      model.expire(today());
      return ['', ''];
    },
    addUp: async () => {
      await recordClaimPlaces(db, today());
      await foldTally(db, tools().now());
      return ['', ''];
    },
  };
  let batches = 0;
  const someGrant = async () => {
    if (model.grants.length === 0) return null;
    const grant = pick(model.grants);
    const { who, product, withdrawn_on } = grant;
    const user = learners.find(({ email }) => email === who);
    const { rows } = await db.query<{ id: string }>(
      `select id from access_grant
       where (user_id = $1 or ($1::bigint is null and cohort_id = $2)) and product_id is not distinct from $3
         and (withdrawn_at is null) = $4
       limit 1`,
      [
        user?.user_id ?? null,
        cohort_id,
        product === null ? null : product_ids[product],
        withdrawn_on === null,
      ],
    );
    return { id: rows[0]?.id ?? '0', grant };
  };

  // Relative frequency of each kind of action. The frequency of a kind that is not in this list is 1.
  const often = { grant: 2, upload: 3, single: 1, redeem: 8, issue: 2, nextDay: 1, edit: 2, revoke: 2 };
  const names = (Object.keys(acts) as (keyof typeof acts)[]).flatMap((name) =>
    Array.from({ length: name in often ? often[name as keyof typeof often] : 1 }, () => name),
  );
  return {
    today,
    tools,
    /**
     * Performs a random action. Returns its name, the outcome in the database (`real`) and the outcome in the model
     * (`expected`).
     */
    step: async () => {
      steps += 1;
      const name = pick(names);
      const [real, expected] = await acts[name]();
      return { name, real, expected };
    },
  };
}
