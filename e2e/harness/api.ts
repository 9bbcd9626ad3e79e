// Calls the portal's API without a browser: signs in by a mailed code and creates data as an administrator.
import {
  type AppUser,
  type BodyOf,
  createCoupon,
  createGrants,
  createProduct,
  type Endpoint,
  generateCoupon,
  getStats,
  type ImportState,
  importCoupons,
  listBatches,
  listCoupons,
  listImports,
  listProducts,
  listUsers,
  type NewProduct,
  newProduct,
  type Product,
  type ReplyOf,
  redeemCoupon,
  revokeCoupon,
  type Stats,
  saveUser,
  voidCoupon,
} from '@portal/contract';
import { ADMIN_EMAIL, type Portal } from './portal.ts';

export type Session = { access_token: string; refresh_token: string; expires_in: number; expires_at: number };

type Input<E extends Endpoint> = { body?: BodyOf<E>; params?: Record<string, string>; token?: string };

/** Makes a call and returns the parsed body. Throws with status and body unless the status is 2xx. */
export async function callApi<E extends Endpoint>(
  url: string,
  endpoint: E,
  { body, params = {}, token }: Input<E> = {},
): Promise<ReplyOf<E>> {
  const path = endpoint.path.replace(/:(\w+)/g, (_part, name) => encodeURIComponent(params[name] ?? ''));
  return (await send(url + path, endpoint.method, body, token)) as ReplyOf<E>;
}

/** Requests a sign-in mail, takes the code from the mail and returns the new session. */
export async function signIn(portal: Pick<Portal, 'url' | 'mailbox'>, email: string): Promise<Session> {
  await send(`${portal.url}/auth/v1/otp`, 'POST', { email, create_user: true });
  const { code } = await portal.mailbox.takeMail(email);
  return (await send(`${portal.url}/auth/v1/verify`, 'POST', {
    type: 'email',
    email,
    token: code,
  })) as Session;
}

export type Admin = Awaited<ReturnType<typeof openAdmin>>;

/** Signs in as the administrator and returns functions that create products, learners and codes through the API. */
export async function openAdmin(
  portal: Portal,
  signInAt: Parameters<typeof signIn>[0] = portal,
  email: string = ADMIN_EMAIL,
) {
  const { access_token: token } = await signIn(signInAt, email);
  // The list has the codes of an archived product only if the product is named.
  const listCodes = ({ product_id }: Product) =>
    send(`${portal.url}${listCoupons.path}?product_id=${product_id}`, 'GET', undefined, token) as Promise<
      ReplyOf<typeof listCoupons>
    >;
  return {
    /** Makes a call as the administrator. */
    call: <E extends Endpoint>(endpoint: E, input: Omit<Input<E>, 'token'>): Promise<ReplyOf<E>> =>
      callApi(portal.url, endpoint, { ...input, token }),
    addProduct: (fields: Partial<NewProduct> = {}): Promise<Product> => {
      const body = newProduct.parse({
        name: 'Writing Assistant',
        description: 'Drafts, edits and summarises for you.',
        url: 'partner.example/redeem',
        ...fields,
      });
      return callApi(portal.url, createProduct, { token, body });
    },
    listProducts: (): Promise<Product[]> => callApi(portal.url, listProducts, { token }),
    listUsers: (): Promise<AppUser[]> => callApi(portal.url, listUsers, { token }),
    listImports: (): Promise<ImportState[]> => callApi(portal.url, listImports, { token }),
    readStats: (): Promise<Stats> => callApi(portal.url, getStats, { token }),
    addCodes: async (product: Product, ...codes: string[]): Promise<void> => {
      for (const coupon_code of codes) {
        const body = { coupon_code, product_id: product.product_id, usage_limit: null };
        await callApi(portal.url, createCoupon, { token, body });
      }
    },
    /** Imports the codes as one CSV file. */
    importCodes: async ({ product_id: productId }: Product, codes: readonly string[]): Promise<void> => {
      const csvData = `coupon_code\n${codes.join('\n')}\n`;
      await callApi(portal.url, importCoupons, { token, body: { productId, csvData } });
    },
    /** Imports a CSV file of codes under the given file name. Returns the id of the upload. */
    importFile: async (
      { product_id: productId }: Product,
      file_name: string,
      ...lines: string[]
    ): Promise<string> => {
      const csvData = lines.join('\n');
      await callApi(portal.url, importCoupons, { token, body: { productId, csvData, file_name } });
      const uploads = await callApi(portal.url, listBatches, { token });
      return uploads.find((upload) => upload.file_name === file_name)?.id ?? '';
    },
    /** Takes a code of a product back: voids the code if it is free, or revokes it if it is assigned. */
    undo: async (product: Product, code: string): Promise<void> => {
      const found = (await listCodes(product)).find((coupon) => coupon.coupon_code === code);
      const params = { id: found?.id ?? '' };
      if (found?.state === 'held') {
        await callApi(portal.url, revokeCoupon, { token, params, body: { reason: 'Refunded' } });
      } else await callApi(portal.url, voidCoupon, { token, params, body: { reason: 'dead', note: null } });
    },
    addLearner: async (email: string, ...products: Product[]): Promise<void> => {
      const product_ids = products.map((product) => product.product_id);
      const body = { email, name: 'Lea Lerner', phone_number: null, product_ids };
      await callApi(portal.url, saveUser, { token, body });
    },
    /**
     * Gives an existing learner access to one product or to all products. `days` are the first and the last day of the
     * access.
     */
    giveAccess: async (
      email: string,
      product: Product | 'all',
      days: { starts_on?: string; ends_on?: string },
    ): Promise<void> => {
      const product_ids = product === 'all' ? ('all' as const) : [product.product_id];
      await callApi(portal.url, createGrants, { token, body: { email, product_ids, ...days } });
    },
    giveCode: async (email: string, { product_id: productId }: Product): Promise<void> => {
      await callApi(portal.url, generateCoupon, { token, body: { email, productId } });
    },
    listCodes,
    /** Returns the assigned codes of a product, sorted, each as `code email`. */
    listAssignedCodes: async (product: Product): Promise<string[]> => {
      return (await listCodes(product))
        .filter((coupon) => coupon.email !== null)
        .map((coupon) => `${coupon.coupon_code} ${coupon.email}`)
        .sort();
    },
  };
}

/** Redeems as the owner of `token` and returns the code. */
export async function redeem(url: string, productId: string, token: string): Promise<string> {
  const { coupon } = await callApi(url, redeemCoupon, { token, body: { productId } });
  return coupon.couponCode;
}

async function send(address: string, method: string, body?: unknown, token?: string): Promise<unknown> {
  const response = await fetch(address, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}
