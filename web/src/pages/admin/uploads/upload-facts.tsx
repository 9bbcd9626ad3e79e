// Card with the facts about an upload: its product, when it was uploaded and by whom.
import type { BatchRecord } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { voidBatch } from '../../../admin-calls.ts';
import { productQuery } from '../../../queries.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { useMay } from '../role-gate.tsx';
import { sayTimeOf } from './upload-words.ts';
import styles from './uploads.module.css';

/** The card takes the whole width where the card with the actions is absent. */
export function UploadFacts({ upload: { product_id, created_at, created_by } }: { upload: BatchRecord }) {
  const may = useMay();
  const { data: product } = useQuery(productQuery(product_id));
  return (
    <Card title={say('About this upload')} className={may(voidBatch) ? admin.six : undefined}>
      <CardBody>
        <dl className={styles.facts}>
          <div className={styles.fact}>
            <dt>{say('Product')}</dt>
            <dd>
              <Link href={`/admin/products/${product_id}`} className={styles.link} dir="auto">
                {product?.name ?? say('Loading...')}
              </Link>
            </dd>
          </div>
          <div className={styles.fact}>
            <dt>{say('Uploaded')}</dt>
            <dd>{sayTimeOf(created_at)}</dd>
          </div>
          <div className={styles.fact}>
            <dt>{say('By')}</dt>
            <dd>{created_by}</dd>
          </div>
        </dl>
      </CardBody>
    </Card>
  );
}
