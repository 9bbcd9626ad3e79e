// The contents of the ticket after a code was issued (R-PROD-14 to R-PROD-23).
import type { Product } from '@portal/contract';
import { useState } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { lazyDialog } from '../../parts/lazy-screen.tsx';
import { productIdOf } from '../../parts/product-id.ts';
import { useSession } from '../../parts/use-session.ts';
import { saySingleUse } from '../../parts/visit-site.tsx';
import { cut } from '../../ui/cut.ts';
import { TicketCode } from '../../ui/ticket-code.tsx';
import { TicketMiddle } from '../../ui/ticket-middle.tsx';
import { TicketNote } from '../../ui/ticket-note.tsx';
import { TicketTop } from '../../ui/ticket-top.tsx';
import { daysLeft, sayDay } from '../../words/days.ts';
import { say } from '../../words/say.ts';
import { CodeFacts } from './code-facts.tsx';
import { useFocusOnArrival } from './use-focus-on-arrival.ts';
import type { IssuedCode } from './use-redemption.ts';

/** Maximum length of the product's name in the dialog, in characters (R-PROD-07). */
const NAME_LENGTH = 50;

const CouponDialog = lazyDialog(() =>
  import('../../parts/coupon-dialog.tsx').then((module) => module.CouponDialog),
);

function prepareCouponDialog(): void {
  void Promise.allSettled([CouponDialog.load()]);
}

/** For how many days the ticket says that the code was replaced (N-99). */
const REPLACED_DAYS = 30;

type IssuedMainProps = {
  product: Product;
  issued: IssuedCode;
  /** True if the last day of the code has passed. */
  isPast: boolean;
  takesFocus: () => boolean;
};

export function IssuedMain({ product, issued, isPast, takesFocus }: IssuedMainProps) {
  const session = useSession();
  const now = new Date();
  const { useBy, replacedOn } = issued;
  const [viewing, setViewing] = useState(false);
  const copied = { title: say('Success!'), description: say('Coupon code copied to clipboard') };
  const copyButton = useFocusOnArrival<HTMLButtonElement>(takesFocus);

  return (
    <>
      <TicketTop>
        <CodeFacts useBy={isPast ? null : useBy} now={now} />
        {session.status === 'signed-in' && (
          <span>
            <span className="max-md:hidden">{say('Issued to')} </span>
            {session.email}
          </span>
        )}
      </TicketTop>
      <p className="sr-only">{say('Your coupon code is ready')}</p>
      <TicketMiddle>
        <TicketCode id="code" code={issued.code} />
        <CopyButton
          ref={copyButton}
          code={issued.code}
          codeId="code"
          done={copied}
          look={isPast ? 'outline' : 'inverse-outline'}
        />
      </TicketMiddle>
      <TicketNote>
        {replacedOn && daysLeft(replacedOn, now) >= -REPLACED_DAYS && (
          <>
            <b>{say('Your code was replaced on {day}.', { day: sayDay(replacedOn) })}</b>{' '}
          </>
        )}
        {useBy && isPast ? (
          <b>{say('The last day of this code was {day}.', { day: sayDay(useBy) })}</b>
        ) : (
          <span>{saySingleUse()}</span>
        )}{' '}
        <button
          type="button"
          className="-my-0.5 min-h-6 cursor-pointer rounded-[2px] underline underline-offset-[0.2em]"
          aria-haspopup="dialog"
          onPointerOver={prepareCouponDialog}
          onFocus={prepareCouponDialog}
          onClick={() => setViewing(true)}
        >
          {say('View code')}
        </button>
      </TicketNote>
      {viewing && (
        <CouponDialog
          productId={productIdOf(product)}
          productName={cut(product.name, NAME_LENGTH)}
          code={issued.code}
          url={issued.url}
          onClose={() => setViewing(false)}
        />
      )}
    </>
  );
}
