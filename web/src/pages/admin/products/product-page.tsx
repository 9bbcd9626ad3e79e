// The admin page of one product: its form, its state, and its uploads (R-LIFE-31).

import { editProduct, getProductRecord, listAudit, listBatches } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowUpRight } from 'lucide-react';
import { Link, useParams } from 'wouter';
import { isNotFound } from '../../../api-error.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { productPath } from '../../../parts/product-id.ts';
import { queryOf } from '../../../queries.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { StatusLine } from '../../../ui/status-line.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { AdminFrame } from '../admin-frame.tsx';
import { Timeline } from '../log/timeline.tsx';
import { RoleGate } from '../role-gate.tsx';
import { EditForm } from './edit-form.tsx';
import { ProductFacts } from './product-facts.tsx';
import styles from './product-page.module.css';
import { StateCard } from './state-card.tsx';
import { StatusTag } from './status-tag.tsx';
import { UploadsCard } from './uploads-card.tsx';

export function ProductPage() {
  const { id = '' } = useParams();
  // `gcTime: 0` removes the product from the cache when the page is left. So the form always begins with the newest
  // version.
  const query = useQuery({ ...queryOf(getProductRecord, { id }), gcTime: 0 });
  const record = query.data;
  const back = { href: '/admin/products', label: say('Products') };
  if (!record) {
    const isUnknown = isNotFound(query.error);
    return (
      <AdminFrame title={isUnknown ? say('Product not found') : say('Product')} back={back}>
        {query.isPending && <StatusLine>{say('Loading product...')}</StatusLine>}
        {isUnknown && <p>{say('No product has this address.')}</p>}
        {query.isError && !isUnknown && (
          <LoadError words={say('We could not load the product.')} onRetry={() => void query.refetch()} />
        )}
      </AdminFrame>
    );
  }
  return (
    <AdminFrame
      title={record.name}
      back={back}
      tag={<StatusTag status={record.status} />}
      aside={
        <Link
          href={productPath(record)}
          className={buttonClass({ look: 'ghost', size: 'sm', className: styles.open })}
        >
          {say('Open product page')}
          <Icon of={ArrowUpRight} size={16} />
        </Link>
      }
    >
      {/* A grid of its own: the card with the state stays in view while this grid is, and never covers the cards below. */}
      <div className={admin.grid}>
        <StateCard record={record} onChanged={query.refetch} />
        <Card title={say('Product')} className={admin.main}>
          <CardBody>
            {/* If only the id in the URL changes, the new `key` makes React create a new form. So text typed for the
          previous product is discarded. */}
            <RoleGate key={id} to={editProduct} otherwise={<ProductFacts record={record} />}>
              <EditForm record={record} />
            </RoleGate>
          </CardBody>
        </Card>
      </div>
      <RoleGate to={listBatches}>
        <UploadsCard productId={id} />
      </RoleGate>
      <RoleGate to={listAudit}>
        <Timeline key={id} subject={{ product_id: id }} />
      </RoleGate>
    </AdminFrame>
  );
}
