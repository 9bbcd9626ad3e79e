// Calls of the API that tests of access make as an administrator: adding products and people, and reading access.
import { expect } from 'vitest';
import { utcDayOf } from './factories.ts';
import type { TestApp } from './open-test-app.ts';

const DAY_MS = 86_400_000;

/** The day that lies `days` days after today. The portal of the tests uses the real clock. */
export const inDays = (days: number) => utcDayOf(new Date(Date.now() + days * DAY_MS));

type Access = {
  products: { product_id: string; grants: Record<string, unknown>[]; [field: string]: unknown }[];
};

/** Returns functions that call the API of `portal` with an administrator's access token. */
export function createStaffCalls(portal: TestApp, admin: string) {
  const post = (url: string, body: unknown, token = admin) => portal.call('POST', url, { body, token });
  const get = (url: string, token = admin) => portal.call('GET', url, { token });
  let people = 0;
  return {
    post,
    get,
    /** Adds a product and returns its id. `more` has further fields of the request. */
    addProduct: async (more: object = {}): Promise<string> => {
      const details = {
        name: 'Tarnquill',
        description: 'A writing workspace.',
        url: 'tarnquill.example/redeem',
        ...more,
      };
      return ((await post('/api/products', details)).body as { product_id: string }).product_id;
    },
    /**
     * Saves a new user with access to one product. `more` has further fields of the request. Returns the user's e-mail
     * address.
     */
    addPerson: async (product_id: string, more: object = {}): Promise<string> => {
      people += 1;
      const email = `person-${people}@example.org`;
      const user = { email, name: 'Amara', product_ids: [product_id], ...more };
      expect((await post('/api/admin/users/single', user)).status).toBe(200);
      return email;
    },
    /** Returns the products of a user as staff see them. */
    readAccess: async (email: string) =>
      ((await get(`/api/admin/user-access/${encodeURIComponent(email)}`)).body as Access).products,
  };
}
