// Mails that tell people which benefits are theirs (R-INV-01 to R-INV-03).
import * as z from 'zod/mini';

/** True if people who get a product that they did not have are told so by mail, ten minutes later. */
export const tell = z.optional(z.boolean('tell must be true or false'));

const count = z.int();
/**
 * Numbers of people of an upload by what became of their mail. `cancelled`: the upload was stopped or taken back, or no
 * product was open to the person when the mail was due. `refused` contains the first 100 people whose mail failed, with
 * the words of the mail server.
 */
export const readyMails = z.object({
  queued: count,
  sent: count,
  failed: count,
  cancelled: count,
  refused: z.array(z.object({ email: z.string(), words: z.nullable(z.string()) })),
});
export type ReadyMails = z.output<typeof readyMails>;
