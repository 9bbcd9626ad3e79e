// How many codes each product has left, scarcest first.
import type { getStats, ReplyOf } from '@portal/contract';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card, CardBody } from '../../../ui/card.tsx';
import { cut } from '../../../ui/cut.ts';
import { ROLE } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Meter } from '../../../ui/progress.tsx';
import { Tag } from '../../../ui/tag.tsx';
import styles from './dashboard.module.css';

type Stock = ReplyOf<typeof getStats>['stock'][number];

const SHOWN = 8;
/** Below this share a product is said to run low. */
const LOW_SHARE = 0.1;

export function StockCard({ stock, className }: { stock: Stock[]; className: string | undefined }) {
  const [all, setAll] = useState(false);
  return (
    <Card title="Stock left" sub="Unassigned codes per product, scarcest first" className={className}>
      <CardBody>
        {stock.length === 0 && <p className={styles.detail}>There are no products yet.</p>}
        {stock.length > 0 && (
          <table {...ROLE.table} className={styles.stock}>
            <caption className="sr-only">Codes left per product</caption>
            <thead {...ROLE.rows} className="sr-only">
              <tr {...ROLE.row}>
                {['Product', 'Codes left', 'Share left'].map((label) => (
                  <th key={label} {...ROLE.head} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody {...ROLE.rows}>
              {(all ? stock : stock.slice(0, SHOWN)).map((product) => (
                <StockRow key={product.product_id} product={product} />
              ))}
            </tbody>
          </table>
        )}
        {!all && stock.length > SHOWN && (
          <Button size="sm" look="ghost" className={styles.all} onClick={() => setAll(true)}>
            Show all {stock.length.toLocaleString()} products
          </Button>
        )}
      </CardBody>
    </Card>
  );
}

function StockRow({ product: { name, left, total, shared_coupon } }: { product: Stock }) {
  const words = `${(left ?? 0).toLocaleString()} of ${total.toLocaleString()}`;
  const tone = toneOf(left, total);
  const hasBar = left !== null && !shared_coupon;
  return (
    <tr {...ROLE.row}>
      <th {...ROLE.name} scope="row" className={`${styles.product} truncate`} title={name}>
        {cut(name, 30)}
      </th>
      <td {...ROLE.cell} className={styles.left}>
        {tone === 'none' && (
          <Tag tone="danger">
            <Icon of={CircleAlert} size={13} strong />
            None left
          </Tag>
        )}
        {tone === 'low' && (
          <Tag tone="warning">
            <Icon of={TriangleAlert} size={13} strong />
            Low
          </Tag>
        )}
        {hasBar ? (
          <span>
            <b>{left.toLocaleString()}</b> of {total.toLocaleString()}
          </span>
        ) : (
          'Shared code'
        )}
      </td>
      {hasBar && (
        <td {...ROLE.cell} className={styles.share}>
          <Meter label={`${name}: codes left`} value={left} max={total} words={words} tone={tone} />
        </td>
      )}
    </tr>
  );
}

function toneOf(left: number | null, total: number): 'none' | 'low' | undefined {
  if (left === null) return undefined;
  if (left === 0) return 'none';
  return left < total * LOW_SHARE ? 'low' : undefined;
}
