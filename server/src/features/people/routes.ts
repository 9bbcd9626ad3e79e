// Registers the calls about one person and about one code: the record, notes, mails, the edit.
import {
  addNote as addNoteCall,
  editPerson as editPersonCall,
  getCoupon,
  getPerson,
  readLanguage,
  retryMail as retryMailCall,
  sendCodeMail as sendCodeMailCall,
  sendSignInMail as sendSignInMailCall,
} from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { addNote } from './add-note.ts';
import { type EditTools, editPerson } from './edit-person.ts';
import { type RequestMail, retryMail, sendCodeMail, sendSignInMail } from './mail-person.ts';
import { readCoupon, readPerson } from './read-person.ts';

type Tools = EditTools & {
  db: Database;
  now: () => Date;
  dayOf: (at: Date) => string;
  requestMail: RequestMail;
  wakeMails: () => void;
};

export function handlePeople(handle: Handle, { db, wakeMails, ...tools }: Tools): void {
  handle(getPerson, ({ params }) => readPerson(db, params.user_id, tools.dayOf(tools.now())));

  handle(getCoupon, ({ params }) => readCoupon(db, params.id, tools.dayOf(tools.now())));

  handle(addNoteCall, async ({ body, caller }) => {
    await addNote(db, { ...body, actor: caller.email });
    return { message: 'Note added' };
  });

  // The portal does not know the language of the person. So it writes the mail in the language of the member of staff
  // who asks for it.
  handle(sendSignInMailCall, async ({ params, caller }, { request }) => {
    const order = { ...params, actor: caller.email, language: readLanguage(request.headers) };
    await sendSignInMail(db, order, tools);
    wakeMails();
    return { message: 'Sign-in mail queued' };
  });

  handle(sendCodeMailCall, async ({ params, body, caller }, { request }) => {
    const order = { ...params, ...body, actor: caller.email, language: readLanguage(request.headers) };
    await sendCodeMail(db, order, tools);
    wakeMails();
    return { message: 'Mail queued' };
  });

  handle(editPersonCall, ({ params, body, caller }) =>
    editPerson(db, { ...params, ...body, actor: caller }, tools),
  );

  handle(retryMailCall, async ({ params, caller }) => {
    await retryMail(db, { ...params, actor: caller.email });
    return { message: 'Mails to this address are sent again' };
  });
}
