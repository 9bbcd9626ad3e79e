// A card with a title: one of several sections of a page.
import { type ReactNode, useId } from 'react';
import { classes } from './dom.ts';

export const CARD =
  'text-md flex flex-col min-w-0 bg-surface border border-line rounded-lg forced-colors:[border-color:CanvasText]';

type CardProps = {
  title: string;
  sub?: ReactNode;
  /** A control to the right of the title. */
  action?: ReactNode;
  className?: string;
  children: ReactNode;
};

export function Card({ title, sub, action, className, children }: CardProps) {
  const titleId = useId();
  return (
    <section className={classes(CARD, className)} aria-labelledby={titleId}>
      <div className="flex items-start justify-between gap-4 pt-5 px-6 pb-0 [&:has(+:is(table,_[data-no-rows],_[data-log]))]:pb-4.5 max-md:flex-wrap max-md:gap-y-1 max-md:pt-4.5 max-md:px-4.5 max-md:pb-0 max-md:has-[+[data-log]]:pb-3! print:pb-4.5">
        <div>
          <h2 id={titleId} className="text-base/6">
            {title}
          </h2>
          {sub && <p className="text-sm mt-0.5 text-ink-3">{sub}</p>}
        </div>
        {action && (
          <div className="flex-none -mt-1 -mr-3 -mb-1 max-md:mr-0 max-md:min-w-0 max-md:flex-initial">
            {action}
          </div>
        )}
      </div>
      {children}
    </section>
  );
}

/** Adds padding to the content of a card. A table needs no padding, so it is not inside a `CardBody`. */
export function CardBody({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={classes('[&>:first-child]:mt-0 flex-1 min-w-0 pt-5 px-6 pb-6 max-md:p-4.5', className)}>
      {children}
    </div>
  );
}
