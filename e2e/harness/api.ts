// The portal's calls from outside of a browser: signing in by a mailed code, and seeding as the administrator.
import {
  type AppUser,
  type BodyOf,
  createCoupon,
  createProduct,
  type Endpoint,
  generateCoupon,
  getStats,
  type ImportState,
  importCoupons,
  listCoupons,
  listImports,
  listProducts,
  listUsers,
  type NewProduct,
  type Product,
  type ReplyOf,
  redeemCoupon,
  type Stats,
  saveUser,
} from '@portal/contract';
import { ADMIN_EMAIL, type Portal } from './portal.ts';

export type Session = { access_token: string; refresh_token: string; expires_in: number; expires_at: number };

type Input<E extends Endpoint> = { body?: BodyOf<E>; params?: Record<string, string>; token?: string };

/** Makes a call; throws with status and body when it is refused. */
export async function callApi<E extends Endpoint>(
  url: string,
  endpoint: E,
  { body, params = {}, token }: Input<E> = {},
): Promise<ReplyOf<E>> {
  const path = endpoint.path.replace(/:(\w+)/g, (_part, name) => encodeURIComponent(params[name] ?? ''));
  return (await send(url + path, endpoint.method, body, token)) as ReplyOf<E>;
}

/** Signs in with the code of a mail, as a person does who types it. */
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

/** The administrator's hand: makes products, learners and codes through the public calls. */
export async function openAdmin(portal: Portal, signInAt: Parameters<typeof signIn>[0] = portal) {
  const { access_token: token } = await signIn(signInAt, ADMIN_EMAIL);
  return {
    addProduct: (fields: Partial<NewProduct> = {}): Promise<Product> => {
      const body = {
        name: 'Writing Assistant',
        description: 'Drafts, edits and summarises for you.',
        url: 'partner.example/redeem',
        page_title: null,
        header_text: null,
        instructions: null,
        ...fields,
      };
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
    /** As a file, in one call. */
    importCodes: async ({ product_id: productId }: Product, codes: readonly string[]): Promise<void> => {
      const csvData = `coupon_code\n${codes.join('\n')}\n`;
      await callApi(portal.url, importCoupons, { token, body: { productId, csvData } });
    },
    addLearner: async (email: string, ...products: Product[]): Promise<void> => {
      const product_ids = products.map((product) => product.product_id);
      const body = { email, name: 'Lea Lerner', phone_number: null, product_ids };
      await callApi(portal.url, saveUser, { token, body });
    },
    giveCode: async (email: string, { product_id: productId }: Product): Promise<void> => {
      await callApi(portal.url, generateCoupon, { token, body: { email, productId } });
    },
    /** The codes of a product that somebody holds, as `code holder`. */
    listAssignedCodes: async (product: Product): Promise<string[]> => {
      const coupons = await callApi(portal.url, listCoupons, { token });
      return coupons
        .filter((coupon) => coupon.product_id === product.product_id && coupon.email !== null)
        .map((coupon) => `${coupon.coupon_code} ${coupon.email}`)
        .sort();
    },
  };
}

/** Redeems as the owner of `token`; answers the code. */
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
