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
import { say } from '../../words/say.ts';
import { useFocusOnArrival } from './use-focus-on-arrival.ts';
import type { IssuedCode } from './use-redemption.ts';

/** Maximum length of the name (R-PROD-07). */
const NAME_LENGTH = 50;

const CouponDialog = lazyDialog(() =>
  import('../../parts/coupon-dialog.tsx').then((module) => module.CouponDialog),
);

function prepareCouponDialog(): void {
  void Promise.allSettled([CouponDialog.load()]);
}

type IssuedMainProps = { product: Product; issued: IssuedCode; takesFocus: () => boolean };

export function IssuedMain({ product, issued, takesFocus }: IssuedMainProps) {
  const session = useSession();
  const [viewing, setViewing] = useState(false);
  const copied = { title: say('Success!'), description: say('Coupon code copied to clipboard') };
  const copyButton = useFocusOnArrival<HTMLButtonElement>(takesFocus);

  return (
    <>
      <TicketTop>
        <span>{say('Coupon code')}</span>
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
        <CopyButton ref={copyButton} code={issued.code} codeId="code" done={copied} />
      </TicketMiddle>
      <TicketNote>
        <span>{saySingleUse()}</span>{' '}
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
