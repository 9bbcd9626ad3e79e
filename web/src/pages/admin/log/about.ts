// What a line of the log is about: the content of the column 'About' (N-78).
import type { AuditLine } from '@portal/contract';
import { say, sayCount } from '../../../words/say.ts';
import { cohortPath } from '../cohorts/cohort-path.ts';
import { couponPath } from '../coupons/list-coupon-tabs.ts';
import { personPath } from '../people/person-path.ts';
import { sayHint } from './line-words.ts';

/** `href` is null if the thing has no page. `key` is the same for two lines about the same thing. */
export type About = { type: 'person' | 'product' | 'upload' | 'cohort' | 'code'; key: string } & {
  name: string;
  href: string | null;
};

/** Returns the thing that the sentence of the line is about, or null if there is none. */
export function findAbout({ person, product, coupon, cohort, batch, detail }: AuditLine): About | null {
  if (person !== null) {
    const { user_id, email, name } = person;
    return { type: 'person', key: user_id, name: name?.trim() || email, href: personPath(user_id) };
  }
  if (cohort !== null) {
    const { cohort_id, name } = cohort;
    return { type: 'cohort', key: cohort_id, name, href: cohortPath(cohort_id) };
  }
  if (batch !== null) {
    const name = batch.file_name ?? say('No file name');
    return { type: 'upload', key: batch.id, name, href: `/admin/coupons/uploads/${batch.id}` };
  }
  if (product !== null) {
    const { product_id, name } = product;
    return { type: 'product', key: product_id, name, href: `/admin/products/${product_id}` };
  }
  if (coupon !== null) {
    return { type: 'code', key: coupon.id, name: sayHint({ coupon }) ?? '••••', href: couponPath(coupon.id) };
  }
  const { file_name } = detail;
  return typeof file_name === 'string' && file_name !== ''
    ? { type: 'upload', key: file_name, name: file_name, href: null }
    : null;
}

/** Returns what several folded lines are about. If they are about several things, returns only their number. */
export function findAboutAll(lines: readonly AuditLine[]): About | null {
  const found = lines.map(findAbout).filter((about) => about !== null);
  const [first] = found;
  if (first === undefined) return null;
  const keys = new Set(found.map(({ type, key }) => `${type} ${key}`));
  if (keys.size === 1) return first;
  const type = found.every((about) => about.type === first.type) ? first.type : null;
  return { ...first, name: sayThings(type, keys.size), href: null };
}

function sayThings(type: About['type'] | null, count: number): string {
  if (type === 'person') return sayCount(count, { one: '{count} person', other: '{count} people' });
  if (type === 'product') return sayCount(count, { one: '{count} product', other: '{count} products' });
  if (type === 'upload') return sayCount(count, { one: '{count} upload', other: '{count} uploads' });
  if (type === 'code') return sayCount(count, { one: '{count} code', other: '{count} codes' });
  return type === 'cohort'
    ? sayCount(count, { one: '{count} cohort', other: '{count} cohorts' })
    : sayCount(count, { one: '{count} subject', other: '{count} subjects' });
}
