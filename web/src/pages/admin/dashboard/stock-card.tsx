// Lists how many codes each product has left. The product with the fewest codes comes first.
import type { getStats, ReplyOf } from '@portal/contract';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { cut } from '../../../ui/cut.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Meter } from '../../../ui/meter.tsx';
import { ROLE } from '../../../ui/table-roles.ts';
import { Tag } from '../../../ui/tag.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say, sayAround } from '../../../words/say.ts';
import styles from './dashboard.module.css';

type Stock = ReplyOf<typeof getStats>['stock'][number];

const SHOWN = 8;
/** A product is marked 'Low' if less than this share of its codes is left. */
const LOW_SHARE = 0.1;

export function StockCard({ stock, className }: { stock: Stock[]; className: string | undefined }) {
  const [all, setAll] = useState(false);
  return (
    <Card
      title={say('Stock left')}
      sub={say('Unassigned codes per product, scarcest first')}
      className={className}
    >
      <CardBody>
        {stock.length === 0 && <p className={styles.detail}>{say('There are no products yet.')}</p>}
        {stock.length > 0 && (
          <table {...ROLE.table} className={styles.stock}>
            <caption className="sr-only">{say('Codes left per product')}</caption>
            <thead {...ROLE.rows} className="sr-only">
              <tr {...ROLE.row}>
                {[say('Product'), say('Codes left'), say('Share left')].map((label) => (
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
            {say('Show all {count} products', { count: sayNumber(stock.length) })}
          </Button>
        )}
      </CardBody>
    </Card>
  );
}

function StockRow({ product: { name, left, total, shared_coupon } }: { product: Stock }) {
  const figures = { left: sayNumber(left ?? 0), total: sayNumber(total) };
  const tone = toneOf(left, total);
  const hasBar = left !== null && !shared_coupon;
  return (
    <tr {...ROLE.row}>
      <th {...ROLE.name} scope="row" dir="auto" className={`${styles.product} truncate`} title={name}>
        {cut(name, 30)}
      </th>
      <td {...ROLE.cell} className={styles.left}>
        {tone === 'none' && (
          <Tag tone="danger">
            <Icon of={CircleAlert} size={13} strong />
            {say('None left')}
          </Tag>
        )}
        {tone === 'low' && (
          <Tag tone="warning">
            <Icon of={TriangleAlert} size={13} strong />
            {say('Low')}
          </Tag>
        )}
        {hasBar ? (
          <span>{sayAround('{left} of {total}', { ...figures, left: <b>{figures.left}</b> })}</span>
        ) : (
          say('Shared code')
        )}
      </td>
      {hasBar && (
        <td {...ROLE.cell} className={styles.share}>
          <Meter
            label={say('{product}: codes left', { product: name })}
            value={left}
            max={total}
            words={say('{left} of {total}', figures)}
            tone={tone}
          />
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
