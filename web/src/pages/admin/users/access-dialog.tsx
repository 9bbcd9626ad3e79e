// The dialog of an act of the access card. In a file of its own, so that the page loads it only when it is needed.
import type { Grant } from '@portal/contract';
import { type AccessAct, type AccessProduct, type AccessUser, listGrantsFor } from './access.ts';
import { DatesDialog } from './dates-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';

type AccessDialogProps = {
  act: AccessAct;
  user: AccessUser;
  product: AccessProduct;
  onClose: () => void;
};

/** Shows nothing if somebody else took away meanwhile what the act is about. */
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
