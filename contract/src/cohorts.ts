// Calls about cohorts. A cohort is a group of people, such as an intake of a course. Grants to a cohort give access to
// all its members. Learners never see a cohort's name.
import * as z from 'zod/mini';
import { staffCall } from './endpoint.ts';
import {
  dayField,
  email,
  id,
  idInPath,
  inOrder,
  knownEmail,
  line,
  orNull,
  page,
  productIds,
  text,
} from './fields.ts';
import { expectedCount, grant, grantDays, seenDays, startedJob } from './grants.ts';

/** Maximum number of cohorts. A call that would exceed this number gets `too_many`. */
export const COHORTS_MAX = 1000;
/** Maximum number of cohorts of one person. A call that would exceed this number gets `too_many`. */
export const COHORTS_OF_PERSON_MAX = 50;
/** Maximum number of addresses in one call. For a longer list, staff upload a CSV file. */
export const ADDRESSES_MAX = 500;

export const cohortName = z.object({ cohort_id: z.string(), name: z.string() });
export type CohortName = z.output<typeof cohortName>;

/**
 * A cohort (R-COHORT-10). `members` is the number of people in the cohort. `grants` contains the cohort's grants that
 * are not withdrawn, newest first. Each edit raises `version`.
 */
export const cohort = z.object({
  cohort_id: z.string(),
  name: z.string(),
  note: z.nullable(z.string()),
  archived: z.boolean(),
  members: z.int(),
  grants: z.array(z.omit(grant, { granted_by: true, granted_at: true, via: true, withdrawn_at: true })),
  version: z.int(),
});
export type Cohort = z.output<typeof cohort>;

/**
 * A cohort with the numbers that dialogs show before staff end access (N-94). `holding` of the cohort is the number of
 * members who hold a code of any product that the cohort gives. `holding` of a grant counts only codes of the products
 * of this grant. `free` is the number of usable free codes of the grant's product; null for a shared code and for all
 * products (N-216). `granted_by` is null for viewers.
 */
export const cohortRecord = z.extend(cohort, {
  holding: z.int(),
  grants: z.array(
    z.extend(grant, { granted_by: z.nullable(z.string()), holding: z.int(), free: z.nullable(z.int()) }),
  ),
});
export type CohortRecord = z.output<typeof cohortRecord>;

/** Maximum lengths of the texts about a cohort, in characters. */
export const COHORT_MAX = { name: 120, note: 2000 };

const name = line('name', COHORT_MAX.name);
const note = orNull(text('note', COHORT_MAX.note));

/** The number of members that the page showed. If the cohort has more by now, the call gets `count_changed` (N-95). */
const expected = z.optional(expectedCount);

export const newCohort = /* @__PURE__ */ z
  .object({
    name,
    note,
    product_ids: z._default(productIds('product_ids must be a list of ids'), []),
    ...grantDays,
  })
  .check(inOrder('starts_on', 'ends_on'));
export type NewCohort = z.output<typeof newCohort>;

export const editedCohort = z.object({
  name,
  note,
  archived: z.boolean('archived must be true or false'),
  version: z.int('version must be a whole number'),
  /** Required for an edit that archives the cohort (N-323). */
  expected,
});
export type EditedCohort = z.output<typeof editedCohort>;

const ofCohort = z.object({ id: idInPath });
const LIST = 'emails must be a list of addresses';
/** Addresses of new and known people, in their canonical form. */
export const emails = /* @__PURE__ */ listOf(email);
/** Addresses of known people (see `knownEmail`). */
export const knownEmails = /* @__PURE__ */ listOf(knownEmail);

function listOf(address: typeof email) {
  return z.array(z.string(LIST), LIST).check(
    // Not `minLength` and `maxLength`, whose messages the message of a union would replace.
    z.refine((list) => list.length > 0, 'emails must name at least one address'),
    z.refine((list) => list.length <= ADDRESSES_MAX, `emails must name at most ${ADDRESSES_MAX} addresses`),
    z.check((list) => {
      const parsed = list.value.map((each) => address.safeParse(each));
      const at = parsed.findIndex(({ success }) => !success);
      if (at === -1) list.value = parsed.map(({ data = '' }) => data);
      else
        list.issues.push({
          code: 'custom',
          message: noAddressAt(at, list.value[at]),
          input: list.value,
          continue: true,
        });
    }),
  );
}

/** Returns the error message for the text at the index `at` of a list. The page shows this text in line `at + 1`. */
export function noAddressAt(at: number, text = ''): string {
  return `Line ${at + 1}: ${JSON.stringify(text.trim().toLowerCase().slice(0, 100))} is not an address such as name@example.org`;
}

/** Largest body of a call, in bytes. It suffices for 500 of the longest addresses with letters of three bytes. */
export const ADDRESSES_LIMIT_BYTES = 500_000;
const emailsOrAll = z.union([z.literal('all'), knownEmails], `${LIST}, or "all"`);
/** If `q` is set, 'all' means only the members who match the search on the page. */
const ofAll = { expected, q: page.q };
/** Refuses the value 'all' without `expected` (C-6), and a list of addresses with `q`. */
const isExpected = z.check<{
  emails: string[] | 'all';
  expected?: number | undefined;
  q?: string | undefined;
}>(({ value: { emails: whom, expected: count, q }, issues, value: input }) => {
  const refuse = (field: string, message: string) =>
    issues.push({ code: 'custom', message, input, path: [field], continue: true });
  if (whom === 'all' && count === undefined) refuse('expected', 'expected is required');
  if (whom !== 'all' && q !== undefined) refuse('q', 'q goes with emails "all" only');
});

export const listCohorts = staffCall('viewer', 'GET', '/api/admin/cohorts', {
  summary: 'Cohorts, newest first; with archived=true only the archived ones, else only the others',
  query: z.object({ archived: z.optional(z.enum(['true', 'false'], 'archived must be true or false')) }),
  reply: z.array(cohort),
});

/** Maximum number of cohorts in one call of `listCohortProgress`: the longest page of the list. */
export const COHORTS_OF_PAGE_MAX = 100;

/**
 * The codes of one cohort. `due` is the number of members times the number of products that the cohort gives; a grant of
 * all products does not count. `claimed` of these codes are held and not revoked. `short` is the sum over the products of
 * what the page of the cohort shows as 'short by' (N-216).
 */
export const cohortProgress = z.object({
  cohort_id: z.string(),
  due: z.int(),
  claimed: z.int(),
  short: z.int(),
});
export type CohortProgress = z.output<typeof cohortProgress>;

export const listCohortProgress = staffCall('viewer', 'GET', '/api/admin/cohorts/progress', {
  summary: 'How many codes of their products the members of cohorts have claimed, and how many are missing',
  query: z.object({
    cohort_ids: z
      .string('cohort_ids is required')
      .check(
        z.refine(
          (ids) => ids !== '' && ids.split(',').length <= COHORTS_OF_PAGE_MAX,
          `cohort_ids must name 1 to ${COHORTS_OF_PAGE_MAX} cohorts, separated by commas`,
        ),
      ),
  }),
  reply: z.array(cohortProgress),
});

export const getCohort = staffCall('viewer', 'GET', '/api/admin/cohorts/:id', {
  summary: 'One cohort, and how many of its members hold a code',
  params: ofCohort,
  reply: cohortRecord,
});

export const createCohort = staffCall('manager', 'POST', '/api/admin/cohorts', {
  summary: 'Create a cohort and give it products',
  body: newCohort,
  reply: cohort,
  status: 201,
});

export const editCohort = staffCall('manager', 'POST', '/api/admin/cohorts/:id/edit', {
  summary: 'Change the name and the note of a cohort, archive it, or bring it back',
  params: ofCohort,
  body: editedCohort,
  reply: cohort,
});

/**
 * Sets the days of all live and future grants of the cohort (N-96). `was` contains these grants as the page showed them.
 * If one of these grants has other days by now, or is missing in `was`, the call is refused with `edit_conflict`.
 */
export const setCohortDates = staffCall('manager', 'POST', '/api/admin/cohorts/:id/dates', {
  summary: 'Set the days of all grants of a cohort that are not over',
  params: ofCohort,
  body: /* @__PURE__ */ z
    .object({
      starts_on: dayField('starts_on'),
      ends_on: orNull(dayField('ends_on')),
      expected: expectedCount,
      was: z.optional(
        z
          .array(z.extend(seenDays, { id }), 'was must be a list of grants')
          .check(z.maxLength(10_000, 'was must name at most 10000 grants')),
      ),
    })
    .check(inOrder('starts_on', 'ends_on')),
  reply: z.object({ changed: z.int() }),
});

/** `joined` includes `created`, the number of new people (N-66). `already` people were members before. */
export const addMembers = staffCall('manager', 'POST', '/api/admin/cohorts/:id/members', {
  summary: 'Add people to a cohort; unknown addresses are created without a name',
  params: ofCohort,
  bodyLimit: ADDRESSES_LIMIT_BYTES,
  body: z.object({ emails }),
  reply: z.object({ joined: z.int(), already: z.int(), created: z.int() }),
});

/** `unknown` is the number of addresses without a person. People who are no members are ignored (N-66). */
export const removeMembers = staffCall('manager', 'POST', '/api/admin/cohorts/:id/members/remove', {
  summary: 'Remove people from a cohort; codes that they hold stay theirs',
  params: ofCohort,
  bodyLimit: ADDRESSES_LIMIT_BYTES,
  body: z.object({ emails: emailsOrAll, ...ofAll }).check(isExpected),
  reply: z.union([z.object({ removed: z.int(), unknown: z.int() }), startedJob]),
});

export const moveMembers = staffCall('manager', 'POST', '/api/admin/cohorts/:id/members/move', {
  summary: 'Move people from one cohort to another',
  params: ofCohort,
  bodyLimit: ADDRESSES_LIMIT_BYTES,
  body: z.object({ emails: emailsOrAll, to: id, ...ofAll }).check(isExpected),
  reply: z.union([z.object({ moved: z.int() }), startedJob]),
});
