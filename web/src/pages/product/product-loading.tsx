// The product page while the product loads (R-PROD-01).
import { Page, SCREEN_TOP } from '../../parts/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusLine } from '../../ui/status-line.tsx';
import { say } from '../../words/say.ts';
import { HEAD_GRID, HEAD_TITLE } from './product-head.tsx';

export function ProductLoading() {
  return (
    <Page title={say('Product')} className={SCREEN_TOP}>
      <h1 className="sr-only">{say('Product')}</h1>
      <StatusLine>{say('Loading product details...')}</StatusLine>
      <div className={HEAD_GRID} aria-hidden="true">
        <div className={HEAD_TITLE}>
          <Skeleton className="size-15 rounded-full! md:size-22" />
          <Skeleton className="h-9 w-[min(15rem,50%)]" />
        </div>
        <div>
          <Skeleton className="h-4 w-[88%]" />
          <Skeleton className="mt-3 h-4 w-[82%]" />
          <Skeleton className="mt-3 h-4 w-[34%]" />
        </div>
        <div>
          <Skeleton className="h-3.5 w-[70%]" />
          <Skeleton className="mt-3.5 h-3.5 w-[82%]" />
          <Skeleton className="mt-3.5 h-3.5 w-[64%]" />
        </div>
      </div>
      <Skeleton className="h-62 rounded-xl!" />
    </Page>
  );
}
