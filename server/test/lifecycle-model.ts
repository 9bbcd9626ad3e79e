// A reference model for tests. It implements the specification's rules for products, access and codes in plain
// TypeScript, without a database. Days are texts of the form YYYY-MM-DD. A code without a last day has the text
// 'infinity', which sorts after every day.

export type Code = {
  text: string;
  /**
   * Position of the code. Among free codes with the same last day, the code with the lowest position is assigned first.
   * If a void code is uploaded again, it gets a new position.
   */
  order: number;
  batch: number;
  use_by: string;
  holder: string | null;
  given: number;
  isCurrent: boolean;
  isRevoked: boolean;
  voided: 'mistake' | 'dead' | 'expired' | null;
};
export type ModelProduct = {
  opens_on: string | null;
  closes_on: string | null;
  isPaused: boolean;
  isArchived: boolean;
  use_by_default: string | null;
  codes: Code[];
};
/**
 * A grant in the model. `who` is the address of a learner, or 'cohort' (the model has one cohort). `product` is the
 * index of a product, or null for all products.
 */
export type ModelGrant = {
  who: string;
  product: number | null;
  starts_on: string;
  ends_on: string | null;
  withdrawn_on: string | null;
};
type Days = Pick<ModelGrant, 'starts_on' | 'ends_on'>;

export function createModel(productCount: number, members: readonly string[]) {
  const products: ModelProduct[] = Array.from({ length: productCount }, () => ({
    opens_on: null,
    closes_on: null,
    isPaused: false,
    isArchived: false,
    use_by_default: null,
    codes: [],
  }));
  const grants: ModelGrant[] = [];
  let clock = 0;
  const productOf = (index: number) => products[index] as ModelProduct;

  const grantsOf = (who: string, product: number) =>
    grants.filter(
      (grant) =>
        (grant.who === who || (grant.who === 'cohort' && members.includes(who))) &&
        (grant.product === product || grant.product === null),
    );
  const isLive = ({ starts_on, ends_on, withdrawn_on }: ModelGrant, today: string) =>
    withdrawn_on === null && starts_on <= today && (ends_on ?? 'infinity') >= today;
  const hasAccess = (who: string, product: number, today: string) =>
    grantsOf(who, product).some((grant) => isLive(grant, today));
  const firstDay = (who: string, product: number, today: string) => {
    const days = grantsOf(who, product)
      .filter(({ withdrawn_on, ends_on }) => withdrawn_on === null && (ends_on ?? 'infinity') >= today)
      .map(({ starts_on }) => (starts_on < today ? today : starts_on));
    return days.sort()[0] ?? null;
  };
  const status = (product: number, today: string) => {
    const { isArchived, isPaused, closes_on, opens_on } = productOf(product);
    if (isArchived) return 'archived';
    if (isPaused) return 'paused';
    if (closes_on !== null && closes_on < today) return 'ended';
    return opens_on !== null && opens_on > today ? 'scheduled' : 'live';
  };
  const current = (who: string, product: number) =>
    productOf(product).codes.find(({ holder, isCurrent }) => holder === who && isCurrent) ?? null;
  const isFree = ({ holder, voided }: Code) => holder === null && voided === null;
  const nextFree = (product: number, today: string) =>
    productOf(product)
      .codes.filter((code) => isFree(code) && code.use_by > today)
      .sort((a, b) => (a.use_by === b.use_by ? a.order - b.order : a.use_by < b.use_by ? -1 : 1))[0] ?? null;
  const defaultDay = (product: number, today: string) => {
    const { use_by_default } = productOf(product);
    return use_by_default !== null && use_by_default > today ? use_by_default : 'infinity';
  };

  /** Assigns `code` to a person and makes it the current code of this person. Returns the text of the code. */
  const give = (who: string, product: number, code: Code) => {
    for (const other of productOf(product).codes) if (other.holder === who) other.isCurrent = false;
    Object.assign(code, { holder: who, isCurrent: true, given: ++clock });
    return code.text;
  };
  /**
   * Adds a code to a batch; if `batch` is missing, to a new batch. If a code with the same text exists already, there
   * are two cases. A code that is void as 'mistake' becomes free again. For every other code, the function changes
   * nothing and returns null.
   */
  const add = (product: number, text: string, use_by: string, batch = ++clock) => {
    const found = productOf(product).codes.find((code) => code.text === text);
    if (found !== undefined && found.voided !== 'mistake') return null;
    const code = found ?? ({ text, holder: null, given: 0, isCurrent: false, isRevoked: false } as Code);
    if (found === undefined) productOf(product).codes.push(code);
    return Object.assign(code, { order: ++clock, batch, use_by, voided: null });
  };

  /**
   * For a person who holds no code: returns the error code with which redeeming is refused, or null if the person may
   * redeem.
   */
  const refusal = (who: string, product: number, today: string): string | null => {
    if (!hasAccess(who, product, today)) {
      const all = grantsOf(who, product);
      const standing = all.filter(({ withdrawn_on }) => withdrawn_on === null);
      if (standing.some(({ starts_on }) => starts_on > today)) return 'access_not_started';
      return all.length > 0 ? 'access_ended' : 'product_not_assigned';
    }
    const refusals = {
      live: null,
      scheduled: 'product_not_open',
      paused: 'product_paused',
      ended: 'product_ended',
      archived: 'product_ended',
    };
    return refusals[status(product, today)];
  };
  /**
   * Returns the code that the person gets by redeeming, or the error code of the refusal. If `commit` is true, also
   * assigns a new code to the person.
   */
  const redeem = (who: string, product: number, today: string, commit: boolean): string => {
    const held = current(who, product);
    if (held !== null) return held.isRevoked ? 'code_revoked' : held.text;
    const refused = refusal(who, product, today);
    if (refused !== null) return refused;
    const next = nextFree(product, today);
    if (next === null) return 'no_coupon_left';
    return commit ? give(who, product, next) : next.text;
  };
  const myProduct = (who: string, product: number, today: string) => {
    const held = current(who, product);
    const from = firstDay(who, product, today);
    const { opens_on, isPaused } = productOf(product);
    if (held !== null) return { state: held.isRevoked ? 'revoked' : 'issued', from: null };
    if (from === null || ['archived', 'ended'].includes(status(product, today))) return null;
    if (from > today) return { state: 'not_yet', from: [from, opens_on ?? from].sort()[1] };
    if (isPaused) return { state: 'paused', from: null };
    if (opens_on !== null && opens_on > today) return { state: 'not_yet', from: opens_on };
    return { state: nextFree(product, today) === null ? 'sold_out' : 'ready', from: null };
  };

  const grant = (who: string, product: number | null, days: Days, today: string) => {
    const same = (given: ModelGrant) =>
      given.who === who && given.product === product && given.withdrawn_on === null;
    const found = grants.find(same);
    if (found === undefined) grants.push({ who, product, ...days, withdrawn_on: null });
    else if ((found.ends_on ?? 'infinity') < today) Object.assign(found, days);
    else {
      const ends = [found.ends_on, days.ends_on];
      Object.assign(found, {
        starts_on: [found.starts_on, days.starts_on].sort()[0],
        ends_on: ends.includes(null) ? null : ends.sort()[1],
      });
    }
  };
  /**
   * Revokes the code. If the code was the current code of its holder, another code of the holder becomes the current
   * code: the newest that is not revoked.
   */
  const revoke = (product: number, code: Code) => {
    code.isRevoked = true;
    const others = productOf(product).codes.filter(
      ({ holder, isRevoked }) => holder === code.holder && !isRevoked,
    );
    const newest = others.sort((a, b) => b.given - a.given)[0];
    if (!code.isCurrent || newest === undefined) return;
    code.isCurrent = false;
    newest.isCurrent = true;
  };
  const expire = (today: string) => {
    for (const { codes } of products)
      for (const code of codes) if (isFree(code) && code.use_by <= today) code.voided = 'expired';
  };
  /** Makes a free code void. The reason 'dead' also replaces the reasons after which a code can become free again. */
  const makeVoid = (code: Code, reason: 'mistake' | 'dead') => {
    const isRevivable = code.voided === 'mistake' || code.voided === 'expired';
    if (isFree(code) || (reason === 'dead' && isRevivable)) code.voided = reason;
  };
  const setUseBy = (product: number, batch: number, use_by: string, today: string) => {
    const isAhead = use_by > today;
    for (const code of productOf(product).codes) {
      if (code.batch !== batch || code.holder !== null) continue;
      if (code.voided === null) Object.assign(code, { use_by, voided: isAhead ? null : 'expired' });
      else if (code.voided === 'expired' && isAhead) Object.assign(code, { use_by, voided: null });
    }
  };
  return {
    ...{ products, grants, productOf, hasAccess, status, current, isFree, nextFree, defaultDay, isLive },
    ...{ give, add, redeem, myProduct, grant, revoke, expire, makeVoid, setUseBy },
  };
}

export type LifecycleModel = ReturnType<typeof createModel>;

/**
 * Returns a generator of pseudo-random integers from 0 to `below` - 1 (mulberry32). The same seed produces the same
 * sequence of numbers.
 */
export function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
