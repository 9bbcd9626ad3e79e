// Selects the dialog for an action of the access card: changing the dates, removing the access, or revoking the code.
import type { Grant } from '@portal/contract';
import { type AccessProduct, type AccessUser, type DialogAct, listGrantsFor } from './access.ts';
import { DatesDialog } from './dates-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';

type AccessDialogProps = {
  act: DialogAct;
  user: AccessUser;
  product: AccessProduct;
  onClose: () => void;
};

/** The act must be possible, see `isPossible`. */
export function AccessDialog({ act, product, ...props }: AccessDialogProps) {
  if (act === 'revoke' || act === 'replace') {
    const { coupon } = product;
    if (coupon?.state !== 'held') return null;
    return <RevokeDialog {...props} product={product} coupon={coupon} replace={act === 'replace'} />;
  }
  const grants = listGrantsFor(act, product.grants);
  if (!hasGrant(grants)) return null;
  const Asked = act === 'dates' ? DatesDialog : RemoveDialog;
  return <Asked {...props} product={product} grants={grants} />;
}

function hasGrant(grants: Grant[]): grants is [Grant, ...Grant[]] {
  return grants.length > 0;
}
