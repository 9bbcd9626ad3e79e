// The actions of staff in the reference model (lifecycle-model.ts). Each function changes the model and returns the
// expected outcome: a result or a refusal.
import type { Code, Giver, LifecycleModel, ModelGrant, Reason, Refusal } from './lifecycle-model.ts';

type Days = Pick<ModelGrant, 'starts_on' | 'ends_on'>;
export type UploadedCode = { text: string; use_by: string | null };

export function addGiver(again: Giver[], giver: Giver): void {
  if (!again.includes(giver)) again.push(giver);
}

export function createStaffModel(model: LifecycleModel) {
  const { state, products, grants, refuse, productOf, codesOf, isFree } = model;
  /** The uploads whose codes staff made void. */
  const voidedBatches = new Set<number>();
  /** R-LIFE-02: extends days that are not over by the given days. Days that are over are replaced. */
  const merge = (days: Days, given: Days): void => {
    if (model.isOver(days)) Object.assign(days, given);
    const ends = [days.ends_on, given.ends_on];
    if (given.starts_on < days.starts_on) days.starts_on = given.starts_on;
    days.ends_on = ends.includes(null) ? null : (ends.sort()[1] ?? null);
  };
  const isArchived = (product: number | null) => product !== null && productOf(product).isArchived;

  /**
   * R-LIFE-02, N-65: returns whether the access is new. An earlier grant that is over becomes a grant of this upload. Any
   * other earlier grant of an upload stores this giver too.
   */
  const grantOne = (who: string, product: number | null, days: Days, upload?: number): boolean => {
    const found = grants.find(
      (grant) => grant.who === who && grant.product === product && grant.withdrawn_on === null,
    );
    if (found === undefined) {
      grants.push({ who, product, ...days, withdrawn_on: null, upload, again: [] });
      return true;
    }
    if (model.isOver(found)) {
      const isSame = found.starts_on === days.starts_on && found.ends_on === days.ends_on;
      if (!isSame) {
        Object.assign(found, days, { upload, again: [] });
        return true;
      }
    }
    if (found.upload !== undefined && found.upload !== upload) {
      const same = found.again.find(({ giver }) => giver === (upload ?? null));
      if (same === undefined) found.again.push({ giver: upload ?? null, days: { ...days } });
      else merge(same.days, days);
    }
    if (!model.isOver(found)) merge(found, days);
    return false;
  };

  return {
    grant: (
      who: string,
      given: readonly (number | null)[],
      days: Days,
      upload?: number,
    ): Refusal | { new: number } => {
      if (days.ends_on !== null && days.ends_on < days.starts_on) return refuse('invalid_request');
      if (given.some(isArchived)) return refuse('product_not_found');
      return { new: given.filter((product) => grantOne(who, product, days, upload)).length };
    },
    editGrant: (grant: ModelGrant, days: Days): Refusal | 'ok' => {
      if (grant.withdrawn_on !== null) return refuse('grant_withdrawn');
      Object.assign(grant, days);
      for (const other of grant.again) Object.assign(other.days, days);
      return 'ok';
    },
    /** R-LIFE-14, N-62. */
    withdraw: (grant: ModelGrant, revoke_code: boolean): Refusal | 'ok' | 'code kept' => {
      const { who, product } = grant;
      if (revoke_code && (model.cohorts.some(({ name }) => name === who) || product === null))
        return refuse('invalid_request');
      const isRepeated = grant.withdrawn_on !== null;
      grant.withdrawn_on ??= state.today;
      const held = revoke_code && product !== null ? model.currentOf(who, product) : null;
      if (product === null || held === null || held.isRevoked) return 'ok';
      if (model.hasAccess(who, product) || productOf(product).isShared) return 'code kept';
      if (!isRepeated) model.revokeCode(product, held);
      return 'ok';
    },
    /**
     * R-IMP-11, N-94, N-318: undoes an upload of people. A grant that others gave again then belongs to the first of
     * them, for the days that they all gave. `expected` is the number of people that staff saw.
     */
    undo: (upload: number, expected: number): Refusal | { people: number; grants: number; left: number } => {
      const othersOf = (again: readonly Giver[] = []) => again.filter((giver) => giver !== upload);
      const made = grants.filter(
        (grant) => grant.upload === upload && grant.withdrawn_on === null && !model.isOver(grant),
      );
      const isOther = ({ giver }: { giver: Giver }) => giver !== upload;
      const ending = made.filter(({ again }) => !again.some(isOther));
      const joined = model.cohorts.flatMap((cohort) =>
        [...cohort.joinedBy].filter(([, by]) => by === upload).map(([who]) => ({ who, cohort })),
      );
      const leaving = joined.filter(({ who, cohort }) => othersOf(cohort.again.get(who)).length === 0);
      const people = new Set([...ending, ...leaving].map(({ who }) => who)).size;
      if (people > expected) return refuse('count_changed');
      for (const grant of ending) grant.withdrawn_on = state.today;
      for (const grant of grants) grant.again = grant.again.filter(isOther);
      for (const grant of made) {
        if (ending.includes(grant)) continue;
        const all = grant.again.map(({ days }) => days);
        const ends = all.map(({ ends_on }) => ends_on);
        grant.starts_on = all.map(({ starts_on }) => starts_on).sort()[0] ?? '';
        grant.ends_on = ends.includes(null) ? null : (ends.sort().at(-1) ?? null);
        grant.upload = grant.again.shift()?.giver ?? undefined;
      }
      for (const { again } of model.cohorts)
        for (const [who, givers] of again) again.set(who, othersOf(givers));
      for (const { who, cohort } of joined) {
        const next = cohort.again.get(who)?.[0];
        if (next === undefined) cohort.members.delete(who);
        if (typeof next === 'number') cohort.joinedBy.set(who, next);
        else cohort.joinedBy.delete(who);
      }
      return { people, grants: ending.length, left: leaving.length };
    },
    status: (product: number, status: 'live' | 'paused' | 'archived'): Refusal | 'ok' => {
      const found = productOf(product);
      if (status === 'paused' && found.isArchived) return refuse('product_ended');
      if (status === 'live') Object.assign(found, { isPaused: false, isArchived: false });
      else found[status === 'paused' ? 'isPaused' : 'isArchived'] = true;
      return 'ok';
    },
    edit: (
      product: number,
      edited: { opens_on: string | null; closes_on: string | null; use_by_default: string | null },
    ): Refusal | 'ok' => {
      if (edited.use_by_default !== null && edited.use_by_default <= state.today)
        return refuse('invalid_request');
      Object.assign(productOf(product), edited);
      return 'ok';
    },
    upload: (product: number, rows: readonly UploadedCode[]) => {
      const { isArchived, use_by_default } = productOf(product);
      if (isArchived) return refuse('product_not_found');
      const counts = { success: 0, duplicates: 0, failures: 0 };
      const batch = model.nextBatch();
      for (const { text, use_by } of rows) {
        const last = use_by ?? use_by_default ?? 'infinity';
        if (last <= state.today) counts.failures += 1;
        else if (model.add(product, text, last, batch)) counts.success += 1;
        else {
          counts.duplicates += 1;
          const known = codesOf(product).find((code) => code.text === text);
          if (known?.holder === null && known.voided !== 'dead' && known.batch !== batch)
            known.named.push({ batch, use_by: last });
        }
      }
      return counts;
    },
    single: (product: number, text: string): Refusal | 'ok' => {
      const { isArchived, use_by_default } = productOf(product);
      if (isArchived) return refuse('product_not_found');
      if (use_by_default !== null && use_by_default <= state.today) return refuse('invalid_request');
      const isAdded = model.add(product, text, use_by_default ?? 'infinity', model.nextBatch());
      return isAdded ? 'ok' : refuse('duplicate_code');
    },
    voidOne: (product: number, code: Code, reason: Reason): Refusal | 'ok' => {
      if (productOf(product).isShared) model.voidTexts(product, [code.text], reason);
      else if (code.holder !== null) return refuse('held');
      else model.makeVoid([code], reason);
      return 'ok';
    },
    /** R-LIFE-18, N-57, N-318: after an upload was made void as a mistake, its codes that another upload also contains
     * belong to the other upload. */
    voidBatch: (
      product: number,
      { batch }: Code,
      { reason, expected }: { reason: Reason; expected: number },
    ) => {
      const codes = codesOf(product).filter((code) => code.batch === batch);
      const unused = codes.filter((code) => !model.isLate(code));
      if (unused.filter(isFree).length > expected) return refuse('count_changed');
      voidedBatches.add(batch);
      const isNaming = (other: number) => other !== batch && !voidedBatches.has(other);
      let [voided, kept] = [0, 0];
      if (productOf(product).isShared) {
        const texts = [...new Set(codes.map(({ text }) => text))];
        const isNamed = (text: string) =>
          codesOf(product).some((code) => code.text === text && isNaming(code.batch));
        const going = texts.filter((text) => reason === 'dead' || !isNamed(text));
        voided = model.voidTexts(product, going, reason);
        kept = texts.length - going.length;
      } else {
        const staying =
          reason === 'dead'
            ? []
            : unused.filter((code) => isFree(code) && code.named.some((other) => isNaming(other.batch)));
        voided = model.makeVoid(
          (reason === 'dead' ? codes : unused).filter((code) => !staying.includes(code)),
          reason,
        );
        kept = staying.length;
        for (const code of staying) {
          const next = code.named.find((other) => isNaming(other.batch));
          Object.assign(code, next);
          code.named = code.named.filter((other) => other !== next);
        }
      }
      return { voided, kept, handed_out_meanwhile: Math.max(0, expected - voided - kept) };
    },
    /** `script/portal codes void`. If `texts` is null, all codes of the product. */
    voidCodes: (product: number, texts: readonly string[] | null) => {
      if (productOf(product).isShared) return refuse('invalid_request');
      const named = codesOf(product).filter(({ text }) => texts === null || texts.includes(text));
      const markable = named.filter(({ holder, voided }) => holder === null && voided !== 'dead');
      model.makeVoid(markable, 'dead');
      const voided = markable.length;
      if (texts === null) return { voided, assigned: 0, unknown: 0, left_out: [] };
      const assigned = named.filter(({ holder }) => holder !== null).length;
      return { voided, assigned, unknown: texts.length - voided - assigned, left_out: [] };
    },
    /** R-LIFE-19, N-59. */
    useBy: (product: number, { batch }: Code, day: string | null): Refusal | 'ok' => {
      if (productOf(product).isShared) return refuse('invalid_request');
      const use_by = day ?? 'infinity';
      const isAhead = use_by > state.today;
      for (const code of codesOf(product)) {
        if (code.batch !== batch) continue;
        if (isFree(code) && (isAhead || !model.isLate(code)))
          Object.assign(code, { use_by, voided: isAhead ? null : 'expired' });
        else if (code.voided === 'expired' && isAhead) Object.assign(code, { use_by, voided: null });
      }
      return 'ok';
    },
    /** R-LIFE-15, N-44, N-46, N-54. `made` is the code that the portal generated if no code was free. */
    revoke: (product: number, code: Code, { replace, made }: { replace: boolean; made: string }) => {
      if (productOf(product).isShared) return refuse('invalid_request');
      if (code.holder === null) return refuse('not_held');
      if (replace && code.isCurrent) {
        model.markRevoked(code);
        return { replacement: model.issueNext(code.holder, product, made).text };
      }
      if (code.isRevoked) return { replacement: model.replacementOf(product, code) };
      model.revokeCode(product, code);
      return { replacement: null };
    },
    /** R-LIFE-07, N-45. With `isNew`, the person gets a new code in any case. */
    issue: (who: string, product: number, { isNew, made }: { isNew: boolean; made: string }) => {
      const held = isNew ? null : model.currentOf(who, product);
      if (held?.isRevoked) return refuse('code_revoked');
      if (held !== null) return { code: held.text, isGenerated: false };
      if (productOf(product).isArchived) return refuse('product_ended');
      if (!model.hasAccess(who, product)) return refuse('product_not_granted');
      const { text, isPersonal } = model.issueNext(who, product, made);
      return { code: text, isGenerated: isPersonal };
    },
    /** R-LIFE-53. */
    expire: (): void => {
      for (const { codes } of products)
        for (const code of codes) if (model.isLate(code)) code.voided = 'expired';
    },
  };
}
