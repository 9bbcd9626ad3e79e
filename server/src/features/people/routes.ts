// Registers the routes that list, save, edit and read people, send mails to them, add notes, and read one code.

import * as calls from '@portal/contract';
import { type AppUser, EDIT_MEMBER_ROLE, hasRole, readLanguage } from '@portal/contract';
import { actOnUsers, countPeople } from '../../bulk/people-acts.ts';
import type { UploadTools } from '../../bulk/run-bulk.ts';
import type { Clock } from '../../day.ts';
import type { Database, Db } from '../../db/database.ts';
import type { Page } from '../../db/prefix-search.sql.ts';
import type { Handle } from '../../http/handle.ts';
import { sendList } from '../../http/send-list.ts';
import { readUserAccess } from '../access/access.ts';
import { hideCode, isMasked, type Masking } from '../codes/codes.ts';
import { countClaimed, listCohortsOfPeople, listJoinTimes } from '../cohorts/cohorts.sql.ts';
import { requireCohort } from '../cohorts/members.ts';
import { type RequestMail, retryMail, sendCodeMail, sendSignInMail } from './mails.ts';
import { listActivity } from './people.sql.ts';
import {
  addNote,
  type EditTools,
  editPerson,
  readCoupon,
  readPerson,
  renameMember,
  saveUser,
} from './person.ts';
import { countSelected, listSelected, listSortedUsers, type PersonOfList } from './search.sql.ts';

export function handleUsers(
  handle: Handle,
  { db, now, dayOf, codesMasked, ...tools }: { db: Database } & UploadTools & Masking,
): void {
  handle(calls.listUsers, async ({ query: { limit, cursor, offset, cohort_id, sort, ...filter } }, reply) => {
    const cohort = cohort_id === undefined ? null : await requireCohort(db, cohort_id);
    const selection = { ...filter, cohort_id: cohort?.cohort_id };
    const list = async (page: Page) => {
      const rows =
        sort === undefined
          ? await listSelected(db, selection, page)
          : await listSortedUsers(db, { role: filter.role, sort, ...page });
      if (page.isSkipped) return rows;
      return page.isExport ? rows.map(asUser) : withDetails(db, rows, selection.cohort_id);
    };
    return sendList(reply, { limit, cursor, offset }, { list, count: () => countSelected(db, selection) });
  });

  handle(calls.saveUser, async ({ body, caller }, { request }) => {
    const at = now();
    const notice = body.tell ? { language: readLanguage(request.headers), now: at } : undefined;
    const keepsMembers = !hasRole(caller.team_role, EDIT_MEMBER_ROLE);
    const order = { actor: caller.email, user: body, today: dayOf(at), notice, keepsMembers };
    const user = await saveUser(db, order);
    return { message: 'User created/updated successfully', user };
  });

  handle(calls.actOnUsers, async ({ body, caller }, { request }) => {
    const order = { actor: caller.email, order: body, language: readLanguage(request.headers) };
    return { job_id: await actOnUsers(db, order, { now, dayOf, ...tools }) };
  });

  handle(calls.countPeople, ({ body }) => countPeople(db, body, { now, dayOf }));

  handle(calls.getUserAccess, async ({ params: { email }, caller }) => {
    const { user, products } = await readUserAccess(db, email, { now, dayOf });
    const masked = isMasked(caller, { codesMasked });
    return {
      user,
      products: products.map(({ coupon, ...product }) => ({
        ...product,
        hasCoupon: coupon !== null,
        coupon: coupon !== null && masked ? hideCode(coupon) : coupon,
      })),
    };
  });
}

/**
 * Adds to each user the names of the user's cohorts (R-COHORT-15), the times and the number of codes (R-DAY-11); in a list
 * of members also when the user joined, and of how many products of the cohort the user holds a code.
 */
async function withDetails(db: Db, rows: PersonOfList[], cohort_id: string | undefined) {
  const ids = rows.map(({ id }) => id);
  const named = await listCohortsOfPeople(db, ids);
  const activity = await listActivity(db, ids);
  const joined = cohort_id === undefined ? null : await listJoinTimes(db, cohort_id, ids);
  const claimed = cohort_id === undefined ? null : await countClaimed(db, cohort_id, ids);
  return rows.map((row) => {
    const { last_sign_in_at = null, codes_held } = activity.get(row.id) ?? {};
    return {
      ...row,
      ...(named.get(row.id) ?? { cohorts: [], cohorts_more: 0 }),
      codes_held,
      // Only a hosted service knows when its users have signed in.
      ...((last_sign_in_at !== null || !row.is_linked) && { last_sign_in_at }),
      ...(joined && { joined_at: joined.get(row.id) }),
      ...(claimed && { codes_claimed: claimed.get(row.id) ?? 0 }),
    };
  });
}

/** The list without pages is sent without the schema of the reply. */
const asUser = ({ created_at: _at, is_linked: _linked, ...user }: PersonOfList): AppUser => user;

/** `outbox` is null if a mail server is set. */
type Tools = EditTools &
  Clock & { db: Database; outbox: unknown; requestMail: RequestMail; wakeMails: () => void };

export function handlePeople(handle: Handle, { db, outbox, wakeMails, ...tools }: Tools): void {
  handle(calls.getPerson, ({ params }) =>
    readPerson(db, params.user_id, { today: tools.dayOf(tools.now()), outbox }),
  );

  handle(calls.getCoupon, ({ params }) => readCoupon(db, params.id, tools.dayOf(tools.now())));

  handle(calls.addNote, async ({ body, caller }) => {
    await addNote(db, { ...body, actor: caller.email });
    return { message: 'Note added' };
  });

  // The portal does not know the person's language. So the mail is in the language of the member of staff who requests
  // it.
  handle(calls.sendSignInMail, async ({ params, caller }, { request }) => {
    const order = { ...params, actor: caller.email, language: readLanguage(request.headers) };
    await sendSignInMail(db, order, tools);
    wakeMails();
    return { message: 'Sign-in mail queued' };
  });

  handle(calls.sendCodeMail, async ({ params, body, caller }, { request }) => {
    const order = { ...params, ...body, actor: caller.email, language: readLanguage(request.headers) };
    await sendCodeMail(db, order, tools);
    wakeMails();
    return { message: 'Mail queued' };
  });

  handle(calls.editPerson, ({ params, body, caller }) =>
    editPerson(db, { ...params, ...body, actor: caller }, tools),
  );

  handle(calls.setOwnName, ({ body, caller }) => renameMember(db, { ...body, actor: caller }));

  handle(calls.retryMail, async ({ params, caller }) => {
    await retryMail(db, { ...params, actor: caller.email });
    return { message: 'Mails to this address are sent again' };
  });
}
