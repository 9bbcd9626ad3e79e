// The filters of the page 'Activity' in the URL, and the parameters of the API call that they stand for.
import { nounsOf } from './kinds.ts';

/** `who` is an actor, `what` a kind of acts, `person` an address, `product` an id, `from` and `to` days. */
export const FILTERS = ['who', 'what', 'person', 'product', 'from', 'to'] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filters = Partial<Record<FilterName, string>>;

/** The API reads the log by one subject at a time, so each of these clears the others (N-73). */
const SUBJECTS: readonly FilterName[] = ['who', 'person', 'product'];

const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
const DAY = /^2\d{3}-\d\d-\d\d$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

export function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(text));
}

/**
 * Returns the filters that the server accepts. Users can edit the URL, so it may contain others. If `to` is before
 * `from`, `to` is left out.
 */
export function readFilters(found: Readonly<Record<string, string>>): Filters {
  const { who, what, person, product, from, to } = found;
  const filters: Filters = {
    ...(what !== undefined && nounsOf(what) !== undefined && { what }),
    ...(from !== undefined && isDay(from) && { from }),
    ...(to !== undefined && isDay(to) && { to }),
  };
  if (filters.from && filters.to && filters.to < filters.from) delete filters.to;
  if (who && who.length <= 300) return { ...filters, who };
  if (person !== undefined && isEmail(person)) return { ...filters, person };
  return product !== undefined && UUID.test(product) ? { ...filters, product } : filters;
}

/** Returns the filters after a change. A value of '' clears a filter. Clears the filters that the new one excludes. */
export function changeFilter(filters: Filters, name: FilterName, value: string): Filters {
  const { [name]: _old, ...others } = filters;
  if (value === '') return others;
  const next: Filters = { ...others, [name]: value };
  if (SUBJECTS.includes(name)) for (const each of SUBJECTS) if (each !== name) delete next[each];
  if (next.from && next.to && next.to < next.from) delete next[name === 'from' ? 'to' : 'from'];
  return next;
}

/** Returns the parameters of `listAudit` and `exportAudit`. */
export function toParameters({ who, what, person, product, from, to }: Filters): Record<string, string> {
  const kind = what === undefined ? undefined : nounsOf(what);
  return {
    ...(who && { actor: who }),
    ...(person && { email: person }),
    ...(product && { product_id: product }),
    ...(kind && { kind }),
    ...(from && { from }),
    ...(to && { to }),
  };
}
