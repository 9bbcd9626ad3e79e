// Lets the portal mail a user the link to the product page that shows the user's code (R-TRAIL-34).

import { sendCodeMail } from '@portal/contract';
import { call } from '../../../api.ts';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';

/** `person` is the `user_id` or the address. Shows the result as a toast. Never rejects. */
export async function mailCode(person: string, product_id: string): Promise<void> {
  try {
    await call(sendCodeMail, { params: { user_id: person }, body: { product_id } });
    tellSuccess(say('Mail with the link to the code queued'));
  } catch (error) {
    tellRefusal(error, say('Failed to send the mail'));
  }
  // Also after a refusal: somebody else may have revoked the code.
  refreshLists('users');
}
