// A reference model for tests. It implements the specification's rules for products, access and codes in plain
// TypeScript, without a database. Days are texts of the form YYYY-MM-DD. A code without a last day has the text
// 'infinity', which sorts after every day. People are named by their address, products by their index.

export type Code = {
  text: string;
  /** Free codes with the same last day are assigned in this order. A code that is uploaded again gets a new order. */
  order: number;
  batch: number;
  /** Later uploads that contain the code too, with their last days, oldest first. */
  named: { batch: number; use_by: string }[];
  use_by: string;
  holder: string | null;
  /** Positions in the order of all actions; 0 if the code was not given, or not revoked. */
  given: number;
  revoked: number;
  isCurrent: boolean;
  isRevoked: boolean;
  replaced_on: string | null;
  /** True if the portal generated the code for one person. */
  isPersonal: boolean;
  voided: 'mistake' | 'dead' | 'expired' | null;
};
/** `who` is the address of a person, or the name of a cohort. `product` is null for all products. */
export type ModelGrant = {
  who: string;
  product: number | null;
  starts_on: string;
  ends_on: string | null;
  withdrawn_on: string | null;
  /** The upload that made the grant; undefined if staff gave it. */
  upload?: number | undefined;
  /** Later givers of the grant, with their days, oldest first: uploads, or null for staff. */
  again: { giver: Giver; days: Days }[];
};
/** An upload of people; null for staff. */
export type Giver = number | null;
/**
 * `members` contains addresses. `joinedBy` has the upload by which a member joined, and `again` later uploads or staff
 * that added the same member, oldest first.
 */
export type ModelCohort = {
  name: string;
  isArchived: boolean;
  members: Set<string>;
  joinedBy: Map<string, number>;
  again: Map<string, Giver[]>;
};
type Days = Pick<ModelGrant, 'starts_on' | 'ends_on'>;
export type Reason = 'mistake' | 'dead';
export type Refusal = { refused: string; day: string | null };

const refuse = (refused: string, day: string | null = null): Refusal => ({ refused, day });
const dayOrNull = (day: string) => (day === 'infinity' ? null : day);
const isFree = ({ holder, voided }: Code) => holder === null && voided === null;

export type LifecycleModel = ReturnType<typeof createModel>;

const COHORTS = ['cohort 0', 'cohort 1'];

/** `shared` has a value for each product: true if all holders share one code. The model has two cohorts. */
export function createModel(shared: readonly boolean[], today: string) {
  const state = { today };
  const cohorts = COHORTS.map(
    (name): ModelCohort => ({
      ...{ name, isArchived: false },
      ...{
        members: new Set<string>(),
        joinedBy: new Map<string, number>(),
        again: new Map<string, Giver[]>(),
      },
    }),
  );
  const products = shared.map((isShared) => ({
    isShared,
    opens_on: null as string | null,
    closes_on: null as string | null,
    isPaused: false,
    isArchived: false,
    use_by_default: null as string | null,
    codes: [] as Code[],
  }));
  const grants: ModelGrant[] = [];
  let clock = 0;
  const productOf = (product: number) => products[product] as (typeof products)[number];
  const codesOf = (product: number) => productOf(product).codes;

  // R-LIFE-01, N-47, N-49, N-61: who has access.
  const isGrantOfCohortOf = (grant: ModelGrant, who: string) =>
    cohorts.some(({ name, isArchived, members }) => name === grant.who && !isArchived && members.has(who));
  const grantsOf = (who: string, product: number) =>
    grants.filter(
      (grant) =>
        (grant.who === who || isGrantOfCohortOf(grant, who)) &&
        (grant.product === product || grant.product === null),
    );
  const isOver = ({ ends_on }: Days) => ends_on !== null && ends_on < state.today;
  const isStanding = ({ withdrawn_on }: ModelGrant) => withdrawn_on === null;
  const countingOf = (who: string, product: number) =>
    grantsOf(who, product).filter((grant) => isStanding(grant) && !isOver(grant));
  const hasAccess = (who: string, product: number) =>
    countingOf(who, product).some(({ starts_on }) => starts_on <= state.today);
  const missingAccess = (who: string, product: number): Refusal => {
    const all = grantsOf(who, product);
    const standing = all.filter(isStanding);
    const starts = standing.map(({ starts_on }) => starts_on).filter((day) => day > state.today);
    const ends = standing.filter(isOver).map(({ ends_on }) => ends_on);
    const withdrawals = all.filter((grant) => !isStanding(grant)).map(({ withdrawn_on }) => withdrawn_on);
    if (starts.length > 0) return refuse('access_not_started', starts.sort()[0]);
    const day = ends.sort().at(-1) ?? withdrawals.sort().at(-1);
    return day ? refuse('access_ended', day) : refuse('product_not_assigned');
  };

  const statusOf = (product: number) => {
    const { isArchived, isPaused, closes_on, opens_on } = productOf(product);
    if (isArchived) return 'archived';
    if (isPaused) return 'paused';
    if (closes_on !== null && closes_on < state.today) return 'ended';
    return opens_on !== null && opens_on > state.today ? 'scheduled' : 'live';
  };
  const currentOf = (who: string, product: number) =>
    codesOf(product).find(({ holder, isCurrent }) => holder === who && isCurrent) ?? null;
  const defaultDay = (product: number) => {
    const { use_by_default } = productOf(product);
    return use_by_default !== null && use_by_default > state.today ? use_by_default : 'infinity';
  };
  const isVoidText = (product: number, text: string) =>
    codesOf(product).some((code) => code.text === text && (code.voided ?? 'expired') !== 'expired');
  /** R-LIFE-04, R-LIFE-05, R-LIFE-08, N-51, N-52: the code that the next person gets. */
  const nextCode = (product: number): Code | null => {
    const usable = codesOf(product).filter(({ use_by }) => use_by > state.today);
    if (productOf(product).isShared)
      return usable.findLast((code) => !code.isPersonal && !isVoidText(product, code.text)) ?? null;
    const before = (a: Code, b: Code) => (a.use_by === b.use_by ? a.order < b.order : a.use_by < b.use_by);
    return usable.filter(isFree).reduce<Code | null>((a, b) => (a === null || before(b, a) ? b : a), null);
  };
  const push = (product: number, code: Pick<Code, 'text' | 'batch' | 'use_by'> & Partial<Code>): Code => {
    const rest = { holder: null, given: 0, isCurrent: false, isRevoked: false, replaced_on: null };
    const added = {
      ...rest,
      named: [],
      revoked: 0,
      isPersonal: false,
      voided: null,
      ...code,
      order: ++clock,
    };
    codesOf(product).push(added);
    return added;
  };
  /** Makes the code the person's current code. A shared code has one row for each holder. */
  const give = (who: string, product: number, { text, batch, use_by }: Code): Code => {
    const row = codesOf(product).find((code) => isFree(code) && code.text === text && code.use_by === use_by);
    const code = row ?? push(product, { text, batch, use_by });
    const former = codesOf(product).filter(({ holder }) => holder === who);
    for (const other of former) other.isCurrent = false;
    const replaced_on = former.some(({ isRevoked }) => isRevoked) ? state.today : null;
    return Object.assign(code, { holder: who, isCurrent: true, given: ++clock, replaced_on });
  };
  /** R-LIFE-07, A-22: without a free code, the person gets the generated code `made`. */
  const issueNext = (who: string, product: number, made: string): Code => {
    const next = nextCode(product);
    if (next !== null) return give(who, product, next);
    const batch = ++clock;
    const row = push(product, { text: made, batch, use_by: defaultDay(product), isPersonal: true });
    return give(who, product, row);
  };
  /** R-LIFE-21, N-51, N-70: returns whether the code was added, or is free again. */
  const add = (product: number, text: string, use_by: string, batch: number): boolean => {
    const same = codesOf(product).filter((code) => code.text === text);
    const mistakes = same.filter(({ voided }) => voided === 'mistake');
    if (productOf(product).isShared) {
      for (const code of mistakes) code.voided = null;
      if (isVoidText(product, text)) return false;
    } else if (same.length > 0) {
      for (const code of mistakes)
        Object.assign(code, { use_by, batch, named: [], voided: null, order: ++clock });
      return mistakes.length > 0;
    }
    push(product, { text, use_by, batch });
    return true;
  };
  /** N-201: a free code has expired on its last day, also before the job has made it void. */
  const isLate = (code: Code) => isFree(code) && code.use_by <= state.today;
  /** 'dead' replaces any other reason, because a code that was voided for another reason can become free again. */
  const isMarkable = ({ holder, voided }: Code, reason: Reason) =>
    holder === null && voided !== 'dead' && (voided === null || reason === 'dead');
  /** Makes codes without a holder void. Returns how many of them were free. */
  const makeVoid = (codes: Code[], reason: Reason): number => {
    const free = codes.filter(isFree).length;
    for (const code of codes) if (isMarkable(code, reason)) code.voided = reason;
    return free;
  };
  /** N-51: makes the texts of shared codes void. Returns the number of void rows that were changed or added. */
  const voidTexts = (product: number, texts: string[], reason: Reason): number => {
    let changed = 0;
    for (const text of [...new Set(texts)].sort()) {
      const same = codesOf(product).filter((code) => code.text === text);
      const marked = same.filter((code) => isMarkable(code, reason) || code.voided === 'expired');
      for (const code of marked) code.voided = reason;
      changed += marked.length;
      if (marked.length > 0 || same.some(({ voided }) => voided !== null)) continue;
      const { batch, use_by } = same.at(-1) as Code;
      push(product, { text, batch, use_by, voided: reason });
      changed += 1;
    }
    return changed;
  };
  const markRevoked = (code: Code): void => {
    if (!code.isRevoked) Object.assign(code, { isRevoked: true, revoked: ++clock });
  };
  /** The first code that the holder got after the code was revoked. */
  const replacementOf = (product: number, { holder, revoked }: Code): string | null => {
    const later = codesOf(product).filter((code) => code.holder === holder && code.given > revoked);
    return later.sort((a, b) => a.given - b.given)[0]?.text ?? null;
  };
  /** N-46: the holder's newest code that is not revoked becomes the current one. */
  const revokeCode = (product: number, code: Code): void => {
    markRevoked(code);
    const others = codesOf(product).filter(({ holder, isRevoked }) => holder === code.holder && !isRevoked);
    const newest = others.sort((a, b) => b.given - a.given)[0];
    if (code.isCurrent && newest !== undefined) [code.isCurrent, newest.isCurrent] = [false, true];
  };

  /** R-LIFE-22, N-99: the result of redeeming. Unless `commit` is true, the person gets no new code. */
  const redeem = (who: string, product: number, commit: boolean) => {
    const { opens_on } = productOf(product);
    const held = currentOf(who, product);
    if (held?.isRevoked) return refuse('code_revoked');
    if (held === null && !hasAccess(who, product)) return missingAccess(who, product);
    const status = held === null ? statusOf(product) : 'live';
    if (status === 'scheduled') return refuse('product_not_open', opens_on);
    if (status !== 'live') return refuse(status === 'paused' ? 'product_paused' : 'product_ended');
    const code = held ?? nextCode(product);
    if (code === null) return refuse('no_coupon_left');
    if (held === null && commit) give(who, product, code);
    const replaced_on = held?.replaced_on ?? null;
    return { code: code.text, use_by: dayOrNull(code.use_by), replaced_on, is_new: held === null };
  };
  /** R-LIFE-23, N-48, N-60: the product as the person's list shows it; null if it is not in the list. */
  const myProduct = (who: string, product: number) => {
    const { opens_on, closes_on } = productOf(product);
    const held = currentOf(who, product);
    const use_by = held === null ? null : dayOrNull(held.use_by);
    const listed = { use_by, closes_on, from: null as string | null, isAssigned: held !== null };
    if (held !== null) return { ...listed, state: held.isRevoked ? 'revoked' : 'issued', sold_out: false };
    const [from] = countingOf(who, product)
      .map(({ starts_on }) => starts_on)
      .sort();
    const status = statusOf(product);
    if (from === undefined || status === 'archived' || status === 'ended') return null;
    const sold_out = nextCode(product) === null;
    const last = opens_on !== null && opens_on > from ? opens_on : from;
    if (from > state.today) return { ...listed, state: 'not_yet', from: last, sold_out };
    if (status === 'paused') return { ...listed, state: 'paused', sold_out };
    if (status === 'scheduled') return { ...listed, state: 'not_yet', from: last, sold_out };
    return { ...listed, state: sold_out ? 'sold_out' : 'ready', sold_out };
  };
  /** The numbers of a product's codes in each state. */
  const count = (product: number) => {
    const codes = codesOf(product);
    return {
      free: codes.filter((code) => isFree(code) && !isLate(code)).length,
      held: codes.filter(({ holder, isRevoked }) => holder !== null && !isRevoked).length,
      revoked: codes.filter(({ isRevoked }) => isRevoked).length,
      void: codes.filter(({ voided }) => voided !== null && voided !== 'expired').length,
      expired: codes.filter((code) => code.voided === 'expired' || isLate(code)).length,
    };
  };

  return {
    ...{
      state,
      cohorts,
      products,
      grants,
      refuse,
      productOf,
      codesOf,
      currentOf,
      hasAccess,
      isOver,
      isFree,
      isLate,
    },
    ...{ nextBatch: () => ++clock, issueNext, add, makeVoid, voidTexts, revokeCode },
    ...{ markRevoked, replacementOf },
    ...{ redeem, myProduct, count },
  };
}
