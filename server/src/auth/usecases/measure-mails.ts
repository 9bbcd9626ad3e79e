// How long the queue of mails is, and how late.
import type { AuthContext } from '../context.ts';
import * as mails from '../stores/mails.ts';

/** Mails waiting, counted up to ten thousand; the age of the oldest in seconds, 0 without any. */
export async function measureMails({
  db,
  settings,
  now,
}: Pick<AuthContext, 'db' | 'settings' | 'now'>): Promise<{ waiting: number; oldest_seconds: number }> {
  const { waiting, give_up_at } = await mails.measureMails(db);
  if (give_up_at === null) return { waiting, oldest_seconds: 0 };
  // A mail is given up when its link, made at that moment, would have expired.
  const secondsLeft = (new Date(give_up_at).getTime() - now().getTime()) / 1000;
  return { waiting, oldest_seconds: Math.max(0, settings.linkSeconds - secondsLeft) };
}
