// Registers the calls that list users, save a user, and read the products of a user.
import {
  type AppUser,
  actOnUsers as actOnUsersCall,
  countPeople as countPeopleCall,
  EDIT_MEMBER_ROLE,
  getUserAccess,
  hasRole,
  listUsers,
  readLanguage,
  saveUser as saveUserCall,
} from '@portal/contract';
import { actOnUsers, countPeople } from '../../bulk/people-acts.ts';
import type { UploadTools } from '../../bulk/run-bulk.ts';
import type { Database, Db } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { sendList } from '../../http/send-list.ts';
import { readUserAccess } from '../access/read-access.ts';
import { hideCode, isMasked, type Masking } from '../codes/mask-codes.ts';
import { listCohortsOfPeople, listJoinTimes } from '../cohorts/cohort-members.sql.ts';
import { requireCohort } from '../cohorts/find-cohort.ts';
import { saveUser } from './save-user.ts';
import { countSelected, listSelected } from './user-lists.sql.ts';

export function handleUsers(
  handle: Handle,
  { db, now, dayOf, codesMasked, ...tools }: { db: Database } & UploadTools & Masking,
): void {
  handle(listUsers, async ({ query: { limit, cursor, cohort_id, ...filter } }, reply) => {
    const cohort = cohort_id === undefined ? null : await requireCohort(db, cohort_id);
    const selection = { ...filter, cohort_id: cohort?.cohort_id };
    return sendList(
      reply,
      { limit, cursor },
      {
        list: async (page) => {
          const rows = await listSelected(db, selection, page);
          return page.isExport ? rows : withCohorts(db, rows, selection.cohort_id);
        },
        count: () => countSelected(db, selection),
      },
    );
  });

  handle(saveUserCall, async ({ body, caller }, { request }) => {
    const at = now();
    const telling = body.tell ? { language: readLanguage(request.headers), now: at } : undefined;
    const user = await saveUser(db, {
      actor: caller.email,
      user: body,
      today: dayOf(at),
      telling,
      keepsMembers: !hasRole(caller.team_role, EDIT_MEMBER_ROLE),
    });
    return { message: 'User created/updated successfully', user };
  });

  handle(actOnUsersCall, async ({ body, caller }) => ({
    job_id: await actOnUsers(db, { actor: caller.email, order: body }, { now, dayOf, ...tools }),
  }));

  handle(countPeopleCall, ({ body }) => countPeople(db, body, { now, dayOf }));

  handle(getUserAccess, async ({ params: { email }, caller }) => {
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
 * Adds to each user of a page the names of the user's cohorts (R-COHORT-15). In the list of a cohort's members, also adds
 * when they joined.
 */
async function withCohorts(db: Db, rows: AppUser[], cohort_id: string | undefined) {
  const ids = rows.map(({ id }) => id);
  const named = await listCohortsOfPeople(db, ids);
  const joined = cohort_id === undefined ? null : await listJoinTimes(db, cohort_id, ids);
  return rows.map((row) => ({
    ...row,
    ...(named.get(row.id) ?? { cohorts: [], cohorts_more: 0 }),
    ...(joined && { joined_at: joined.get(row.id) }),
  }));
}
