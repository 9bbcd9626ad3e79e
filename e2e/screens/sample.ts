// Adds data to the demo for the screenshots: products in every status, revoked and void codes, uploads, and learners
// with several or ended accesses.
import { createHash } from 'node:crypto';
import {
  createGrants,
  createProduct,
  type EditedProduct,
  editProduct,
  generateCoupon,
  getImport,
  getProductRecord,
  importCoupons,
  inviteMember,
  listBatches,
  listCoupons,
  listProducts,
  listUsers,
  newProduct,
  type Product,
  revokeCoupon,
  saveUser,
  setProductStatus,
  voidBatch,
  voidCoupon,
  withdrawGrant,
} from '@portal/contract';
import { callApi, type Session } from '../harness/api.ts';
import { DEMO_ADMIN, type Demo } from '../harness/demo.ts';
import { dayIn } from '../harness/states.ts';
import { addCohortSample, type CohortSample } from './cohort-sample.ts';

/** Learners of the demo who get codes of the added products. */
const HOLDERS = ['ada.almeida', 'bilal.brandt', 'chiara.castillo', 'dmitri.dubois', 'elif.eriksen'].map(
  (name) => `${name}@example.org`,
);
/** A learner with a revoked code, and with codes and accesses that have ended. */
export const FORMER_LEARNER = 'lena.novak@example.org';
/** A learner with two grants of the same product: one of that product, and one of all products. */
export const TWICE_GIVEN = 'viktor.sand@example.org';
/** Members of the team, beside the owner. The last one has not signed in yet. */
export const TEAM = [
  { email: 'tomas.brandao@example.org', name: 'Tomás Brandão', team_role: 'manager' },
  { email: 'ravi.menon@example.org', name: 'Ravi Menon', team_role: 'support' },
  { email: 'hanne.solberg@example.org', name: 'Hanne Solberg', team_role: 'viewer' },
  { email: 'ines.valdes@example.org', name: 'Ines Valdés', team_role: 'viewer' },
] as const;
const POLL_MS = 100;

/** Paths of the added pages. `edited` is a product that screenshots may change. */
export type Sample = {
  staff: Record<'edited' | 'paused' | 'scheduled' | 'ended' | 'archived', string>;
  endedProduct: string;
  coupons: string;
  /** Page of a revoked code. */
  code: string;
  upload: string;
  voidedUpload: string;
  cohorts: CohortSample;
  /** Changes the description of the product at `staff.edited`, as if another administrator had saved it. */
  editElsewhere(description: string): Promise<void>;
};

export async function addSample(demo: Demo): Promise<Sample> {
  const session = await demo.signIn(DEMO_ADMIN);
  const staff = openStaff(demo.url, session);
  const known = await callApi(demo.url, listProducts, { token: session.access_token });
  const find = (name: string) => known.find((product) => product.name === name) as Product;

  for (const body of TEAM) {
    await callApi(demo.url, inviteMember, { token: session.access_token, body: { ...body, mail: false } });
    if (body !== TEAM.at(-1)) await demo.signIn(body.email);
  }
  const forms = await staff.addProduct('Marlowe Forms', 'Forms that check themselves. Six months.', 2);
  const archived = await staff.addProduct(
    'Thistledown Mail',
    'Newsletters that load in a second. A year.',
    3,
  );
  const ended = await staff.addProduct('Oxbow Sheets', 'Tables that several people edit at once. A year.', 4);
  const scheduled = await staff.addProduct('Quarrystone Boards', 'A board for every project. Six months.', 0);
  const paused = await staff.addProduct('Fernhall Maps', 'Maps for teams, also without a connection.', 5);
  const edited = await staff.addProduct('Hexwell Analytics', 'Charts from your own numbers. Six months.', 5);
  for (const each of [forms, archived]) await staff.setStatus(each, 'archived', null);
  await staff.setStatus(paused, 'paused', 'The partner moves its servers until Friday.');
  await staff.edit(ended, { opens_on: dayIn(-60), closes_on: dayIn(-3) });
  await staff.edit(scheduled, { opens_on: dayIn(21), closes_on: dayIn(110) });
  await staff.edit(edited, { closes_on: dayIn(140) });
  await staff.withdraw(edited, HOLDERS[1] ?? '', 'Shared in a forum');
  await staff.voidCodes(edited, 2);

  const voided = await staff.upload(scheduled, 'quarrystone-wrong-plan.csv', 'QRB', 80);
  const job = await staff.voidUpload(voided, 80);

  const saltmarsh = find('Saltmarsh Data');
  await staff.addLearner(FORMER_LEARNER, 'Lena Novak', [edited, find('Tarnquill'), saltmarsh]);
  for (const product of [edited, find('Tarnquill'), saltmarsh]) await staff.giveCode(FORMER_LEARNER, product);
  await staff.withdraw(edited, FORMER_LEARNER, 'Sold on a market place');
  await staff.endAccess(FORMER_LEARNER, saltmarsh);
  await staff.addLearner(TWICE_GIVEN, 'Viktor Sand', [find('Ostrava Notes')]);
  await staff.giveCode(TWICE_GIVEN, find('Ostrava Notes'));
  await staff.giveAll(TWICE_GIVEN, dayIn(30));

  const staffPath = ({ product_id: id }: Product) => `/admin/products/${id}`;
  return {
    staff: {
      edited: staffPath(edited),
      paused: staffPath(paused),
      scheduled: staffPath(scheduled),
      ended: staffPath(ended),
      archived: staffPath(archived),
    },
    endedProduct: `/product/${ended.product_id}`,
    coupons: `/admin/coupons?product_id=${edited.product_id}`,
    code: `/admin/coupons/${await staff.findCode(edited, FORMER_LEARNER)}`,
    upload: `/admin/coupons/uploads/${await staff.findUpload('tarnquill.csv')}`,
    voidedUpload: `/admin/coupons/uploads/${voided}?job=${job}`,
    cohorts: await addCohortSample(demo, session, { products: known, members: await staff.listAddresses() }),
    editElsewhere: (description) => staff.edit(edited, { description }),
  };
}

/** Returns functions that change data through the API as the administrator of `session`. */
function openStaff(url: string, { access_token: token }: Session) {
  const giveCode = (email: string, { product_id: productId }: Product) =>
    callApi(url, generateCoupon, { token, body: { email, productId } });
  const findUpload = async (file_name: string): Promise<string> => {
    const uploads = await callApi(url, listBatches, { token });
    return uploads.find((each) => each.file_name === file_name)?.id ?? '';
  };
  const upload = async (
    { product_id }: Product,
    file_name: string,
    prefix: string,
    count: number,
  ): Promise<string> => {
    const lines = Array.from({ length: count }, (_line, index) => {
      const signs = createHash('sha256').update(`${prefix} ${index}`).digest('hex').toUpperCase();
      // Each third code has no last day.
      return `${prefix}-${signs.slice(0, 4)}-${signs.slice(4, 8)},${index % 3 === 0 ? '' : dayIn(200)}`;
    });
    const csvData = ['coupon_code,use_by', ...lines].join('\n');
    await callApi(url, importCoupons, { token, body: { productId: product_id, csvData, file_name } });
    return findUpload(file_name);
  };
  const couponsOf = async ({ product_id }: Product) => {
    const coupons = await callApi(url, listCoupons, { token });
    return coupons.filter((coupon) => coupon.product_id === product_id);
  };
  const give = (email: string, product: Product) =>
    callApi(url, createGrants, { token, body: { email, product_ids: [product.product_id] } });
  return {
    giveCode,
    findUpload,
    upload,
    /** Creates a product with an upload of 14 codes, and gives a code to the first `holders` learners. */
    addProduct: async (name: string, description: string, holders: number): Promise<Product> => {
      const slug = name.toLowerCase().replace(' ', '-');
      const body = newProduct.parse({ name, description, url: `${slug}.example/redeem` });
      const product = await callApi(url, createProduct, { token, body });
      await upload(product, `${slug}.csv`, slug.slice(0, 3).toUpperCase(), 14);
      for (const email of HOLDERS.slice(0, holders)) {
        await give(email, product);
        await giveCode(email, product);
      }
      return product;
    },
    edit: async ({ product_id: id }: Product, changes: Partial<EditedProduct>): Promise<void> => {
      const record = await callApi(url, getProductRecord, { token, params: { id } });
      await callApi(url, editProduct, { token, params: { id }, body: { ...record, ...changes } });
    },
    setStatus: (
      { product_id: id }: Product,
      status: 'paused' | 'archived',
      note: string | null,
    ): Promise<unknown> => callApi(url, setProductStatus, { token, params: { id }, body: { status, note } }),
    withdraw: async (product: Product, email: string, reason: string): Promise<void> => {
      const coupon = (await couponsOf(product)).find((each) => each.email === email);
      await callApi(url, revokeCoupon, { token, params: { id: coupon?.id ?? '' }, body: { reason } });
    },
    /** Returns the addresses of all users of the demo, except those of the team. */
    listAddresses: async (): Promise<string[]> => {
      const users = await callApi(url, listUsers, { token });
      return users.filter(({ user_role }) => user_role === 'user').map(({ email }) => email);
    },
    /** Returns the id of the learner's code of the product. */
    findCode: async (product: Product, email: string): Promise<string> =>
      (await couponsOf(product)).find((each) => each.email === email)?.id ?? '',
    voidCodes: async (product: Product, count: number): Promise<void> => {
      const free = (await couponsOf(product)).filter(({ state }) => state === 'free');
      for (const { id } of free.slice(0, count)) {
        await callApi(url, voidCoupon, { token, params: { id }, body: { reason: 'dead', note: null } });
      }
    },
    /** Voids the codes of an upload, waits until the job has ended and returns the id of the job. */
    voidUpload: async (id: string, expected: number): Promise<string> => {
      const body = { reason: 'mistake' as const, note: null, expected };
      const { job_id } = await callApi(url, voidBatch, { token, params: { id }, body });
      const isRunning = async () =>
        (await callApi(url, getImport, { token, params: { id: job_id } })).state === 'running';
      while (await isRunning()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      return job_id;
    },
    addLearner: async (email: string, name: string, products: Product[]): Promise<void> => {
      const product_ids = products.map(({ product_id }) => product_id);
      const body = { email, name, phone_number: null, product_ids };
      await callApi(url, saveUser, { token, body });
    },
    giveAll: (email: string, starts_on: string): Promise<unknown> =>
      callApi(url, createGrants, { token, body: { email, product_ids: 'all', starts_on } }),
    endAccess: async (email: string, product: Product): Promise<void> => {
      // An existing grant is returned as it is.
      const { grants } = await give(email, product);
      const body = { reason: 'Left the course', revoke_code: false };
      for (const { id } of grants) await callApi(url, withdrawGrant, { token, params: { id }, body });
    },
  };
}
