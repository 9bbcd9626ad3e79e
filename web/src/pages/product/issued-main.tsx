// The main piece of the ticket after a code was issued: the learner copies the code or opens it in a dialog (R-PROD-14
// to R-PROD-23).
import type { Product } from '@portal/contract';
import { useState } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { lazyDialog } from '../../parts/lazy-screen.tsx';
import { productIdOf } from '../../parts/product-id.ts';
import { useSession } from '../../parts/use-session.ts';
import { cut } from '../../ui/cut.ts';
import { say } from '../../words/say.ts';
import { CODE_ID, IssuedTicket, isPast } from './issued-ticket.tsx';
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

type IssuedMainProps = {
  product: Product;
  issued: IssuedCode;
  takesFocus: () => boolean;
};

export function IssuedMain({ product, issued, takesFocus }: IssuedMainProps) {
  const session = useSession();
  const [viewing, setViewing] = useState(false);
  const copied = { title: say('Success!'), description: say('Coupon code copied to clipboard') };
  const copyButton = useFocusOnArrival<HTMLButtonElement>(takesFocus);

  return (
    <>
      <IssuedTicket
        issued={issued}
        holder={session.status === 'signed-in' && session.email}
        buttons={
          <CopyButton
            ref={copyButton}
            code={issued.code}
            codeId={CODE_ID}
            done={copied}
            look={isPast(issued) ? 'outline' : 'inverse-outline'}
          />
        }
      >
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
      </IssuedTicket>
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
