// Performs random actions of staff and learners on products, access and codes, each in the database and in the reference
// model (lifecycle-model.ts), so that a test can compare the two outcomes.
import { randomUUID } from 'node:crypto';
import { AppError } from '../src/app-error.ts';
import { setBatchUseBy, voidBatch } from '../src/bulk/batch-acts.ts';
import { findJobState } from '../src/bulk/bulk-jobs.sql.ts';
import { importCsv } from '../src/bulk/uploads.ts';
import type { Database } from '../src/db/database.ts';
import { createGrants, editGrant, withdrawGrant } from '../src/features/access/grants.ts';
import { createCoupon } from '../src/features/codes/codes.ts';
import { generateCoupon, regenerateCoupon, revokeCoupon } from '../src/features/codes/issue.ts';
import { expireCoupons, voidCodes, voidCoupon } from '../src/features/codes/void.ts';
import { addUpTally } from '../src/features/dashboard/tally.sql.ts';
import { saveUser } from '../src/features/people/person.ts';
import { findProductRecord } from '../src/features/products/products.sql.ts';
import { editProduct, setProductStatus } from '../src/features/products/products.ts';
import { recordClaimPlaces } from '../src/features/redeem/redeem.sql.ts';
import { redeemCoupon } from '../src/features/redeem/redeem.ts';
import { createCohortActs } from './cohort-acts.ts';
import { utcDayOf } from './factories.ts';
import { type Learner, STAFF, toolsOn } from './lifecycle.ts';
import type { LifecycleModel, ModelGrant } from './lifecycle-model.ts';
import { createStaffModel } from './lifecycle-model-staff.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from './test-jobs.ts';

const FIRST_DAY_MS = Date.UTC(2026, 10, 20, 12);
export const FIRST_DAY = utcDayOf(new Date(FIRST_DAY_MS));
const DAY_MS = 86_400_000;
// Number of different codes that staff upload. It is small, so that uploads often contain a code that is free, held or
// void. Every ten steps, a new code replaces the oldest.
const TEXTS = 40;
// Most actions are about the people who were added last, because they hold few codes.
const NEWEST_PEOPLE = 6;

export type World = {
  db: Database;
  model: LifecycleModel;
  random: (below: number) => number;
  product_ids: string[];
  learners: Learner[];
  /** The ids of the model's cohorts, in their order. */
  cohort_ids: string[];
};

/** Returns what `describe` returns for the result of the call, or the refusal. */
async function outcomeOf<T>(call: Promise<T>, describe: (result: T) => unknown = () => 'ok') {
  try {
    return describe(await call);
  } catch (error) {
    if (error instanceof AppError) return { refused: error.code, day: error.day ?? null };
    throw error;
  }
}

/** Redeems a code in the database. Returns the outcome in the form of the model's `redeem`. */
export const redeemIn = (
  db: Database,
  ...args: [Parameters<typeof redeemCoupon>[1], Parameters<typeof redeemCoupon>[2]]
) =>
  outcomeOf(redeemCoupon(db, ...args), ({ coupon, use_by, replaced_on, is_new }) => ({
    code: coupon.couponCode,
    ...{ use_by, replaced_on, is_new },
  }));

export function createActs({ db, model, random, product_ids, learners, cohort_ids }: World) {
  const staff = createStaffModel(model);
  let steps = 0;
  let days = 0;
  const dayIn = (ahead: number) => utcDayOf(new Date(FIRST_DAY_MS + (days + ahead) * DAY_MS));
  const tools = () => ({
    ...TEST_IMPORT_TOOLS,
    ...toolsOn(dayIn(0)),
    now: () => new Date(FIRST_DAY_MS + days * DAY_MS + steps),
  });
  const uploadTools = () => ({ ...tools(), ...createUploadTools(db, tools()) });
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const pickPerson = () => pick(random(4) ? learners.slice(-NEWEST_PEOPLE) : learners);
  const pickReason = () => pick(['mistake', 'dead'] as const);
  const pickText = () => `CODE-${Math.floor(steps / 10) + random(TEXTS)}`;
  const pickTexts = (count: number) => [...new Set(Array.from({ length: count }, pickText))];
  const someDay = () => dayIn(random(9) - 4);
  const dayOrNull = () => (random(2) ? someDay() : null);
  const pickProduct = () => {
    const product = random(product_ids.length);
    return { product, product_id: product_ids[product] as string };
  };
  const pickProducts = () => {
    const withArchived = random(5) === 0;
    return product_ids
      .map((_id, product) => product)
      .filter((product) => (withArchived || !model.productOf(product).isArchived) && random(2) === 0);
  };
  const idsOf = (products: number[]) => products.map((product) => product_ids[product] as string);
  /** Chooses a code; with `isHeld`, one that somebody holds. The model sorts the codes of a product by id. */
  const pickCode = async ({ isHeld = false } = {}) => {
    const { product, product_id } = pickProduct();
    const codes = model.codesOf(product);
    const found = codes.filter(({ holder }) => holder !== null || !isHeld);
    if (found.length === 0) return null;
    const at = codes.indexOf(pick(random(2) ? found : found.slice(-NEWEST_PEOPLE)));
    const { rows } = await db.query<{ id: string; batch_id: string; coupon_code: string }>(
      'select id, batch_id, coupon_code from coupon where product_id = $1 order by id offset $2 limit 1',
      [product_id, at],
    );
    const [code, row] = [codes[at], rows[0]];
    if (code === undefined || row?.coupon_code !== code.text) throw new Error(`code ${at} is another one`);
    return { product, code, ...row };
  };
  const cohortIdOf = (name: string) =>
    cohort_ids[model.cohorts.findIndex((cohort) => cohort.name === name)] ?? null;
  const pickGrant = async () => {
    const grant = pick(model.grants.slice(-3 * NEWEST_PEOPLE)) as ModelGrant | undefined;
    if (grant === undefined) return null;
    const { rows } = await db.query<{ id: string }>(
      `select id from access_grant
       where (user_id = $1 or ($1::bigint is null and cohort_id = $2)) and product_id is not distinct from $3
         and (withdrawn_at is null) = $4
       limit 1`,
      [
        learners.find(({ email }) => email === grant.who)?.user_id ?? null,
        cohortIdOf(grant.who),
        grant.product === null ? null : product_ids[grant.product],
        grant.withdrawn_on === null,
      ],
    );
    return { grant, id: rows[0]?.id ?? '0' };
  };
  const currentTextOf = async ({ user_id }: Learner, product_id: string) => {
    const { rows } = await db.query<{ coupon_code: string }>(
      'select coupon_code from coupon where product_id = $1 and holder = $2 and is_current',
      [product_id, user_id],
    );
    return rows[0]?.coupon_code ?? '';
  };

  // Each function performs one kind of action. It returns the outcomes in the database and in the model, or null if the
  // action is not possible now.
  const acts = {
    /** `users/single`: adds a person, or gives access to a person who exists. */
    person: async () => {
      const known = random(4) ? null : pickPerson();
      const email = known?.email ?? `learner-${randomUUID()}@example.org`;
      const given = pickProducts();
      const days = { starts_on: random(2) ? someDay() : null, ends_on: dayOrNull() };
      const user = { email, name: 'Amara Okafor', phone_number: null, product_ids: idsOf(given), ...days };
      let user_id = '';
      const saving = saveUser(db, { actor: STAFF, user, today: dayIn(0) });
      const real = await outcomeOf(saving, ({ id }) => {
        user_id = id;
        return 'ok';
      });
      const expected = staff.grant(email, given, { ...days, starts_on: days.starts_on ?? dayIn(0) });
      const identity = { auth_id: randomUUID(), email, name: user.name, session_id: null };
      if (known === null && user_id !== '')
        learners.push({ ...identity, user_id, user_role: 'user', team_role: null });
      return [real, 'new' in expected ? 'ok' : expected];
    },
    grant: async () => {
      const who = random(5) ? pickPerson() : null;
      const given = pickProducts();
      const isAll = given.length === 0;
      const days = { starts_on: someDay(), ends_on: dayOrNull() };
      const cohort = pick(model.cohorts).name;
      const to = who === null ? { cohort_id: cohortIdOf(cohort) ?? '' } : { email: who.email };
      const body = { ...to, product_ids: isAll ? ('all' as const) : idsOf(given), ...days };
      const granting = createGrants(db, { actor: STAFF, given: body }, tools());
      const real = await outcomeOf(granting, (result) => ({ new: result.new }));
      return [real, staff.grant(who?.email ?? cohort, isAll ? [null] : given, days)];
    },
    editGrant: async () => {
      const found = await pickGrant();
      if (found === null) return null;
      const [starts_on = '', last = ''] = [someDay(), someDay()].sort();
      const days = { starts_on, ends_on: random(2) ? last : null };
      const edited = { id: found.id, actor: STAFF, reason: 'Term', expected: learners.length, ...days };
      return [await outcomeOf(editGrant(db, edited, tools())), staff.editGrant(found.grant, days)];
    },
    withdraw: async () => {
      const found = await pickGrant();
      if (found === null) return null;
      const { id, grant } = found;
      const revoke_code = random(2) === 0;
      const withdrawing = withdrawGrant(
        db,
        { id, actor: STAFF, reason: 'Left', revoke_code, expected: learners.length },
        tools(),
      );
      const real = await outcomeOf(withdrawing, ({ kept }) => (kept === undefined ? 'ok' : 'code kept'));
      return [real, staff.withdraw(grant, revoke_code)];
    },
    ...createCohortActs({
      ...{ db, model, staff, random, product_ids, cohort_ids, learners },
      ...{ pickPerson, pickProducts, someDay, uploadTools, outcomeOf },
    }),
    status: async () => {
      const { product, product_id } = pickProduct();
      const status = pick(['live', 'live', 'live', 'paused', 'archived'] as const);
      const setting = setProductStatus(db, { product_id, actor: STAFF, status, note: null }, tools());
      return [await outcomeOf(setting), staff.status(product, status)];
    },
    edit: async () => {
      const { product, product_id } = pickProduct();
      const [opens_on = null, closes_on = null] = random(3)
        ? [random(2) ? someDay() : null, null]
        : [someDay(), someDay()].sort();
      const edited = { opens_on, closes_on, use_by_default: random(3) ? null : dayOrNull() };
      const record = await findProductRecord(db, product_id, dayIn(0));
      if (record === null) throw new Error('the product is missing');
      const editing = editProduct(
        db,
        { product_id, actor: STAFF, edited: { ...record, ...edited } },
        tools(),
      );
      return [await outcomeOf(editing), staff.edit(product, edited)];
    },
    upload: async () => {
      const { product, product_id } = pickProduct();
      const rows = pickTexts(1 + random(3)).map((text) => ({ text, use_by: random(3) ? null : someDay() }));
      const lines = rows.map(({ text, use_by }) => `${text},${use_by ?? ''}`);
      const csvData = `coupon_code,use_by\n${lines.join('\n')}\n`;
      const upload = { kind: 'coupons' as const, csvData, product_ids: [product_id], actor: STAFF };
      const real = await outcomeOf(importCsv(db, upload, uploadTools()), ({ results }) => ({
        success: results?.success,
        duplicates: results?.duplicates,
        failures: results?.failures,
      }));
      return [real, staff.upload(product, rows)];
    },
    single: async () => {
      const { product, product_id } = pickProduct();
      const coupon_code = pickText();
      const coupon = { product_id, coupon_code, usage_limit: null };
      const creating = createCoupon(db, { actor: STAFF, coupon }, tools());
      return [await outcomeOf(creating), staff.single(product, coupon_code)];
    },
    voidOne: async () => {
      const found = await pickCode();
      if (found === null) return null;
      const { product, code, id } = found;
      const reason = pickReason();
      const voiding = voidCoupon(db, { id, actor: STAFF, reason, note: null }, tools());
      return [await outcomeOf(voiding), staff.voidOne(product, code, reason)];
    },
    voidBatch: async () => {
      const found = await pickCode();
      if (found === null) return null;
      const { product, code, batch_id: id } = found;
      const act = { reason: pickReason(), expected: random(5) };
      const order = { id, actor: STAFF, note: null, ...act };
      const voiding = voidBatch(db, order, uploadTools()).then((job) => findJobState(db, job, 0));
      const real = await outcomeOf(voiding, (job) => job?.results);
      return [real, staff.voidBatch(product, code, act)];
    },
    voidCodes: async () => {
      const { product, product_id } = pickProduct();
      const texts = random(3) ? pickTexts(4) : null;
      const csvData = texts === null ? null : `coupon_code\n${texts.join('\n')}\n`;
      const voiding = voidCodes(db, { product_id, actor: 'operator', csvData }, tools().now);
      return [await outcomeOf(voiding, (counts) => counts), staff.voidCodes(product, texts)];
    },
    useBy: async () => {
      const found = await pickCode();
      if (found === null) return null;
      const use_by = random(2) ? dayOrNull() : dayIn(1 + random(5));
      const order = { id: found.batch_id, actor: STAFF, use_by, expected: TEXTS };
      const real = await outcomeOf(setBatchUseBy(db, order, uploadTools()));
      return [real, staff.useBy(found.product, found.code, use_by)];
    },
    revoke: async () => {
      const found = await pickCode({ isHeld: random(5) > 0 });
      if (found === null) return null;
      const { id, code, product } = found;
      const replace = random(2) === 0;
      const revoking = revokeCoupon(db, { id, actor: STAFF, reason: 'Lost', replace }, tools());
      let made = '';
      const real = await outcomeOf(revoking, ({ replacement }) => {
        made = replacement?.coupon_code ?? '';
        return { replacement: replacement?.coupon_code ?? null };
      });
      return [real, staff.revoke(product, code, { replace, made })];
    },
    issue: async () => {
      const { product, product_id } = pickProduct();
      const who = pickPerson();
      const isNew = random(3) === 0;
      const request = { actor: STAFF, email: who.email, productId: product_id };
      const issuing = (isNew ? regenerateCoupon : generateCoupon)(db, request, tools());
      const real = await outcomeOf(issuing, ({ coupon, warning }) => ({
        code: coupon.coupon_code,
        isGenerated: warning !== undefined,
      }));
      const made = await currentTextOf(who, product_id);
      return [real, staff.issue(who.email, product, { isNew, made })];
    },
    redeem: async () => {
      const { product, product_id: productId } = pickProduct();
      const caller = pickPerson();
      const real = await redeemIn(db, { caller, productId }, tools());
      return [real, model.redeem(caller.email, product, true)];
    },
    nextDay: async () => {
      days += 1;
      model.state.today = dayIn(0);
      return null;
    },
    expire: async () => {
      await expireCoupons(db, tools());
      staff.expire();
      return null;
    },
    addUp: async () => {
      await recordClaimPlaces(db);
      await addUpTally(db, tools().now());
      return null;
    },
  };

  // Relative frequency of each kind of action; 1 for kinds that are not listed.
  const often = {
    person: 3,
    grant: 4,
    join: 2,
    status: 2,
    upload: 2,
    single: 3,
    redeem: 6,
    issue: 3,
    edit: 2,
    revoke: 3,
  };
  const names = (Object.keys(acts) as (keyof typeof acts)[]).flatMap((name) =>
    Array.from({ length: name in often ? often[name as keyof typeof often] : 1 }, () => name),
  );
  return {
    tools,
    /**
     * Performs a random action. Returns its name, the outcome in the database (`real`) and in the model (`expected`).
     * Both outcomes are undefined if there is nothing to compare.
     */
    step: async (): Promise<{ name: string; real?: unknown; expected?: unknown }> => {
      steps += 1;
      const name = pick(names);
      const [real, expected] = (await acts[name]()) ?? [];
      return { name, real, expected };
    },
  };
}
