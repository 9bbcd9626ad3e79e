// Card with the facts about an upload: its product, when it was uploaded and by whom.
import type { BatchRecord } from '@portal/contract';
import { voidBatch } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { productQuery } from '../../../queries.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { Fact, FactLink, Facts } from '../facts.tsx';
import { useMay } from '../role-gate.tsx';
import { sayTimeOf } from './upload-words.ts';

/** The card takes the whole width where the card with the actions is absent. */
export function UploadFacts({ upload: { product_id, created_at, created_by } }: { upload: BatchRecord }) {
  const may = useMay();
  const { data: product } = useQuery(productQuery(product_id));
  return (
    <Card title={say('About this upload')} className={may(voidBatch) ? admin.six : undefined}>
      <CardBody>
        <Facts>
          <Fact label={say('Product')}>
            <FactLink href={`/admin/products/${product_id}`}>{product?.name ?? say('Loading...')}</FactLink>
          </Fact>
          <Fact label={say('Uploaded')}>{sayTimeOf(created_at)}</Fact>
          <Fact label={say('By')}>{created_by}</Fact>
        </Facts>
      </CardBody>
    </Card>
  );
}
