// The texts around a code on the main piece of the ticket: its facts, its holder and the note.
import type { ReactNode } from 'react';
import { saySingleUse } from '../../parts/visit-site.tsx';
import { TicketCode } from '../../ui/ticket-code.tsx';
import { TicketMiddle } from '../../ui/ticket-middle.tsx';
import { TicketNote } from '../../ui/ticket-note.tsx';
import { TicketTop } from '../../ui/ticket-top.tsx';
import { daysLeft, sayDay } from '../../words/days.ts';
import { say } from '../../words/say.ts';
import { CodeFacts } from './code-facts.tsx';
import type { IssuedCode } from './use-redemption.ts';

/** Id of the element that shows the code. */
export const CODE_ID = 'code';

/** For how many days the ticket says that the code was replaced (N-99). */
const REPLACED_DAYS = 30;

/** Returns true if the last day of the code has passed. */
export function isPast({ useBy }: Pick<IssuedCode, 'useBy'>): boolean {
  return useBy !== null && daysLeft(useBy, new Date()) < 0;
}

type IssuedTicketProps = {
  issued: Pick<IssuedCode, 'code' | 'useBy' | 'replacedOn'>;
  /** Read by screen readers in place of the code. */
  spoken?: string | undefined;
  /** E-mail address of the learner who holds the code; false if unknown. */
  holder: string | false;
  /** The buttons beside the code. */
  buttons: ReactNode;
  /** Shown after the note. */
  children?: ReactNode;
};

export function IssuedTicket({ issued, spoken, holder, buttons, children }: IssuedTicketProps) {
  const now = new Date();
  const { code, useBy, replacedOn } = issued;
  return (
    <>
      <TicketTop>
        <CodeFacts useBy={isPast(issued) ? null : useBy} now={now} />
        {holder !== false && (
          <span>
            <span className="max-md:hidden">{say('Issued to')} </span>
            {holder}
          </span>
        )}
      </TicketTop>
      <p className="sr-only">{say('Your coupon code is ready')}</p>
      <TicketMiddle>
        <TicketCode id={CODE_ID} code={code} spoken={spoken} />
        {buttons}
      </TicketMiddle>
      <TicketNote>
        {replacedOn && daysLeft(replacedOn, now) >= -REPLACED_DAYS && (
          <>
            <b>{say('Your code was replaced on {day}.', { day: sayDay(replacedOn) })}</b>{' '}
          </>
        )}
        {useBy && isPast(issued) ? (
          <b>{say('The last day of this code was {day}.', { day: sayDay(useBy) })}</b>
        ) : (
          <span>{saySingleUse()}</span>
        )}{' '}
        {children}
      </TicketNote>
    </>
  );
}
