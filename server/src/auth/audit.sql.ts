// SQL of the sign-in service's audit lines.
import type { Db } from '../db/database.ts';
import { currentOrigin } from '../features/log/audit.sql.ts';

/** The user of an audit line: by the id in the sign-in service, or by the address. */
type Whose = { auth_id: string } | { email: string };

/**
 * Adds an audit line about a user of the portal. Call this function in the transaction of the change. Without `actor`,
 * the line names the user as actor: a member of the team by address, id, name and IP address, anybody else only as
 * 'learner' (N-29). `user_id` of the line is null if the portal does not know the address.
 */
export async function createSignInLine(
  db: Db,
  {
    action,
    detail,
    actor,
    ...whose
  }: Whose & { action: string; detail: Record<string, unknown>; actor?: 'operator' },
): Promise<void> {
  const [email, auth_id] = 'email' in whose ? [whose.email, null] : [null, whose.auth_id];
  await db.query(
    `insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, detail)
     select by.actor, case when $1 is null then 'page'::audit_way else 'operator' end,
       case when by.is_member then $6::inet end, case when by.is_member then by.user_id end,
       case when by.is_member then by.name end, $2, by.user_id, $3::jsonb
     from (select coalesce($1::text, case when u.team_role is not null then u.email end, 'learner') as actor,
             $1 is null and u.team_role is not null as is_member, u.id as user_id, u.name
           from (select coalesce($4, (select email from auth_user where id = $5::uuid)) as email) given
           left join app_user u on u.email = given.email) by`,
    [actor ?? null, action, JSON.stringify(detail), email, auth_id, currentOrigin().ip],
  );
}

/** Adds an audit line about a change of the service by the operator. */
export async function createServiceLine(
  db: Db,
  action: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await db.query(
    "insert into audit (actor, via, action, detail) values ('operator', 'operator', $1, $2::jsonb)",
    [action, JSON.stringify(detail)],
  );
}
