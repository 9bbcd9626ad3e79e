// Dialog that shows a code on a large ticket (R-CDLG-01 to R-CDLG-04).
import type { ReactNode } from 'react';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog, DialogClose } from '../ui/dialog.tsx';
import { Ticket, TicketCode, TicketMain, TicketMiddle, TicketNote, TicketStub } from '../ui/ticket.tsx';
import { t, tNode } from '../words/translate.ts';

type CouponDialogProps = {
  productId: string;
  productName: string;
  code: string;
  note: string;
  /** The link to the partner's site. */
  visit: ReactNode;
  onClose: () => void;
};

export function CouponDialog({ productId, productName, code, note, visit, onClose }: CouponDialogProps) {
  return (
    <Dialog className="max-w-108" labelledBy="coupon-title" describedBy="coupon-note" onClose={onClose}>
      {/* The holes have a darker accent colour, because no page is seen through them. */}
      <Ticket
        state="issued"
        layout="column"
        className="animate-rise [--outer:var(--radius-xl)] [--print-opacity:0.22] [--hole:color-mix(in_oklch,var(--accent-solid)_50%,black)]"
      >
        <TicketMain
          className="@container grid gap-6 pt-7 px-7 pb-6 [--per-cent:1cqi] [&>span>svg]:-top-28 [&>span>svg]:-right-24 [&>span>svg]:size-84"
          print={productId}
        >
          <h2 id="coupon-title" className="pr-10 text-xl">
            {tNode('Your {product} coupon', { product: <bdi>{productName}</bdi> })}
          </h2>
          <TicketMiddle>
            <TicketCode
              id="coupon-code"
              code={code}
              className="text-[length:clamp(1.125rem,7.2*var(--per-cent),1.75rem)]/[1.1]"
            />
            <CopyButton code={code} codeId="coupon-code" size="sm" done={{ title: t('Code copied!') }} />
          </TicketMiddle>
          <TicketNote id="coupon-note">{note}</TicketNote>
        </TicketMain>
        <TicketStub className="pt-6 px-7 pb-7">{visit}</TicketStub>
        <DialogClose onClose={onClose} />
      </Ticket>
    </Dialog>
  );
}
