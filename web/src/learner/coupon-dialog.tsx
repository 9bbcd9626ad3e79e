// Dialog that shows a code on a large ticket (R-CDLG-01 to R-CDLG-04).

import { CopyButton } from '../ui/copy.tsx';
import { Dialog, DialogClose } from '../ui/dialog.tsx';
import { classes } from '../ui/dom.ts';
import { Ticket, TicketCode, TicketMain, TicketMiddle, TicketNote, TicketStub } from '../ui/ticket.tsx';
import parts from '../ui/ticket-parts.module.css';
import { say, sayAround } from '../words/say.ts';
import { saySingleUse, VisitSite } from './visit-site.tsx';

type CouponDialogProps = {
  productId: string;
  productName: string;
  code: string;
  /** The partner's address, as stored. An address without a scheme is opened with https. */
  url: string;
  onClose: () => void;
};

export function CouponDialog({ productId, productName, code, url, onClose }: CouponDialogProps) {
  return (
    <Dialog className="max-w-108" labelledBy="coupon-title" describedBy="coupon-note" onClose={onClose}>
      <Ticket state="issued" layout="column" className={classes('animate-rise', parts.alone)}>
        <TicketMain className={parts.aloneMain} print={productId}>
          <h2 id="coupon-title" className="pr-10 text-xl">
            {sayAround('Your {product} coupon', { product: <bdi>{productName}</bdi> })}
          </h2>
          <TicketMiddle>
            <TicketCode id="coupon-code" code={code} />
            <CopyButton code={code} codeId="coupon-code" size="sm" done={{ title: say('Code copied!') }} />
          </TicketMiddle>
          <TicketNote id="coupon-note">{saySingleUse()}</TicketNote>
        </TicketMain>
        <TicketStub className={parts.aloneStub} layout="column">
          <VisitSite url={url} />
        </TicketStub>
        <DialogClose onClose={onClose} />
      </Ticket>
    </Dialog>
  );
}
