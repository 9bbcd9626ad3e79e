// A line with a spinner and the reason for the wait. main.css does not show the footer while the page contains an
// element with `data-loading`.
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
