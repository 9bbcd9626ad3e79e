// A line with a spinner and the reason for the wait. While an element with `data-loading` exists, main.css does not
// show the footer.
import type { ReactNode } from 'react';
import { Spinner } from './spinner.tsx';

export function StatusLine({ children }: { children: ReactNode }) {
  return (
    <p
      className="inline-flex animate-late items-center gap-2.5 text-md text-ink-2"
      role="status"
      data-loading=""
    >
      <Spinner />
      {children}
    </p>
  );
}
