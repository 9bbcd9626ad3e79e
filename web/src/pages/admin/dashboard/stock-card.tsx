// Lists how many codes each product has left. The product with the fewest codes comes first.
import type { getStats, ReplyOf } from '@portal/contract';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { cut } from '../../../ui/cut.ts';
import { Meter } from '../../../ui/meter.tsx';
import { ROLE } from '../../../ui/table-roles.ts';
import { sayNumber } from '../../../words/format.ts';
import { say, sayAround } from '../../../words/say.ts';
import { ProductLink } from '../products/product-link.tsx';
import { StockTag, stockToneOf } from '../stock-tag.tsx';
import styles from './dashboard.module.css';

type Stock = ReplyOf<typeof getStats>['stock'][number];

const SHOWN = 8;

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

function StockRow({ product: { product_id, name, left, total, shared_coupon } }: { product: Stock }) {
  const figures = { left: sayNumber(left ?? 0), total: sayNumber(total) };
  const tone = stockToneOf({ left, total });
  const hasBar = left !== null && !shared_coupon;
  return (
    <tr {...ROLE.row}>
      <th {...ROLE.name} scope="row" className={`${styles.product} truncate`} title={name}>
        <ProductLink to={product_id}>{cut(name, 30)}</ProductLink>
      </th>
      <td {...ROLE.cell} className={styles.left}>
        <StockTag tone={tone} />
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
