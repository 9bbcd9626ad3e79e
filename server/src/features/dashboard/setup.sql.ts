// Reads how far the portal is set up, for the dashboard's card 'Set up your portal' (R-DAY-51).
import type { Stats } from '@portal/contract';
import type { Db } from '../../db/database.ts';

/**
 * Returns the steps that are done in the database, and whether the member `user_id` (app_user.id) has hidden the card.
 * Each condition reads few rows, also with many codes and people: it stops at the first row that it finds.
 */
export async function readSetup(
  db: Db,
  user_id: string,
): Promise<Pick<Stats['setup'], 'access' | 'team' | 'issued' | 'redeemed' | 'hidden'>> {
  const { rows } = await db.query<Pick<Stats['setup'], 'access' | 'team' | 'issued' | 'redeemed' | 'hidden'>>(
    `select exists (select from access_grant) as access,
       exists (select from app_user where user_role = 'admin' offset 1) as team,
       exists (select from tally where what in ('redeemed', 'issued') and n > 0)
         or exists (select from tally_change where what in ('redeemed', 'issued') and n > 0) as issued,
       exists (select from tally where what = 'redeemed' and n > 0)
         or exists (select from tally_change where what = 'redeemed' and n > 0) as redeemed,
       exists (select from app_user where id = $1 and setup_hidden_at is not null) as hidden`,
    [user_id],
  );
  return rows[0] as (typeof rows)[number];
}

/** Hides the card from the member `user_id` (app_user.id). Keeps the time of the first call. */
export async function hideSetup(db: Db, { user_id, now }: { user_id: string; now: Date }): Promise<void> {
  await db.query('update app_user set setup_hidden_at = $2 where id = $1 and setup_hidden_at is null', [
    user_id,
    now.toISOString(),
  ]);
}
